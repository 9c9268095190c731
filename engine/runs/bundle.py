"""A run in one JSON document, and whether everything in it still follows from its inputs.

A bundle holds the request, the inputs, the events, the final state and what people dispute of it. To verify it is to play the run again,
offline: the inputs' hash and whatever is measured in them are recomputed, the recorded answers are given once more, and every field that
comes of it must be the one that is written there. Only what a clock or a price list says is left out.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from langgraph.checkpoint.memory import InMemorySaver
from pydantic import ValidationError

from engine.agents.access import ModelAccess
from engine.agents.recording import recorded
from engine.domain.dispute import Dispute
from engine.domain.errors import BadInput
from engine.domain.events import Event, EventData
from engine.domain.inputs import Inputs
from engine.domain.roles import Role
from engine.domain.run import Origin, RunRecord
from engine.flows.play import play
from engine.flows.protocol import Earlier, Flow, RunParts
from engine.llm.calls import CallPolicy
from engine.llm.protocol import Model
from engine.runs.deps import flow_of
from engine.runs.read_texts import read_texts
from engine.runs.recall import recall_of_parent

FORMAT, VERSION = "tribunal-run", 1
_NOT_COMPARED = ("total_cost", "did_it_matter", "proposal_id")
_CLOCK = ("created_at", "completed_at", "_timestamp", "_duration_ms", "queued_ms")
_MOST_LINES = 50
_UNREADABLE: Final = (ValidationError, KeyError, TypeError, ValueError, AttributeError)


def make_bundle(
    flow: Flow,
    record: RunRecord,
    inputs: Inputs,
    events: Sequence[Event],
    earlier: Mapping[str, Inputs],
    disputes: Sequence[Dispute] = (),
) -> dict[str, Any]:
    """Return everything there is of a finished run, as plain JSON. earlier: hash -> inputs that its words are about beside its own.
    disputes: of its claims, as they stand when the bundle is made."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "run": record.model_dump(mode="json"),
        **flow.pack(inputs, earlier),
        "events": [event.to_json() for event in events],
        "disputes": [dispute.model_dump(mode="json") for dispute in disputes],
    }


async def disagreements(bundle: Mapping[str, Any], flows: Mapping[str, Flow]) -> list[str]:
    """Return what does not agree in a bundle, a line each, at most 50; empty when all does. Raises BadInput for what is no bundle."""
    record, events, disputes = _read(bundle)
    flow = flow_of(flows, record.request)
    inputs, earlier = _unpacked(flow, bundle)
    state = record.result
    assert state is not None
    found = [*_numbering(events), *_misnamed(earlier), *_about_nothing(disputes, record, events)]
    named = flow.inputs_hash(state)
    if inputs.hash != named:
        found.append(f"{inputs.kind}: the hash of these inputs is {inputs.hash}, the state came of {named}")
    played = await _play_again(flow, record, inputs, events, earlier)
    found += _differences(_compared(state), _compared(flow.as_written(played, state)), "")
    return found[:_MOST_LINES]


def _read(bundle: Mapping[str, Any]) -> tuple[RunRecord, list[Event], list[Dispute]]:
    if bundle.get("format") != FORMAT or bundle.get("version") != VERSION:
        raise BadInput(f"this is no run bundle of version {VERSION}: its format is {str(bundle.get('format'))[:40]!r}")
    try:
        record = RunRecord.model_validate(bundle.get("run"))
        events = [Event.model_validate(row) for row in bundle.get("events") or ()]
        disputes = [Dispute.model_validate(row) for row in bundle.get("disputes") or ()]
    except _UNREADABLE as problem:
        raise _unreadable(problem) from None
    if record.result is None:
        raise BadInput(f"run {record.run_id} has no decision to verify: it has {record.status}")
    return record, events, disputes


def _unpacked(flow: Flow, bundle: Mapping[str, Any]) -> tuple[Inputs, Mapping[str, Inputs]]:
    try:
        return flow.unpack(bundle)
    except _UNREADABLE as problem:
        raise _unreadable(problem) from None


def _unreadable(problem: Exception) -> BadInput:
    return BadInput(f"the bundle cannot be read: {' '.join(str(problem).split())[:200]}")


def _numbering(events: Sequence[Event]) -> Iterator[str]:
    for number, event in enumerate(events, 1):
        if event.seq != number:
            yield f"events: number {event.seq} stands in place {number}"
            return


def _misnamed(earlier: Mapping[str, Inputs]) -> Iterator[str]:
    for name, inputs in earlier.items():
        if inputs.hash != name:
            yield f"said_on: the hash of {name[:16]} is {inputs.hash}"


def _about_nothing(disputes: Sequence[Dispute], record: RunRecord, events: Sequence[Event]) -> Iterator[str]:
    struck = {claim.id for read in read_texts(events) for claim in read.claims if claim.is_struck} if disputes else frozenset()
    for dispute in disputes:
        if dispute.run_id != record.run_id or dispute.claim.id not in struck:
            yield f"disputes: {_short(dispute.claim.text)} of {dispute.claim.source} is no struck claim of this run"


def _earlier_by_node(flow: Flow, state: Mapping[str, Any], earlier: Mapping[str, Inputs]) -> dict[str, Earlier]:
    """Return the earlier inputs that the words are about, as far as the bundle holds them."""
    entries = {node: (str(entry["run_id"]), flow.inputs_hash(entry)) for node, entry in (state.get("said_on") or {}).items()}
    return {node: Earlier(run_id, earlier[name]) for node, (run_id, name) in entries.items() if name in earlier}


async def _play_again(
    flow: Flow, record: RunRecord, inputs: Inputs, events: Sequence[Event], earlier: Mapping[str, Inputs]
) -> dict[str, Any]:
    emitted: list[Event] = []
    request = record.request

    def emit(node: str | None, data: EventData) -> None:
        emitted.append(Event(seq=len(emitted) + 1, run_id=record.run_id, at=record.created_at, kind=data.kind, node=node, data=data))

    recall = recall_of_parent(flow, Origin(run_id=record.run_id), recorded(events))
    access = ModelAccess(_no_model, CallPolicy(), request.language, inputs.hash, emit, recall=recall)
    context = flow.context(
        RunParts(record, inputs, access, lambda: record.created_at, _earlier_by_node(flow, record.result or {}, earlier))
    )
    graph = flow.build(request, InMemorySaver())
    ended = await play(flow, graph, context, flow.first_state(context, request), record.run_id, lambda: emitted)
    await asyncio.sleep(0)  # lets the token logs' timers go
    return ended.state


def _no_model(role: Role, node: str) -> Model:
    raise BadInput(f"the bundle holds no answer of {node}")


def _compared(state: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in state.items() if key not in _NOT_COMPARED}


def _differences(written: object, found: object, path: str) -> Iterator[str]:
    """Yield where two JSON values differ, the clock left out."""
    if isinstance(written, dict) and isinstance(found, dict):
        for key in sorted({*written, *found}):
            if not key.endswith(_CLOCK):
                yield from _differences(written.get(key), found.get(key), f"{path}.{key}" if path else key)
    elif isinstance(written, list) and isinstance(found, list) and len(written) == len(found):
        for index, (one, other) in enumerate(zip(written, found, strict=True)):
            yield from _differences(one, other, f"{path}[{index}]")
    elif written != found:
        yield f"{path}: {_short(written)} is written, {_short(found)} follows"


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."
