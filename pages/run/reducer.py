"""Given the events of one run, gives the view that pages draw. Pure: the same events give the same view, in one go or in pieces.

    view = reducer.reduce(new_events, view)

This is what runs of every flow have; what a flow's own events change is in its room, beside its view. Events already seen (a `seq`
not above the view's) change nothing, so overlapping polls are harmless. It never raises for a prefix of a log, and never for `data` of an
unknown shape: what cannot be read is missing in the view.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from engine.domain.events import (
    Event,
    EventData,
    LimitsChecked,
    ModelAnswered,
    ModelPlanted,
    NodeFailed,
    NodeFinished,
    NodeRetried,
    NodeStarted,
    NodeTokens,
    ProposalFiled,
    RunFinished,
    RunResumed,
    RunStarted,
    RunStopped,
    ToolAnswered,
    ToolCalled,
)
from engine.domain.text.plain_json import read_object
from engine.domain.text.reason import Reason
from pages.frame import json_fields as read
from pages.run.view import Call, Ending, Filed, PlantedLie, Retry, RunView, Turn

V = TypeVar("V", bound=RunView)


@dataclass(frozen=True)
class ViewReducer(Generic[V]):
    """How the log of a flow's runs is read. empty: its view before any event. own: what an event changes of the flow's own part, by the
    type of its data, as `step(view, event, data) -> view`; it is given the view with the shared part updated already."""

    empty: V
    own: Mapping[type[EventData], Callable[[V, Event, Any], V]] = field(default_factory=dict)

    def reduce(self, events: Iterable[Event], view: V | None = None) -> V:
        """Return the view after `events`, which follow those `view` was made from; None: from the beginning."""
        now = view if view is not None else self.empty
        for event in events:
            if event.seq > now.seq:
                kind = type(event.data)
                shared, own = _STEPS.get(kind), self.own.get(kind)
                now = shared(now, event, event.data) if shared else now
                now = own(now, event, event.data) if own else now
                now = replace(now, seq=event.seq, run_id=event.run_id, last_at=event.at, faults=now.faults.after(event))
        return now


def _run_started(view: V, event: Event, data: RunStarted) -> V:
    return replace(view, opening=view.reads.read(data.to_json()), started_at=event.at)


def _turn(view: V, event: Event) -> Turn:
    return view.turn(event.node or "")


def _keep(view: V, turn: Turn) -> V:
    turns = list(view.turns)
    place = next((place for place, known in enumerate(turns) if (known.name, known.n) == (turn.name, turn.n)), len(turns))
    turns[place : place + 1] = [turn]
    return replace(view, turns=tuple(turns))


def _begun(turn: Turn, event: Event) -> dict[str, Any]:
    """Return the beginning of a turn whose start the log does not tell."""
    return {"started_at": turn.started_at or event.at, "from_seq": turn.from_seq or event.seq}


def _node_started(view: V, event: Event, data: NodeStarted) -> V:
    turn = _turn(view, event)
    if turn.ended:  # another round of the debate
        turn = Turn(turn.name, turn.n + 1, earlier=turn.text)
    begun = {**_begun(turn, event), "started_at": event.at, "began_with": data.to_json()}
    return _keep(view, replace(turn, stage=data.stage, state="running", **begun))


def _node_tokens(view: V, event: Event, data: NodeTokens) -> V:
    turn = _turn(view, event)
    attempt = data.attempt or turn.attempt
    texts = {**turn.texts, attempt: turn.texts.get(attempt, "") + data.text}
    first = {attempt: event.at, **turn.first_tokens}
    aside = turn.aside if attempt <= max(turn.texts, default=attempt) else 0
    changes: dict[str, Any] = {"texts": texts, "first_tokens": first, "aside": aside, **_begun(turn, event)}
    if attempt >= turn.attempt and not turn.ended:
        changes |= {"attempt": attempt, "state": "running"}
    return _keep(view, replace(turn, **changes))


def _node_retried(view: V, event: Event, data: NodeRetried) -> V:
    turn = _turn(view, event)
    attempt = data.attempt or turn.attempt + 1
    retry = Retry(at=event.at, attempt=attempt, reason=data.reason, wait_s=data.wait_s, repair=data.repair)
    return _keep(view, replace(turn, state="retrying", attempt=attempt, retries=(*turn.retries, retry)))


def _node_finished(view: V, event: Event, data: NodeFinished) -> V:
    turn = _turn(view, event)
    result = data.result or {key: value for key, value in data.to_json().items() if key not in {"usage", "attempt"}}
    abstained = read.flag(result, "abstained") or turn.state == "abstained"
    ended = replace(
        turn,
        state="abstained" if abstained else "done",
        ended_at=event.at,
        to_seq=event.seq,
        attempt=data.attempt or turn.attempt,
        result=result,
        usage=data.usage or NodeFinished.read(result).usage or turn.usage,
        reason=read.words(result, "reason") or Reason.listed(data.errors) or turn.reason,
        claims=data.claims,
        **_begun(turn, event),
    )
    return _keep(view, ended)


def _node_failed(view: V, event: Event, data: NodeFailed) -> V:
    turn = _turn(view, event)
    ended = replace(
        turn,
        state="abstained" if data.consequence == "abstains" else "failed",
        reason=data.reason or turn.reason,
        ended_at=event.at,
        to_seq=event.seq,
        usage=data.usage or turn.usage,
        **_begun(turn, event),
    )
    return _keep(view, ended)


def _model_answered(view: V, event: Event, data: ModelAnswered) -> V:
    """Keep the calls that were asked for; the words that came with them are no part of what is said."""
    if not data.tool_calls:
        return view
    turn = _turn(view, event)
    asked = tuple(
        Call(call.name, found if (found := read_object(call.arguments)) is not None else call.arguments) for call in data.tool_calls
    )
    return _keep(view, replace(turn, calls=(*turn.calls, *asked), aside=len(turn.texts.get(turn.attempt, ""))))


def _call(view: V, event: Event, n: int, fresh: Call, **changes: Any) -> V:
    """n: which of the node's calls it is, from 1."""
    turn = _turn(view, event)
    calls = [*turn.calls, *[fresh] * (n - len(turn.calls))]  # a log that does not say what was asked for
    calls[n - 1] = replace(calls[n - 1], **changes)
    return _keep(view, replace(turn, calls=tuple(calls)))


