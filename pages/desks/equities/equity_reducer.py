"""Given the events of a run of the equities desk, gives its view. What every run has is reduced by `pages.run.reducer`; here is what is the
desk's own: claims that are known before a turn has ended, or that a second reader has read, and the memory of the analysts."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from pydantic import ValidationError

from engine.domain.claims import Claim
from engine.domain.events import Event, GroundingCorrected, MemoryRead, MemoryWritten, NodeFailed, NodeFinished
from pages.desks.equities.equity_view import EquityView
from pages.run.reducer import ViewReducer
from pages.run.view import Turn


def reduce_equities(events: Iterable[Event], view: EquityView | None = None) -> EquityView:
    """Return the view after `events`, which follow those `view` was made from."""
    return EQUITIES.reduce(events, view)


def _each(view: EquityView, change: Callable[[Turn], Turn]) -> EquityView:
    return replace(view, turns=tuple(change(turn) for turn in view.turns))


def _read(view: EquityView, event: Event, data: NodeFinished | NodeFailed) -> EquityView:
    """Return the view with what a second reader said of claims of others."""
    read = {claim.id: claim for claim in data.claims}
    if not read or not view.turn(event.node or "").is_reader:
        return view
    return _each(view, lambda turn: replace(turn, claims=tuple(read.get(claim.id, claim) for claim in turn.claims)))


def _memory_read(view: EquityView, event: Event, data: MemoryRead) -> EquityView:
    return replace(view, memory_read={**view.memory_read, event.node or data.name: data.body or {}})


def _memory_written(view: EquityView, event: Event, data: MemoryWritten) -> EquityView:
    return replace(view, memory_written={**view.memory_written, data.name: data.body})


def _corrected(view: EquityView, event: Event, data: GroundingCorrected) -> EquityView:
    """Keep a false claim of a turn that has not told its claims yet."""
    speaking = view.turn(event.node or "")
    if speaking.ended or data.start is None or data.end is None:
        return view
    fields = {**data.to_json(), "value_start": data.start, "value_end": data.end, "relation": "=", "verdict": "false"}
    try:
        claim = Claim.model_validate({name: fields[name] for name in Claim.model_fields if name in fields})
    except ValidationError:
        return view
    return _each(view, lambda turn: replace(turn, claims=(*turn.claims, claim)) if turn is speaking else turn)


EQUITIES: Final = ViewReducer(
    EquityView(),
    {
        NodeFinished: _read,
        NodeFailed: _read,
        MemoryRead: _memory_read,
        MemoryWritten: _memory_written,
        GroundingCorrected: _corrected,
    },
)
"""How the log of a run of the desk is read."""
