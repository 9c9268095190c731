"""A run in one JSON document, and whether everything in it still follows from its inputs.

A bundle holds the request, the inputs, the events, the final state, what people dispute of it and its repetitions. To verify it is to
play the run again, offline: the inputs' hash and whatever is measured in them are recomputed, the recorded answers are given once more, and
every field that comes of it must be the one that is written there; so must what each repetition came to. Only what a clock or a price list
says, and where files are, is left out.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, Final

from langgraph.checkpoint.memory import InMemorySaver
from pydantic import ValidationError

from engine.agents.access import ModelAccess, Recall
from engine.agents.recording import Recording, recorded
from engine.domain.dispute import Dispute
from engine.domain.errors import BadInput
from engine.domain.events import Event, EventData
from engine.domain.inputs import Inputs
from engine.domain.json_differences import differences, shortened
from engine.domain.roles import Role
from engine.domain.run import Origin, RunRecord
from engine.domain.stability import Repetition, decided_action, stability_of
from engine.domain.text.reason import Reason, printed, reread, with_reasons
from engine.flows.play import play
from engine.flows.protocol import Earlier, Flow, RunParts
from engine.llm.calls import CallPolicy
from engine.llm.protocol import Model
from engine.runs.chance import chance_of
from engine.runs.deps import flow_of
from engine.runs.prompt_versions import hash_field
from engine.runs.read_texts import read_texts
from engine.runs.recall import RecallOfBoth, RecallOfParent, recall_of_parent
from engine.runs.repeater import repeated_fork

FORMAT, VERSION = "tribunal-run", 3
_NOT_COMPARED = ("total_cost", "did_it_matter", "stability", "proposal_id", "execution_record", "chart_image_path", "reasons")
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
    repetitions: Sequence[Repetition] = (),
) -> dict[str, Any]:
    """Return everything there is of a finished run, as plain JSON: its reasons are texts, and `reasons` has their keys and values.

    earlier: hash -> inputs that its words are about beside its own. disputes: of its claims, as they stand when the bundle is made.
    repetitions: those that its `stability` is of.
    """
    bundle = {
        "format": FORMAT,
        "version": VERSION,
        "run": record.model_dump(mode="json"),
        **flow.pack(inputs, earlier),
        "events": [event.model_dump(mode="json") for event in events],
        "disputes": [dispute.model_dump(mode="json") for dispute in disputes],
        "repetitions": [each.model_dump(mode="json") for each in repetitions],
    }
    return with_reasons(bundle)


async def disagreements(bundle: Mapping[str, Any], flows: Mapping[str, Flow]) -> list[str]:
    """Return what does not agree in a bundle, a line each, at most 50; empty when all does. Raises BadInput for what is no bundle."""
    bundle = reread(bundle)
    record, events, disputes, repetitions = _read(bundle)
    flow = flow_of(flows, record.request)
    inputs, earlier = _unpacked(flow, bundle)
    state = record.result
    assert state is not None
    found = [*_numbering(events), *_misnamed(earlier), *_about_nothing(disputes, record, events)]
    named = flow.inputs_hash(state)
    if inputs.hash != named:
        found.append(Reason("bundle_inputs_are_others", kind=inputs.kind, hash=inputs.hash, named=named))
    said = recorded(events)
    recall = recall_of_parent(flow, Origin(run_id=record.run_id), said)
    played, _ = await _play_again(flow, record, inputs, recall, earlier, events)
    found += _differences(_compared(state), _compared(played), "")
    found += [fault async for fault in _misrepeated(flow, record, inputs, said, earlier, repetitions)]
    return found[:_MOST_LINES]


def _read(bundle: Mapping[str, Any]) -> tuple[RunRecord, list[Event], list[Dispute], list[Repetition]]:
    if bundle.get("format") != FORMAT:
        raise BadInput(Reason("this_is_no_run_bundle", value=f"{str(bundle.get('format'))[:40]!r}", format=f"{FORMAT!r}"))
    if bundle.get("version") != VERSION:
        found = str(bundle.get("version"))[:10]
        raise BadInput(Reason("this_bundle_has_version", found=found, version=VERSION))
    try:
        record = RunRecord.model_validate(bundle.get("run"))
        events = [Event.model_validate(row) for row in bundle.get("events") or ()]
        disputes = [Dispute.model_validate(row) for row in bundle.get("disputes") or ()]
        repetitions = [Repetition.model_validate(row) for row in bundle.get("repetitions") or ()]
    except _UNREADABLE as problem:
        raise _unreadable(problem) from None
    if record.result is None:
        raise BadInput(Reason("run_has_no_decision_to_verify", run_id=record.run_id, status=record.status))
    return record, events, disputes, repetitions


def _unpacked(flow: Flow, bundle: Mapping[str, Any]) -> tuple[Inputs, Mapping[str, Inputs]]:
    try:
        return flow.unpack(bundle)
    except _UNREADABLE as problem:
        raise _unreadable(problem) from None


def _unreadable(problem: Exception) -> BadInput:
    return BadInput(Reason("bundle_cannot_be_read", problem=" ".join(str(problem).split())[:200]))


def _numbering(events: Sequence[Event]) -> Iterator[str]:
    for number, event in enumerate(events, 1):
        if event.seq != number:
            yield Reason("bundle_event_is_misplaced", seq=event.seq, place=number)
            return


def _misnamed(earlier: Mapping[str, Inputs]) -> Iterator[str]:
    for name, inputs in earlier.items():
        if inputs.hash != name:
            yield Reason("bundle_earlier_inputs_are_others", name=name[:16], hash=inputs.hash)


def _about_nothing(disputes: Sequence[Dispute], record: RunRecord, events: Sequence[Event]) -> Iterator[str]:
    struck = {claim.id for read in read_texts(events) for claim in read.claims if claim.is_struck} if disputes else frozenset()
    for dispute in disputes:
        if dispute.run_id != record.run_id or dispute.claim.id not in struck:
            yield Reason("bundle_dispute_is_about_nothing", text=shortened(dispute.claim.text), role=dispute.claim.source)


def _earlier_by_node(flow: Flow, state: Mapping[str, Any], earlier: Mapping[str, Inputs]) -> dict[str, Earlier]:
    """Return the earlier inputs that the words are about, as far as the bundle holds them."""
    entries = {node: (str(entry["run_id"]), flow.inputs_hash(entry)) for node, entry in (state.get("said_on") or {}).items()}
    return {node: Earlier(run_id, earlier[name]) for node, (run_id, name) in entries.items() if name in earlier}


async def _misrepeated(
    flow: Flow, record: RunRecord, inputs: Inputs, said: Recording, earlier: Mapping[str, Inputs], repetitions: Sequence[Repetition]
) -> AsyncIterator[str]:
    """Yield what does not follow from the words of the repetitions: what each came to, and how far they agree."""
    state = record.result or {}
    for each in repetitions:
        fork = repeated_fork(flow, record, each.start)
        recall = RecallOfBoth(recorded(each.events), RecallOfParent(record.run_id, said, fork, complete=False))
        played, context = await _play_again(flow, record, inputs, recall, earlier, ())
        written = each.answer.decided if each.answer is not None else {}
        for fault in _differences(printed(written), printed(flow.work().repeated(played, context).decided), ""):
            yield Reason("bundle_repetition_differs", n=each.n, fault=fault)
    of_words = stability_of(record.run_id, decided_action(state), repetitions).to_json() if repetitions else None
    for fault in _differences(state.get("stability"), of_words, "stability"):
        yield fault


async def _play_again(
    flow: Flow, record: RunRecord, inputs: Inputs, recall: Recall, earlier: Mapping[str, Inputs], events: Sequence[Event]
) -> tuple[dict[str, Any], Any]:
    """Return the final state, and the context it was made in. events: the log that says what prompts it was asked with."""
    emitted: list[Event] = []
    request = record.request

    def emit(node: str | None, data: EventData) -> None:
        emitted.append(Event(seq=len(emitted) + 1, run_id=record.run_id, at=record.created_at, kind=data.kind, node=node, data=data))

    access = ModelAccess(_no_model, CallPolicy(), request.language, chance_of(inputs, request.account_ref), emit, recall=recall)
    context = flow.work().context(
        RunParts(record, inputs, access, lambda: record.created_at, _earlier_by_node(flow, record.result or {}, earlier))
    )
    graph = flow.work().build(request, InMemorySaver())
    first = {**flow.work().first_state(context, request), **hash_field(events)}
    ended = await play(flow, graph, context, first, record.run_id, lambda: emitted)
    await asyncio.sleep(0)  # lets the token logs' timers go
    return ended.state, context


def _no_model(role: Role, node: str) -> Model:
    raise BadInput(Reason("bundle_holds_no_answer_of", node=node))


def _compared(state: Mapping[str, Any]) -> dict[str, Any]:
    return {key: printed(value) for key, value in state.items() if key not in _NOT_COMPARED}


def _differences(written: object, found: object, path: str) -> Iterator[str]:
    """Yield where two JSON values differ, the clock left out."""
    for each in differences(written, found, path, _CLOCK):
        yield Reason("bundle_state_differs", path=each.path, written=shortened(each.written), found=shortened(each.found))
