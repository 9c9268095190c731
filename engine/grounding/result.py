"""The result of a whole debate: claims of every source, counts, score and gate.

Given the texts by role and the sheet, gives the domain `GroundingResult`. Only the debate's roles count for the score and the gate; the
others are read, judged and scored for themselves. Rules and thresholds are in `tables/thresholds.py`.

`uses_of` says what a later speaker made of the corrections: whether it used the true value, repeated the false one, or stated neither.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from engine.domain.claims import Claim, Claimed, GroundingCorrection, GroundingResult
from engine.domain.facts import FactSheet, FactValue
from engine.domain.frozen_model import FrozenModel
from engine.domain.roles import Role
from engine.grounding.reading import read_claims
from engine.grounding.tables.table import IndicatorTable
from engine.grounding.tables.thresholds import closes_gate, penalty_of, score_of

Use = Literal["corrected", "false", "other", "unused"]
"""corrected: stated it truly. false: stated the corrected value all the same. other: stated it falsely in another way. unused: said nothing
that could be checked about it."""

_ALIKE = 0.02


def ground(
    texts: Mapping[str, str],
    sheet: FactSheet,
    debate: Collection[str],
    table: IndicatorTable,
    *,
    spans: Mapping[str, Sequence[tuple[int, int]]] | None = None,
    earlier_sheets: Mapping[str, FactSheet] | None = None,
) -> GroundingResult:
    """Read and judge every text.

    texts: role -> its text, in the order the claims are to be listed. debate: the roles that count. spans: role -> parts of its text that
    are to be read; a role without an entry is read whole. earlier_sheets: role -> the facts it spoke about, where those are not
    `sheet`. table: the indicators the texts are read for.
    """
    claims: list[Claim] = []
    for source, text in texts.items():
        earlier = (earlier_sheets or {}).get(source)
        claims.extend(read_claims(text, sheet, source, (spans or {}).get(source), earlier, table=table))
    return result_of(claims, debate)


def result_of(claims: Iterable[Claim], debate: Collection[str]) -> GroundingResult:
    """Return counts, score, gate and corrections for claims that were read already."""
    every = tuple(claims)
    counted = [claim for claim in every if claim.source in debate]
    false, total = checked_counts(counted)
    score, analysis = score_of(false, total), score_of(*checked_counts(claim for claim in every if claim.source not in debate))
    return GroundingResult(
        claims=every,
        corrections=tuple(correction_of(claim) for claim in every if claim.verdict == "false"),
        total_claims=total,
        verified_claims=total - false,
        false_claims=false,
        unverifiable_claims=sum(claim.when_said == "unverifiable" for claim in counted),
        hallucination_score=score,
        analysis_hallucination_score=analysis,
        penalty_pct=penalty_of(score),
        gate_closed=closes_gate(score) or closes_gate(analysis),
        source_scores=_source_scores(every),
    )


def checked_counts(claims: Iterable[Claim]) -> tuple[int, int]:
    """Return how many claims were false when they were said, and how many could be checked."""
    verdicts = [claim.when_said for claim in claims]
    return verdicts.count("false"), verdicts.count("false") + verdicts.count("true")


def _source_scores(claims: Sequence[Claim]) -> dict[str, float]:
    sources = dict.fromkeys(claim.source for claim in claims)
    counts = {source: checked_counts(claim for claim in claims if claim.source == source) for source in sources}
    scores = {source: score_of(*counted) for source, counted in counts.items()}
    return {source: score for source, score in scores.items() if score is not None}


def correction_of(claim: Claim) -> GroundingCorrection:
    """Return the specification's record of a false claim. A range is shown as its nearer end."""
    claimed = nearest(claim)
    actual = claim.actual if claim.actual is not None else ""
    discrepancy = 0.0
    if claimed is not None and isinstance(actual, float) and actual:
        discrepancy = 100.0 * (claimed - actual) / abs(actual)
    return GroundingCorrection(
        indicator=claim.key,
        claimed_value=claimed,
        actual_value=actual,
        source=claim.source,
        claim_text=claim.text,
        claim_type=claim.kind,
        discrepancy_pct=round(discrepancy, 4),
        is_false=True,
        correction_applied=True,
    )


def nearest(claim: Claim) -> float | None:
    """Return the claimed number; of a range the end nearer to the actual value; None for states."""
    if isinstance(claim.claimed, tuple):
        low, high = claim.claimed
        return low if not isinstance(claim.actual, float) or abs(low - claim.actual) <= abs(high - claim.actual) else high
    return claim.claimed if isinstance(claim.claimed, float) else None


class CorrectionUse(FrozenModel):
    """What became of one corrected fact. key: the fact. said: what the debate claimed falsely, `by` whom (the first). actual: the true
    value. use: what the later speaker did."""

    key: str
    said: Claimed
    by: Role
    actual: FactValue
    use: Use


def uses_of(debate: Iterable[Claim], later: Sequence[Claim]) -> tuple[CorrectionUse, ...]:
    """Return one record for each fact the debate got wrong, in the order of the debate."""
    wrong: dict[str, list[Claim]] = {}
    for claim in debate:
        if claim.verdict == "false":
            wrong.setdefault(claim.key, []).append(claim)
    return tuple(
        CorrectionUse(key=key, said=said[0].claimed, by=said[0].source, actual=said[0].actual, use=_use(said, later))
        for key, said in wrong.items()
    )


def _use(wrong: Sequence[Claim], later: Sequence[Claim]) -> Use:
    own = [claim for claim in later if claim.key == wrong[0].key and claim.verdict != "unverifiable"]
    false = [claim for claim in own if claim.verdict == "false"]
    if any(_alike(claim.claimed, said.claimed) for claim in false for said in wrong):
        return "false"
    if false:
        return "other"
    return "corrected" if own else "unused"


def _alike(first: Claimed, second: Claimed) -> bool:
    if isinstance(first, float) and isinstance(second, float):
        return abs(first - second) <= _ALIKE * max(abs(first), abs(second))
    return first == second
