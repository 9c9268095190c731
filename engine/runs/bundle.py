"""A run in one JSON document, and whether everything in it still follows from what it was decided on.

A bundle holds the request, the snapshot, the events and the final state. To verify it is to decide again, offline: the snapshot's hash and
its facts are recomputed, the recorded answers are given once more, and every verdict, correction, limit and field that comes of it must be
the one that is written there. Only what a clock or a price list says is left out.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from pydantic import JsonValue, ValidationError

from engine.agents.access import ModelAccess
from engine.domain.errors import BadInput
from engine.domain.events import Event, EventKind
from engine.domain.roles import Role
from engine.domain.run import Origin, RunRecord
from engine.domain.snapshot import Snapshot
from engine.facts.sheet import build_sheet
from engine.flows.decision.analysts import ANALYSTS
from engine.flows.decision.context import DecisionContext, Said
from engine.flows.decision.graph import build_graph
from engine.flows.decision.play import play
from engine.flows.decision.start import first_state
from engine.llm.calls import CallPolicy
from engine.llm.protocol import Model
from engine.runs.planted import planted_lies
from engine.runs.recording import recall_of, recorded_answers

FORMAT, VERSION = "tribunal-run", 1
_LATER = ("refused_decision",)
_NOT_COMPARED = ("total_cost", "did_it_matter", "proposal_id")
_CLOCK = ("created_at", "completed_at", "_timestamp", "_duration_ms", "queued_ms")
_MOST_TOLD = 50


def make_bundle(record: RunRecord, snapshot: Snapshot, events: Sequence[Event], said_on: Mapping[str, Snapshot]) -> dict[str, Any]:
    """Everything there is of a finished run, as plain JSON. said_on: hash -> snapshot of earlier markets that its words are about."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "run": record.model_dump(mode="json"),
        "snapshot": snapshot.to_json(),
        "events": [event.to_json() for event in events],
        **({"said_on": {name: earlier.to_json() for name, earlier in said_on.items()}} if said_on else {}),
    }


async def disagreements(bundle: Mapping[str, Any]) -> list[str]:
    """What does not agree in a bundle, a line each, at most 50; empty when everything does. Raises BadInput for what is no bundle."""
    record, snapshot, events, earlier = _read(bundle)
    state = record.result
    assert state is not None
    found = [*_numbering(events), *_misnamed(earlier)]
    if snapshot.hash != state.get("snapshot_hash"):
        found.append(f"snapshot: its hash is {snapshot.hash}, the state was decided on {state.get('snapshot_hash')}")
    played = await _decide_again(record, snapshot, events, earlier)
    found += _differences(_compared(state), _compared(_as_written(played, state)), "")
    return found[:_MOST_TOLD]


def _read(bundle: Mapping[str, Any]) -> tuple[RunRecord, Snapshot, list[Event], dict[str, Snapshot]]:
    if bundle.get("format") != FORMAT or bundle.get("version") != VERSION:
        raise BadInput(f"this is no run bundle of version {VERSION}: its format is {str(bundle.get('format'))[:40]!r}")
    try:
        record = RunRecord.model_validate(bundle.get("run"))
        events = [Event.model_validate(row) for row in bundle.get("events") or ()]
        snapshot = Snapshot.from_json(bundle["snapshot"])
        earlier = {str(name): Snapshot.from_json(each) for name, each in (bundle.get("said_on") or {}).items()}
    except (ValidationError, KeyError, TypeError, ValueError, AttributeError) as problem:
        raise BadInput(f"the bundle cannot be read: {' '.join(str(problem).split())[:200]}") from None
    if record.result is None:
        raise BadInput(f"run {record.run_id} has no decision to verify: it has {record.status}")
    return record, snapshot, events, earlier


def _numbering(events: Sequence[Event]) -> Iterator[str]:
    for place, event in enumerate(events, 1):
        if event.seq != place:
            yield f"events: number {event.seq} stands in place {place}"
            return


def _misnamed(earlier: Mapping[str, Snapshot]) -> Iterator[str]:
    for name, snapshot in earlier.items():
        if snapshot.hash != name:
            yield f"said_on: the hash of {name[:16]} is {snapshot.hash}"


def _said_on(state: Mapping[str, Any], earlier: Mapping[str, Snapshot]) -> dict[Role, Said]:
    """The earlier markets that the words are about, as far as the bundle holds them."""
    sheets = {name: build_sheet(snapshot) for name, snapshot in earlier.items()}
    told = {role: (str(said["run_id"]), str(said["snapshot_hash"])) for role, said in (state.get("said_on") or {}).items()}
    return {role: Said(run_id, name, earlier[name].at, sheets[name]) for role, (run_id, name) in told.items() if name in earlier}


async def _decide_again(record: RunRecord, snapshot: Snapshot, events: Sequence[Event], earlier: Mapping[str, Snapshot]) -> dict[str, Any]:
    told: list[Event] = []
    request = record.request

    def emit(kind: EventKind, node: str | None, data: Mapping[str, JsonValue]) -> None:
        told.append(Event(seq=len(told) + 1, run_id=record.run_id, at=record.created_at, kind=kind, node=node, data=dict(data)))

    recall = recall_of(Origin(run_id=record.run_id), recorded_answers(events), frozenset())
    access = ModelAccess(_no_model, CallPolicy(), request.language, snapshot.hash, emit, recall=recall)
    context = DecisionContext(record.run_id, snapshot, build_sheet(snapshot), access, request.risk, lambda: record.created_at)
    context = replace(context, said_on=_said_on(record.result or {}, earlier))
    final = await play(build_graph(ANALYSTS, request.depth, InMemorySaver()), first_state(context, request), context)
    await asyncio.sleep(0)  # lets the token logs' timers go
    return final | {"planted": planted_lies(told, final)}


def _no_model(role: Role) -> Model:
    raise BadInput(f"the bundle holds no answer of {role}")


def _as_written(played: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
    """An older version wrote fewer keys: the limits it did not know stand at what they mean when they are left out."""
    again = {key: value for key, value in played.items() if key in state or key not in _LATER}
    known = state.get("risk_config")
    if not isinstance(known, dict):
        return again
    return {**again, "risk_config": {key: value for key, value in played["risk_config"].items() if key in known}}


def _compared(state: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in state.items() if key not in _NOT_COMPARED}


def _differences(written: object, found: object, path: str) -> Iterator[str]:
    """Where two JSON values differ, the clock left out."""
    if isinstance(written, dict) and isinstance(found, dict):
        for key in sorted({*written, *found}):
            if not key.endswith(_CLOCK):
                yield from _differences(written.get(key), found.get(key), f"{path}.{key}" if path else key)
    elif isinstance(written, list) and isinstance(found, list) and len(written) == len(found):
        for place, (one, other) in enumerate(zip(written, found, strict=True)):
            yield from _differences(one, other, f"{path}[{place}]")
    elif written != found:
        yield f"{path}: {_short(written)} is written, {_short(found)} follows"


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."
