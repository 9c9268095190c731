"""The strip of the desk's steps: state, seconds, false numbers, and who worked when, as bars on the step's own time axis."""

from collections.abc import Sequence
from datetime import datetime

from markupsafe import Markup

from engine.domain.proposal import Proposal
from pages.equities.equity_view import ADVISOR, AGAIN, ROOMS, EquityView, SpokenTurn, role_of_node
from pages.equities.pieces import NOTHING
from pages.frame import numbers
from pages.frame.cards import share, tint
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.node_state import clock_of, state
from pages.run.view import NodeState, NodeView, RunView
from pages.trading.proposal_state import NOT_PREVIEWED, PreviewState, chip_of, countdown, filed_word, left_pct

STEPS = ("analysts", "memory", "fusion", "research", "risk", "trader")
INDEX_STEPS = ("analysts", "memory", "fusion", "strategy")
_ROOM = 14.0  # px of height that parallel bars share


def step_names(view: EquityView) -> tuple[str, ...]:
    """Return the steps that the machine takes, in order."""
    return INDEX_STEPS if view.is_index else STEPS


def begun_step(view: EquityView) -> int:
    """Return the number of the newest step that has begun, from 1."""
    return max((index for index, name in enumerate(step_names(view), 1) if _nodes(view, name)), default=1)


def step_strip(
    view: RunView, show: Show, proposal: Proposal | None = None, preview_state: PreviewState = NOT_PREVIEWED, *, still: bool = False
) -> Markup:
    """Return the steps, in order; the last one is the reader's. proposal, preview_state: what the run was filed as, and what it would
    meet now. still: in a file, where nobody signs and no clock runs."""
    run = view if isinstance(view, EquityView) else EquityView()
    now, say = clock_of(run, show), show.say
    names = step_names(run)
    machine = joined(_step(run, name, names[index + 1 :], show, now) for index, name in enumerate(names))
    you = _you(run, show) if proposal is None else _signature(proposal, preview_state, show, still=still)
    short = " index" if run.is_index else ""
    return markup('<div class="tb tb-steps n{}" role="list" aria-label="{}">{}{}</div>', short, say("steps"), machine, you)


def _nodes(view: EquityView, step: str) -> list[NodeView]:
    """Return the nodes of a step that have started."""
    started = [node for node in view.nodes.values() if node.started_at is not None]
    if step == "analysts":
        return [node for node in started if node.stage == "analysis" and role_of_node(node.name) != ADVISOR]
    if step == "strategy":
        return [node for node in started if node.stage == "analysis" and role_of_node(node.name) == ADVISOR]
    return [node for node in started if node.stage == step]


def _closed(view: EquityView, step: str, nodes: Sequence[NodeView], later: Sequence[str]) -> bool:
    """Return whether a step is over: whoever closes it has ended, or a later one has begun."""
    if any(_nodes(view, name) for name in later if name != "memory"):
        return True
    last = ROOMS[step][-1] if step in ROOMS else None
    if last is not None:
        return view.node(last).ended
    return all(node.ended for node in nodes) and (step != "analysts" or view.ending is not None or _nodes(view, "fusion") != [])


def _step(view: EquityView, name: str, later: Sequence[str], show: Show, now: datetime | None) -> Markup:
    say, nodes = show.say, _nodes(view, name)
    title = say(f"eq_step_{name}")
    if not nodes:
        if name == "memory" and _nodes(view, "fusion"):  # every report was there already: no summary was due
            return _html(title, "done", say("eq_kept"), "", NOTHING, now_on=False)
        word = "not_reached" if view.ending else "waiting"
        return _html(title, "stopped" if view.ending else "waiting", say(word), "", NOTHING, now_on=False)
    if any(node.state == "failed" for node in nodes):
        kind: NodeState = "failed"
    elif _closed(view, name, nodes, later):
        kind = "done"
    else:
        kind = "stopped" if view.ending else "running"
    begin = min(node.started_at for node in nodes if node.started_at is not None)
    ends = [node.ended_at for node in nodes if node.ended_at is not None]
    end = max(ends, default=now) if kind != "running" else now
    end = end or begin
    spent = numbers.seconds((end - begin).total_seconds())
    false = sum(claim.verdict == "false" for speech in view.said_by(*ROOMS.get(name, ())) for claim in speech.claims)
    spent = f"{false} ✕ · {spent}" if false else spent
    word = say("writing" if kind == "running" else kind)
    return _html(title, kind, word, spent, _bars(view, name, nodes, begin, end), now_on=kind == "running")


