"""What a role said, against what was measured: false statements become events, and the next speaker reads them corrected.

Within a debate a speech is corrected by the rules alone, because the next speaker does not wait. Where a second reader is to be asked, it
is asked beside the judge's speech: counts, page and final state go by what it says, and so does what is read of the judge's own words.

Each answer leaves a count under its node and turn; a second reader that clears claims leaves a negative one. Too many false numbers close
the gate. Analysts are scored separately from the roles that debate and decide, as on the decision desk. A reused report keeps the count it
had when it was written.
"""

import re
from collections.abc import Awaitable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from engine.agents.attached import without_quoted
from engine.agents.claim_question import Strike, StrikeSubject, strikes_in
from engine.agents.claim_reader import Confirmation, beside, confirm, confirm_judge, emit_corrections, settled
from engine.agents.heard import heard_words
from engine.agents.reader_nodes import reader_before
from engine.desks.equities.context import EquitiesContext
from engine.desks.equities.sheet import TABLE
from engine.desks.equities.state import Json
from engine.domain.claims import Claim
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.grounding.checks.doubts import OWNER
from engine.grounding.correct import correct_text
from engine.grounding.reading import read_claims
from engine.grounding.result import checked_counts
from engine.grounding.tables.thresholds import closes_gate, penalty_of, score_of

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
        (was_false, was), (is_false, now) = checked_counts(own), checked_counts(settled(own, said))
        found[f"{judge} cleared {name}"] = {"false": is_false - was_false, "total": now - was, "analysts": of_analysts}
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


@dataclass(frozen=True)
class Checked:
    """false, total: of the debates and of the role that decides; analysts_false, analysts_total: of the analysts' reports."""

    false: int = 0
    total: int = 0
    analysts_false: int = 0
    analysts_total: int = 0

    @property
    def score(self) -> float | None:
        """Percent of the checked numbers of the debates that were false; None when nothing could be checked."""
        return score_of(self.false, self.total)

    @property
    def analysis_score(self) -> float | None:
        """The same of the analysts."""
        return score_of(self.analysts_false, self.analysts_total)

    @property
    def penalty_pct(self) -> float:
        """What is taken off the decider's confidence, 0-30."""
        return penalty_of(self.score)

    @property
    def closes_gate(self) -> bool:
        """Whether either score is too high to decide on."""
        return closes_gate(self.score) or closes_gate(self.analysis_score)

    def reasons(self, language: Language) -> list[str]:
        """Return why the gate is closed, a sentence for each score; nothing while it is open."""
        found = (
            ("order_gate_closed_debates", self.score, self.false, self.total),
            ("order_gate_closed_analysts", self.analysis_score, self.analysts_false, self.analysts_total),
        )
        return [
            Reason(name, score=f"{score:.0f}", false=false, total=total).said_in(language)
            for name, score, false, total in found
            if score is not None and closes_gate(score)
        ]


def count(claims: Iterable[Claim]) -> Json:
    """Return the count of one answer."""
    false, total = checked_counts(claims)
    return {"false": false, "total": total}


def checked_in(state: Mapping[str, Any]) -> Checked:
    """Return what was checked so far. state: the desk's."""
    counts = list((state.get("checked") or {}).values())
    for record in (state.get("analysts") or {}).values():
        if record.get("checked"):
            counts += [{**record["checked"], "analysts": not record["advises"]}, *(record.get("cleared") or {}).values()]
    analysts = [each for each in counts if each.get("analysts")]
    return Checked(*_sum(each for each in counts if not each.get("analysts")), *_sum(analysts))


def _sum(counts: Iterable[Mapping[str, int]]) -> tuple[int, int]:
    found = list(counts)
    return sum(each["false"] for each in found), sum(each["total"] for each in found)
