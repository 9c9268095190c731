"""Counts the false numbers of a run and closes the gate when there are too many. Pure.

Each answer leaves a count under its node and turn; a second reader that clears claims leaves a negative one. Analysts are scored separately
from the roles that debate and decide, as on the decision desk. A reused report keeps the count it had when it was written.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.desks.equities.state import Json
from engine.domain.claims import Claim
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.grounding.result import checked_counts
from engine.grounding.tables.thresholds import closes_gate, penalty_of, score_of


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


def cleared(before: Iterable[Claim], after: Iterable[Claim]) -> Json:
    """Return what a second reader takes back of counts that were left before it was asked."""
    (was_false, was), (is_false, now) = checked_counts(before), checked_counts(after)
    return {"false": is_false - was_false, "total": now - was}


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
