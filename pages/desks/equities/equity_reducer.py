"""Given the events of a run of the equities desk, gives its view. Pure: the same events give the same view, in one go or in pieces.

What every run has is reduced by `pages.run.reducer`; here is what is the desk's own: who said what in which turn, the calls of every
analyst, its memory. It never raises for a prefix of a log, and never for `data` of an unknown shape.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import JsonValue, ValidationError

from engine.api import role_of
from engine.domain.claims import Claim
from engine.domain.events import (
    Event,
    EventData,
    GroundingCorrected,
    LimitsChecked,
    MemoryRead,
    MemoryWritten,
    ModelAnswered,
    ModelPlanted,
    NodeFailed,
    NodeFinished,
    NodeRetried,
    NodeStarted,
    NodeTokens,
    RunFinished,
    RunResumed,
    RunStarted,
    RunStopped,
    ToolAnswered,
    ToolCalled,
)
from pages.claims.planted import planted_lie
from pages.desks.equities.arguments import read_arguments
from pages.desks.equities.equity_view import EquityFacts, EquityView, SpokenTurn, ToolTrace
from pages.frame import json_fields as read
from pages.run.reducer import ViewReducer
from pages.run.similar import read_similar
from pages.run.view import READER

_MUTE = ("fusion",)
"""Nodes that say nothing."""


def reduce_equities(events: Iterable[Event], view: EquityView | None = None) -> EquityView:
    """Return the view after `events`, which follow those `view` was made from."""
    return EQUITIES.reduce(events, view)


def _run_started(view: EquityView, event: Event, data: RunStarted) -> EquityView:
    fields = data.to_json()
    largest = read.inner(fields, "largest_order")
    equity = EquityFacts(
        request=data.request,
        symbol=read.words(fields, "symbol") or read.words(data.request, "symbol") or "",
        name=read.words(fields, "name") or "",
        currency=read.words(fields, "currency") or "",
        at=read.instant(fields, "at"),
        trade_date=read.words(fields, "trade_date") or "",
        session=read.words(fields, "trading_session") or read.words(data.request, "session") or "",
        price=read.number(fields, "price"),
        previous_close=read.number(fields, "previous_close"),
        feed=read.words(fields, "feed") or "",
        preset=read.words(fields, "preset") or "stock",
        depth=read.count(fields, "depth") or read.count(data.request, "depth") or 1,
        tool_limit=read.count(fields, "tool_limit"),
        model=read.words(fields, "model") or read.words(data.request, "model") or "",
        analysts=read.texts(fields, "analysts"),
        facts=read.numbers(fields, "facts"),
        account=read.inner(fields, "account"),
        listing=read.inner(fields, "listing"),
        bounds=read.numbers(largest, "bounds"),
        largest=read.number(largest, "value"),
        binding=read.words(largest, "binding") or "",
        missing={key: why for key in read.inner(fields, "missing") if (why := read.words(read.inner(fields, "missing"), key)) is not None},
        notes=read.texts(fields, "notes"),
        inputs_hash=data.inputs_hash or "",
        similar=read_similar(read.rows(fields, "similar")),
    )
    return replace(view, equity=equity)


def _turn(data: EventData) -> int:
    return read.count(data.to_json(), "turn")


def _open(view: EquityView, node: str | None) -> int | None:
    """Return the place of the speech that a node is making; None without one."""
    for index in range(len(view.speeches) - 1, -1, -1):
        if view.speeches[index].node == node:
            return index if view.speeches[index].state in ("running", "retrying", "waiting") else None
    return None


def _change(view: EquityView, index: int | None, **changes: Any) -> EquityView:
    if index is None:
        return view
    speech = replace(view.speeches[index], **changes)
    return replace(view, speeches=(*view.speeches[:index], speech, *view.speeches[index + 1 :]))


def _node_started(view: EquityView, event: Event, data: NodeStarted) -> EquityView:
    if event.node is None or event.node in _MUTE or role_of(event.node) == READER:
        return view
    index = _open(view, event.node)
    if index is not None:  # it was cut off and goes on
        return _change(view, index, state="running")
    fields = data.to_json()
    sent = read.numbers(fields, "sent") if isinstance(fields.get("sent"), dict) else None
    return replace(view, speeches=(*view.speeches, SpokenTurn(event.node, _turn(data), "running", event.at, sent=sent)))


def _node_tokens(view: EquityView, event: Event, data: NodeTokens) -> EquityView:
    index = _open(view, event.node)
    if index is None:
        return view
    speech = view.speeches[index]
    attempt = data.attempt or speech.attempt
    if attempt < speech.attempt:
        return view
    text = speech.text + data.text if attempt == speech.attempt else data.text
    return _change(view, index, text=text, attempt=attempt, state="running")


def _node_retried(view: EquityView, event: Event, data: NodeRetried) -> EquityView:
    return _change(view, _open(view, event.node), state="retrying", reason=data.reason)


def _node_finished(view: EquityView, event: Event, data: NodeFinished) -> EquityView:
    index = _open(view, event.node)
    if index is None:
        return _read(view, data.claims)
    speech, usage = view.speeches[index], data.usage
    return _change(
        view,
        index,
        state="done",
        ended_at=event.at,
        result=data.result or {},
        claims=data.claims or speech.claims,
        reason=None,
        tokens=usage.prompt_tokens + usage.completion_tokens if usage is not None else 0,
    )


def _read(view: EquityView, claims: Sequence[Claim]) -> EquityView:
    """Return the view with what a second reader said of claims of others."""
    read = {claim.id: claim for claim in claims}
    speeches = tuple(replace(each, claims=tuple(read.get(claim.id, claim) for claim in each.claims)) for each in view.speeches)
    return replace(view, speeches=speeches) if read else view


def _node_failed(view: EquityView, event: Event, data: NodeFailed) -> EquityView:
    view = _read(view, data.claims)
    state = "abstained" if data.consequence == "abstains" else "failed"
    return _change(view, _open(view, event.node), state=state, ended_at=event.at, reason=data.reason)


def _answered(view: EquityView, event: Event, data: ModelAnswered) -> EquityView:
    """Keep the calls that were asked for; the words that came with them are no report."""
    if not data.tool_calls or event.node is None:
        return view
    asked = tuple(ToolTrace(call.name, read_arguments(call.arguments)) for call in data.tool_calls)
    trails = {**view.trails, event.node: (*view.trails.get(event.node, ()), *asked)}
    return _change(replace(view, trails=trails), _open(view, event.node), text="")


def _trace(view: EquityView, event: Event, n: int, fresh: ToolTrace, **changes: Any) -> EquityView:
    """n: which of the node's calls it is, from 1."""
    node = event.node or ""
    trail = list(view.trails.get(node, ()))
    while len(trail) < n:  # a log that does not say what was asked for
        trail.append(fresh)
    trail[n - 1] = replace(trail[n - 1], **changes)
    return replace(view, trails={**view.trails, node: tuple(trail)})


