"""What a role said, against what was measured: false statements become events, and the next speaker reads them corrected.

Within a debate a speech is corrected by the rules alone, because the next speaker does not wait. Where a second reader is to be asked, it
is asked beside the judge's speech: counts, page and final state go by what it says, and so does what is read of the judge's own words.
"""

import re
from collections.abc import Awaitable, Collection, Iterable, Sequence
from typing import TypeVar

from engine.agents.access import Emit
from engine.agents.attached import without_quoted
from engine.agents.claim_question import Strike, StrikeSubject, strikes_in
from engine.agents.claim_reader import Confirmation, beside, confirm, confirm_judge, settled
from engine.agents.heard import heard_words
from engine.agents.reader_nodes import reader_before
from engine.desks.equities.checked import cleared
from engine.desks.equities.context import EquitiesContext
from engine.desks.equities.sheet import TABLE
from engine.desks.equities.state import Json
from engine.domain.claims import Claim
from engine.domain.events import GroundingCorrected
from engine.domain.text.reason import Reason
from engine.grounding.checks.doubts import OWNER
from engine.grounding.correct import correct_text
from engine.grounding.reading import read_claims

Speech = TypeVar("Speech")
_SENTENCE_END = re.compile(r"[.!?;](?=\s)|[。！？；\n]")


def check_words(context: EquitiesContext, node: str, text: str, spans: Sequence[tuple[int, int]]) -> tuple[Claim, ...]:
    """Return the claims of an answer, and emit which are false. spans: the parts that state something."""
    claims = claims_in(context, node, text, spans)
    emit_corrections(context.access.emit, node, claims)
    return claims


def strikes(context: EquitiesContext, text: str, claims: Sequence[Claim]) -> list[Json]:
    """Return what a second reader is to be asked about in an answer, for a state; nothing where none is asked."""
    if context.request.reader != "confirmed":
        return []
    return [each.model_dump(mode="json") for each in strikes_in(claims, {claim.source: text for claim in claims})]


async def heard_beside(
    context: EquitiesContext, judge: str, heard: Sequence[Json], speech: Awaitable[Speech]
) -> tuple[Speech, Confirmation | None]:
    """Return a judge's speech, and what the second reader says meanwhile of the strikes before it; None where none is asked. heard: those
    strikes. Raises what the speech raises."""
    if context.request.reader != "confirmed":
        return await speech, None
    asked = [Strike.model_validate(each) for each in heard]
    return await beside(speech, confirm(context.access, reader_before(judge), _subject(context), asked))


async def check_judge(
    context: EquitiesContext,
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


def cleared_by(judge: str, heard: Sequence[Json], said: Confirmation | None, context: EquitiesContext) -> dict[str, Json]:
    """Return what the second reader beside a judge takes back of the counts, apart for analysts. heard, said: as of `check_judge`."""
    if said is None:
        return {}
    analysts = {node for each in context.preset.analysts for node in (each.key, f"{each.key}_again")}
    struck = [Strike.model_validate(each).claim for each in heard]
    found = {}
    for name, of_analysts in (("analysts", True), ("debate", False)):
        own = [claim for claim in struck if (claim.source in analysts) == of_analysts]
        found[f"{judge} cleared {name}"] = {**cleared(own, settled(own, said)), "analysts": of_analysts}
    return found


def _subject(context: EquitiesContext) -> StrikeSubject:
    return StrikeSubject(context.sheet, TABLE)


def claims_in(context: EquitiesContext, node: str, text: str, spans: Sequence[tuple[int, int]]) -> tuple[Claim, ...]:
    """Return the claims of an answer, judged by the rules. spans: the parts that state something.

    An answer is read when it is given, when the next role hears it and when the run is counted: each answer is read once.
    """
    known = context.claims.get((text, tuple(spans)))
    if known is None:
        stated = without_quoted(spans, text, context.citable)
        found = read_claims(text, context.sheet, node, stated, table=TABLE)
        known = of_its_company(found, text, others_held(context.account.positions, context.snapshot.listing.symbol))
        context.claims[text, tuple(spans)] = known
    return tuple(claim if claim.source == node else claim.model_copy(update={"source": node}) for claim in known)


def others_held(positions: Iterable[str], symbol: str) -> frozenset[str]:
    """Return the symbols of an account's positions but for the one that is decided about."""
    return frozenset(positions) - {symbol}


def of_its_company(claims: Iterable[Claim], text: str, others: Collection[str]) -> tuple[Claim, ...]:
    """Return claims; one that came out false beside the name of another position of the account may be about that one. others: of
    `others_held`."""
    return tuple(_of_its_company(claim, text, others) for claim in claims)


def _of_its_company(claim: Claim, text: str, others: Collection[str]) -> Claim:
    if claim.verdict != "false" or not others:
        return claim
    begins = max((end.end() for end in _SENTENCE_END.finditer(text, 0, claim.start)), default=0)
    end = _SENTENCE_END.search(text, claim.end)
    sentence = text[begins : end.start() if end is not None else len(text)].upper()
    named = next((symbol for symbol in sorted(others) if re.search(rf"(?<![A-Z0-9]){re.escape(symbol)}(?![A-Z0-9])", sentence)), None)
    if named is None:
        return claim
    doubt = {"verdict": "unverifiable", "deviation": None, "tolerance": None, "reason": Reason(OWNER, words=named)}
    return claim.model_copy(update=doubt)


def corrected(context: EquitiesContext, text: str, claims: Sequence[Claim]) -> str:
    """Return what others read of an answer. claims: of this text."""
    if context.corrects_each_turn:
        return heard_words(text, claims, context.sheet, context.language, TABLE)
    return correct_text(text, claims, context.sheet, context.language, TABLE)


def emit_corrections(emit: Emit, node: str, claims: Iterable[Claim]) -> None:
    """Emit every false claim of a speaker."""
    fields = {"source", "key", "text", "kind", "claimed", "actual", "unit", "deviation", "start", "end", "confirmed"}
    for claim in claims:
        if claim.verdict == "false":
            emit(node, GroundingCorrected(**claim.model_dump(include=fields)))
