"""What grounding found in a whole run: counts and corrections over everything that was said in it, read again out of the events. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.agents.claim_reader import as_read
from engine.agents.heard import moved_by
from engine.agents.reader_nodes import is_reader
from engine.agents.recording import planted_values, recorded
from engine.desks.equities.analyst import node_of
from engine.desks.equities.answers import claim_spans
from engine.desks.equities.checking import claims_in, corrected
from engine.desks.equities.context import EquitiesContext
from engine.desks.equities.memory import report_name
from engine.desks.equities.state import Json
from engine.domain.claims import Claim
from engine.domain.ended import Memory
from engine.domain.events import Event, NodeFailed, NodeFinished
from engine.grounding.report.summary import false_claim_details
from engine.grounding.result import checked_counts, result_of

_BETWEEN: Final = "\n\n"


def said_claims(events: Sequence[Event], context: EquitiesContext) -> list[Claim]:
    """Return every claim that was read in the run. Reports that were reused were checked when they were written."""
    claims: list[Claim] = []
    for node, turns in _turns(events).items():
        at = 0
        for turn in turns:  # each by itself, as it was read when it was said
            claims += [moved_by(claim, at) for claim in claims_in(context, node, turn, claim_spans(turn))]
            at += len(turn) + len(_BETWEEN)
    return _confirmed(claims, events)


def counted_memory(memory: Memory, analyst: str, record: Json, context: EquitiesContext, events: Sequence[Event]) -> Memory:
    """Return an analyst's report as it counts once the second reader has answered, any other memory as it is. A later run that reuses it
    reads its corrections and counts, and asks no reader again. record: of the analyst."""
    if memory.name != report_name(analyst):
        return memory
    said = str(record["report"])
    claims = _confirmed(claims_in(context, node_of(analyst, record["attempts"]), said, claim_spans(said)), events)
    false, checked = checked_counts(claims)
    unread = sum(claim.is_struck and claim.confirmed is None for claim in claims)
    counts = {"false_claims": false, "checked_claims": checked, "unread": unread}
    return memory.model_copy(update={"body": {**memory.body, "text": corrected(context, said, claims), **counts}})


def grounding_fields(claims: Sequence[Claim]) -> Json:
    """Return the counts, details and corrections of the state."""
    result = result_of(claims, {claim.source for claim in claims})
    return {
        "total_claims": result.total_claims,
        "verified_claims": result.verified_claims,
        "false_claims": result.false_claims,
        "unverifiable_claims": result.unverifiable_claims,
        "false_claim_details": [dict(item) for item in false_claim_details(result)],
        "corrections": [each.model_dump(mode="json") for each in result.corrections],
    }


def _confirmed(claims: Sequence[Claim], events: Sequence[Event]) -> list[Claim]:
    """Return claims as they count after the second reader. Events place a claim in its turn or report, `claims` in all that a node said:
    where one says the same twice, the first is the first in both."""
    ends = (event.data for event in events if isinstance(event.data, NodeFinished | NodeFailed))
    read = {(*_content(claim), claim.start): claim for data in ends for claim in data.claims if claim.confirmed is not None}
    alike: dict[tuple[Any, ...], list[Claim]] = {}
    for claim in read.values():
        alike.setdefault(_content(claim), []).append(claim)
    return [as_read(claim, alike[_content(claim)].pop(0)) if claim.is_struck and alike.get(_content(claim)) else claim for claim in claims]


def _content(claim: Claim) -> tuple[Any, ...]:
    return claim.source, claim.key, claim.relation, claim.claimed, claim.text


def spoken(events: Sequence[Event]) -> Mapping[str, str]:
    """Return node -> all it said, its turns one behind the other, in the order of the nodes' names: who was first of those that speak at
    once is chance."""
    return {node: _BETWEEN.join(said) for node, said in _turns(events).items()}


def _turns(events: Sequence[Event]) -> Mapping[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for (node, _), answer in sorted(recorded(events).answers.items(), key=lambda item: item[0]):
        if answer.text and not node.endswith("_memory") and not is_reader(node):
            texts.setdefault(node, []).append(answer.text)
    return texts


def planted_lies(events: Sequence[Event], false: Sequence[Mapping[str, Any]]) -> list[Json]:
    """Return `{"role","key","stated","true","caught"}` for every value that was false on purpose, role by role: analysts speak at once, and
    who was first is chance. false: the details of what was found to be false."""
    found = {(str(each["source"]).removesuffix("_again"), each["key"]) for each in false}
    lies = sorted(planted_values(events), key=lambda lie: lie.role)
    return [{**lie.to_json(), "caught": (lie.role, lie.key) in found} for lie in lies]