def _called(view: EquityView, event: Event, data: ToolCalled) -> EquityView:
    arguments: JsonValue = data.arguments
    return _trace(view, event, data.n, ToolTrace(data.tool, arguments), tool=data.tool, arguments=arguments, executed=True)


def _tool_answered(view: EquityView, event: Event, data: ToolAnswered) -> EquityView:
    changes = {"repeat": data.repeat, "error": data.error, "preview": data.preview, "ms": data.ms}
    return _trace(view, event, data.n, ToolTrace(data.tool), answered=True, **changes)


def _memory_read(view: EquityView, event: Event, data: MemoryRead) -> EquityView:
    return replace(view, memory_read={**view.memory_read, event.node or data.name: data.body or {}})


def _memory_written(view: EquityView, event: Event, data: MemoryWritten) -> EquityView:
    return replace(view, memory_written={**view.memory_written, data.name: data.body})


def _corrected(view: EquityView, event: Event, data: GroundingCorrected) -> EquityView:
    """Keep a false claim of a log whose nodes do not tell their claims."""
    index = _open(view, event.node)
    if index is None or data.start is None or data.end is None:
        return view
    fields = {**data.to_json(), "value_start": data.start, "value_end": data.end, "relation": "=", "verdict": "false"}
    try:
        claim = Claim.model_validate({name: fields[name] for name in Claim.model_fields if name in fields})
    except ValidationError:
        return view
    return _change(view, index, claims=(*view.speeches[index].claims, claim))


def _over(view: EquityView, event: Event) -> EquityView:
    speeches = tuple(
        replace(each, state="stopped", ended_at=event.at) if each.state in ("running", "retrying", "waiting") else each
        for each in view.speeches
    )
    return replace(view, speeches=speeches)


def _run_finished(view: EquityView, event: Event, data: RunFinished) -> EquityView:
    over, because = _over(view, event), view.not_valid_because
    if because == "key":  # the run says why, once for all of them
        over = replace(over, speeches=tuple(replace(each, reason=None) if each.reason else each for each in over.speeches))
    return replace(over, ended_with=data.to_json())


def _run_stopped(view: EquityView, event: Event, data: RunStopped) -> EquityView:
    return _over(view, event)


def _run_resumed(view: EquityView, event: Event, data: RunResumed) -> EquityView:
    speeches = tuple(replace(each, state="waiting", ended_at=None) if each.state == "stopped" else each for each in view.speeches)
    return replace(view, speeches=speeches, ended_with={})


def _planted(view: EquityView, event: Event, data: ModelPlanted) -> EquityView:
    return replace(view, planted=(*view.planted, planted_lie(event, data)))


def _limits(view: EquityView, event: Event, data: LimitsChecked) -> EquityView:
    return replace(view, limits=data.limits)


_STEPS: Mapping[type[EventData], Callable[[EquityView, Event, Any], EquityView]] = {
    RunStarted: _run_started,
    RunFinished: _run_finished,
    RunStopped: _run_stopped,
    RunResumed: _run_resumed,
    NodeStarted: _node_started,
    NodeTokens: _node_tokens,
    NodeRetried: _node_retried,
    NodeFinished: _node_finished,
    NodeFailed: _node_failed,
    ModelAnswered: _answered,
    ToolCalled: _called,
    ToolAnswered: _tool_answered,
    MemoryRead: _memory_read,
    MemoryWritten: _memory_written,
    GroundingCorrected: _corrected,
    ModelPlanted: _planted,
    LimitsChecked: _limits,
}

EQUITIES = ViewReducer(EquityView(), _STEPS)
"""How the log of a run of the desk is read."""
