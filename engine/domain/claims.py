"""Claims, verdicts and corrections: what grounding finds in a text."""

import hashlib
import json
from typing import Literal

from engine.domain.facts import FactValue
from engine.domain.frozen_model import FrozenModel
from engine.domain.text.reason import Said

Relation = Literal["=", ">", "<", "between", "state"]
Verdict = Literal["true", "false", "moved", "unverifiable"]
"""moved: about an earlier market, and not so of the one that is decided on: true then and false now, or false then and true now."""
ClaimKind = Literal["quantitative", "qualitative"]
Confirmed = Literal["yes", "no", "unclear", "unconfirmed"]
"""What a second reader said of a claim that is false by the rules: yes, it is stated there; no and unclear make it unverifiable;
unconfirmed: it was to be asked and gave no usable answer, so that the rules' verdict is kept."""
Claimed = float | str | tuple[float, float]


class Claim(FrozenModel):
    """One statement about the market now, found in a text and checked.

    source: the role that said it. start, end: code points in the role's original text, end exclusive. value_start, value_end: the part
    that carries the value itself, inside [start, end): what a correction replaces. key: canonical fact key, with timeframe prefix where it
    is not the main one. claimed: number, state word, or the two ends of a range. actual: the fact's value, None when it is missing.
    deviation: (claimed - actual) / |actual|, None where that has no meaning. tolerance: absolute, in the fact's unit. hedged: an
    approximation word stood with it. attributed_to: whom the speaker relays. reason: why it is unverifiable, or unconfirmed. said_verdict,
    said_actual: of words about an earlier market than the one that is decided on, the verdict and the fact's value then; None for all other
    words. confirmed: what a second reader said of it; None where none was to be asked.
    """

    source: str
    start: int
    end: int
    value_start: int
    value_end: int
    text: str
    key: str
    kind: ClaimKind
    relation: Relation
    claimed: Claimed
    verdict: Verdict
    actual: FactValue
    unit: str
    deviation: float | None = None
    tolerance: float | None = None
    hedged: bool = False
    attributed_to: str | None = None
    reason: Said | None = None
    said_verdict: Verdict | None = None
    said_actual: FactValue = None
    confirmed: Confirmed | None = None

    @property
    def id(self) -> str:
        """The claim's name within its run: a hash of its speaker, place, key and words. The words tell turns of one speaker apart, each of
        which counts its characters from 0."""
        named = json.dumps([self.source, self.start, self.end, self.key, self.text], ensure_ascii=True)
        return hashlib.sha256(named.encode()).hexdigest()[:16]

    @property
    def is_struck(self) -> bool:
        """Whether pages strike it: it is false now, or was when it was said."""
        return "false" in (self.verdict, self.when_said)

    @property
    def when_said(self) -> Verdict:
        """The verdict by which a speaker is judged: that of the market the words were about."""
        return self.said_verdict or self.verdict

    @property
    def has_moved(self) -> bool:
        """Whether it was true when it was said and is not any more."""
        return self.verdict == "moved" and self.said_verdict == "true"


class GroundingCorrection(FrozenModel):
    """The specification's record of one corrected claim. discrepancy_pct: signed percent of the actual value, 0 for states."""

    indicator: str
    claimed_value: float | None
    actual_value: float | str
    source: str
    claim_text: str
    claim_type: ClaimKind
    discrepancy_pct: float
    is_false: bool
    correction_applied: bool


class GroundingResult(FrozenModel):
    """The outcome of checking one debate.

    claims: every claim of every source, in reading order. The counts, the score and the gate are over the debate's sources only (bull,
    bear, judge), by what held when it was said: total = verified + false; unverifiable ones are shown and not counted. corrections: what is
    false of the market that is decided on. hallucination_score: 100 * false / total, None when total is 0. analysis_hallucination_score:
    the same over all other sources. gate_closed: either score is above 70. penalty_pct: taken off the decider's confidence, 0-30.
    source_scores: score of every source that stated something checkable.
    """

    claims: tuple[Claim, ...]
    corrections: tuple[GroundingCorrection, ...]
    total_claims: int
    verified_claims: int
    false_claims: int
    unverifiable_claims: int
    hallucination_score: float | None
    analysis_hallucination_score: float | None = None
    penalty_pct: float
    gate_closed: bool
    source_scores: dict[str, float]

    @property
    def is_verified(self) -> bool:
        """Whether the debate was checked and the gate let it through."""
        return self.hallucination_score is not None and not self.gate_closed
