"""Earlier decisions in markets that looked like the present one, with what they came to."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import AwareDatetime

from engine.domain.frozen_model import FrozenModel
from engine.domain.lesson import Lesson, LessonKind

SimilarUse = Literal["off", "shown", "prompts"]
"""off: not looked for. shown: in the state and on the page. prompts: in the prompts of debaters, judge and executor, too."""


@dataclass(frozen=True)
class PastCase:
    """An entry that is over, as the journal has it. decided_at: the market's instant. known_at: since when it is known what it came to.
    features: of its market when it was decided. exit_reason, pnl_pct, r: of the machine's plan, after costs. written_lesson: JSON of its
    lesson, where that was known."""

    run_id: str
    symbol: str
    timeframe: str
    decided_at: datetime
    known_at: datetime
    action: str
    confidence: float | None
    exit_reason: str | None
    pnl_pct: float | None
    r: float | None
    features: Mapping[str, float]
    written_lesson: str | None = None

    @property
    def lesson(self) -> Lesson | None:
        """What it taught, read anew each time: of many cases few are looked at."""
        return Lesson.model_validate_json(self.written_lesson) if self.written_lesson else None


class SimilarDecision(FrozenModel):
    """One of them, frozen with the inputs of a run. distance: from its market to the present one, root mean square over what both measure,
    in ATR for distances of the price and in standard deviations for indicators. nearness: of its text, 0 to 1; None where there is none to
    compare. r, pnl_pct: after costs."""

    run_id: str
    symbol: str
    timeframe: str
    decided_at: AwareDatetime
    known_at: AwareDatetime
    action: str
    confidence: float | None = None
    distance: float
    nearness: float | None = None
    exit_reason: str | None = None
    pnl_pct: float | None = None
    r: float | None = None
    lesson: str | None = None
    lesson_kind: LessonKind | None = None
