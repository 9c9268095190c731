"""Movements without a number: `OBV is falling`, `revenue is growing`, `the position is up`."""

from dataclasses import replace

from engine.grounding.grammar.clause import emit_state
from engine.grounding.grammar.state import ReaderState, Subject
from engine.grounding.words import categories as c

_NEAR = 8


def flush_direction(state: ReaderState, index: int) -> None:
    """Read `OBV is falling`: a direction no number came after."""
    if state.link.move is None or state.clause.subject is None or state.clause.has_value or state.clause.muted or state.link.past:
        return
    direction, at = state.link.move
    if state.link.negation is not None and state.link.negation < at:  # `rising without follow-through` is rising
        return
    if grows(state.clause.subject) and not state.items[at].mode and state.clause.open_number is None:
        emit_growth(state, state.clause.subject, direction, at)
    elif state.clause.subject.kind in {"flow", "oi"} and not state.items[at].mode and state.clause.open_number is None:
        emit_state(
            state,
            "rising" if direction > 0 else "falling",
            state.clause.subject,
            min(state.clause.subject.at, at),
            max(state.clause.subject.at, at),
            at,
        )
        state.topic = state.clause.subject
    elif state.clause.subject.named.indicator.base == "side" and not state.items[at].mode and stands_alone(state, at, index):
        profit = Subject(state.table.named("profit_pct"), state.clause.subject.at)
        emit_state(state, "in_profit" if direction > 0 else "in_loss", profit, profit.at, at, at)
    state.link.move = None


def stands_alone(state: ReaderState, at: int, index: int) -> bool:
    """Recognise `the position is up.`: a verb before the direction and nothing behind it."""
    assert state.clause.subject is not None
    if at - state.clause.subject.at > _NEAR or index - at > _NEAR:
        return False
    between = state.items[state.clause.subject.at + 1 : at]
    joined = state.clause.verb_seen and all(item.cat in {c.LINK, c.FILL, c.NOW} for item in between)
    return joined and all(item.cat == c.FILL for item in state.items[at + 1 : index])


def grows(subject: Subject) -> bool:
    """Return whether it is a sum whose growth is a fact of its own: revenue, earnings, cash flow."""
    return bool(subject.named.indicator.change) and subject.kind in {"amount", "per_share"}


def emit_growth(state: ReaderState, subject: Subject, direction: int, at: int) -> None:
    """Emit that a sum grows or shrinks: said of its growth."""
    growth = replace(subject, named=replace(state.table.named(subject.named.indicator.change), frame=subject.named.frame))
    emit_state(state, "growing" if direction > 0 else "shrinking", growth, min(subject.at, at), max(subject.at, at), at)
    state.topic = subject