def _you(view: EquityView, show: Show) -> Markup:
    """Return the reader's step without a proposal."""
    say, filed = show.say, view.filed
    kind: NodeState = "waiting" if view.ending is None and filed is None else "stopped"
    words = say("waiting" if view.ending is None else "nothing_to_sign") if filed is None else filed_word(filed, say)
    return _html(say("you"), kind, words, "", NOTHING, now_on=False)


def _signature(proposal: Proposal, preview_state: PreviewState, show: Show, *, still: bool) -> Markup:
    """Return whether it waits for the reader, and for how long; else what became of it."""
    say, now = show.say, show.now or proposal.changed_at
    if not proposal.is_waiting or still:
        kind: NodeState = "stopped"
        if proposal.state in ("filled", "approved", "sent", "failed", "unknown"):
            kind = "done" if proposal.state == "filled" else "running" if proposal.state in ("approved", "sent") else "failed"
        return _html(say("you"), kind, chip_of(proposal, preview_state, say).words, "", NOTHING, now_on=False)
    left = markup('<span class="human" style="left:0%;width:{}%;top:6px"></span>', share(left_pct(proposal, now)))
    return _html(say("you"), "waiting", say("your_call"), countdown(proposal, now), left, now_on=True)


def _html(name: str, kind: NodeState, words: str, spent: str, bars: Markup, *, now_on: bool) -> Markup:
    title = markup('<div class="t">{} {}</div>', name, state(kind, words))
    below = markup('<div class="b2"><div class="bars" aria-hidden="true">{}</div><span class="sec">{}</span></div>', bars, spent)
    css_class, current = (" now", Markup(' aria-current="step"')) if now_on else ("", NOTHING)
    return markup('<div class="tb-step{}" role="listitem"{}>{}{}</div>', css_class, current, title, below)


def _bars(view: EquityView, step: str, nodes: Sequence[NodeView], begin: datetime, end: datetime) -> Markup:
    """Return a bar for every speech of a debate, else for every node; a second try is drawn behind the first."""
    span = max((end - begin).total_seconds(), 1e-3)
    if step in ROOMS:
        rows = ROOMS[step]
        return joined(_bar(each, rows.index(each.node), len(rows), begin, span, end) for each in view.said_by(*rows))
    names = list(dict.fromkeys(node.name.removesuffix(AGAIN) for node in nodes))
    pieces = []
    for node in nodes:
        speech = SpokenTurn(node.name, 0, node.state, node.started_at, node.ended_at)
        pieces.append(_bar(speech, names.index(node.name.removesuffix(AGAIN)), len(names), begin, span, end))
    return joined(pieces)


def _bar(speech: SpokenTurn, row: int, rows: int, begin: datetime, span: float, end: datetime) -> Markup:
    if speech.started_at is None:
        return NOTHING
    left = 100 * (speech.started_at - begin).total_seconds() / span
    width = max(100 * ((speech.ended_at or end) - speech.started_at).total_seconds() / span, 1.5)
    css_class = tint(role_of_node(speech.node)) + (" bad" if speech.state in ("failed", "abstained") else "")
    top = f"{row * _ROOM / max(rows, 2):.1f}"
    return markup(
        '<span class="{}" style="left:{}%;width:{}%;top:{}px"></span>', css_class, share(left), share(min(width, 100 - left)), top
    )