def _tool_called(view: V, event: Event, data: ToolCalled) -> V:
    return _call(view, event, data.n, Call(data.tool), tool=data.tool, arguments=data.arguments, executed=True)


def _tool_answered(view: V, event: Event, data: ToolAnswered) -> V:
    changes = {"repeat": data.repeat, "error": data.error, "preview": data.preview, "ms": data.ms}
    return _call(view, event, data.n, Call(data.tool), answered=True, **changes)


def _planted(view: V, event: Event, data: ModelPlanted) -> V:
    return replace(view, planted=(*view.planted, PlantedLie(data.role or event.node or "", data.key, data.stated, data.true)))


def _limits(view: V, event: Event, data: LimitsChecked) -> V:
    return replace(view, limits=data.limits)


def _filed(view: V, event: Event, data: ProposalFiled) -> V:
    return replace(view, filed=Filed(proposal_id=data.proposal_id, state=data.state, why=data.why or "", hash=data.hash))


def _run_finished(view: V, event: Event, data: RunFinished) -> V:
    ending = Ending(
        at=event.at,
        status=data.status,
        action=data.final_action,
        headline=data.headline,
        is_valid=data.is_valid,
        errors=data.errors,
        warnings=data.warnings,
        metrics=data.metrics,
        shown=data.to_json(),
    )
    turns = [_cut(turn, event) for turn in view.turns]
    if view.faults.refused and not data.is_valid:  # the run says it, once for all of them
        turns = [replace(turn, reason=None) if turn.reason == view.faults.refused else turn for turn in turns]
    return replace(view, turns=tuple(turns), ending=ending)


def _cut(turn: Turn, event: Event) -> Turn:
    return turn if turn.ended else replace(turn, state="stopped", ended_at=event.at, to_seq=event.seq)


def _run_stopped(view: V, event: Event, data: RunStopped) -> V:
    errors = (data.reason,) if data.reason else ()
    ending = Ending(at=event.at, status="stopped", action=None, is_valid=False, errors=errors, warnings=(), metrics={})
    return replace(view, turns=tuple(_cut(turn, event) for turn in view.turns), ending=ending)


def _run_resumed(view: V, event: Event, data: RunResumed) -> V:
    """Return the view in which what had been cut waits for its turn again."""
    turns = (
        replace(turn, state="waiting", ended_at=None, to_seq=0) if turn.state in {"stopped", "running"} else turn for turn in view.turns
    )
    return replace(view, turns=tuple(turns), ending=None)


_STEPS: Mapping[type[EventData], Callable[[Any, Event, Any], Any]] = {
    RunStarted: _run_started,
    RunStopped: _run_stopped,
    RunResumed: _run_resumed,
    NodeStarted: _node_started,
    NodeTokens: _node_tokens,
    NodeRetried: _node_retried,
    NodeFinished: _node_finished,
    NodeFailed: _node_failed,
    ModelAnswered: _model_answered,
    ToolCalled: _tool_called,
    ToolAnswered: _tool_answered,
    ModelPlanted: _planted,
    LimitsChecked: _limits,
    ProposalFiled: _filed,
    RunFinished: _run_finished,
}

PLAIN: ViewReducer[RunView] = ViewReducer(RunView())
"""Of a flow that has nothing of its own to say to the pages."""
