"""What a role said, against what was measured: false statements become events, and the next speaker reads them corrected.

Within a debate a speech is corrected by the rules alone, because the next speaker does not wait. Where a second reader is to be asked, it
is asked beside the judge's speech: counts, page and final state go by what it says, and so does what is read of the judge's own words.
"""

from collections.abc import Awaitable, Sequence
from typing import TypeVar

from engine.agents.attached import without_quoted
from engine.agents.claim_question import Strike, StrikeSubject, strikes_in
from engine.agents.claim_reader import Confirmation, beside, confirm, confirm_judge, settled
from engine.agents.heard import heard_words
from engine.agents.reader_nodes import reader_before
from engine.agents.tagging import tags_in
from engine.domain.claims import Claim
from engine.flows.fusion.answers import claim_spans
from engine.flows.fusion.context import FusionContext
from engine.flows.fusion.emitting import emit_corrections
from engine.flows.fusion.sheet import TABLE
from engine.flows.fusion.state import Json
from engine.grounding.correct import correct_text
from engine.grounding.reading import read_claims

Speech = TypeVar("Speech")


def check_words(context: FusionContext, node: str, text: str, spans: Sequence[tuple[int, int]]) -> tuple[Claim, ...]:
    """Return the claims of an answer, and emit which are false. spans: the parts that state something."""
    claims = claims_in(context, node, text, spans)
    emit_corrections(context.access.emit, node, claims)
    return claims


def strikes(context: FusionContext, text: str, claims: Sequence[Claim]) -> list[Json]:
    """Return what a second reader is to be asked about in an answer, for a state; nothing where none is asked."""
    if context.request.reader != "confirmed":
        return []
    return [each.model_dump(mode="json") for each in strikes_in(claims, {claim.source: text for claim in claims})]


async def heard_beside(
    context: FusionContext, judge: str, heard: Sequence[Json], speech: Awaitable[Speech]
) -> tuple[Speech, Confirmation | None]:
    """Return a judge's speech, and what the second reader says meanwhile of the strikes before it; None where none is asked. heard: those
    strikes. Raises what the speech raises."""
    if context.request.reader != "confirmed":
        return await speech, None
    asked = [Strike.model_validate(each) for each in heard]
    return await beside(speech, confirm(context.access, reader_before(judge), _subject(context), asked))


async def check_judge(
    context: FusionContext,
    node: str,
    text: str,
    spans: Sequence[tuple[int, int]],
    heard: Sequence[Json],
    said: Confirmation | None,
) -> tuple[Claim, ...]:
    """Return the claims of a judge's answer, confirmed, and emit which are false. node: where it was given. heard, said: what
    `heard_beside` took and gave."""
    if said is None:
        return check_words(context, node, text, spans)
    claims = claims_in(context, node, text, spans)
    own, earlier = strikes_in(claims, {node: text}), [Strike.model_validate(each) for each in heard]
    claims = settled(claims, await confirm_judge(context.access, node, _subject(context), own, earlier, said))
    emit_corrections(context.access.emit, node, claims)
    return claims


def _subject(context: FusionContext) -> StrikeSubject:
    return StrikeSubject(context.sheet, TABLE)


def claims_in(context: FusionContext, node: str, text: str, spans: Sequence[tuple[int, int]]) -> tuple[Claim, ...]:
    """Return the claims of an answer, judged by the rules. spans: the parts that state something."""
    stated = without_quoted(spans, text, context.inputs.evidence)
    return read_claims(text, context.sheet, node, stated, table=TABLE, tags=tags_in(context.access.tags, text))


def corrected(context: FusionContext, text: str, claims: Sequence[Claim]) -> str:
    """Return what others read of an answer. claims: of this text."""
    if context.corrects_each_turn:
        return heard_words(text, claims, context.sheet, context.language, TABLE)
    return correct_text(text, claims, context.sheet, context.language, TABLE)


def heard_report(context: FusionContext, analyst: str, text: str) -> str:
    """Return what others hear of an analyst's report of this run's moment."""
    if not context.corrects_each_turn:
        return text
    known = context.heard.get((analyst, text))
    if known is None:
        known = context.heard[analyst, text] = corrected(context, text, claims_in(context, analyst, text, claim_spans(text)))
    return known
