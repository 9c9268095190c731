"""What a decision taught once it was over: what in its reasoning was right or wrong, beside what it came to."""

import math
from datetime import datetime
from typing import Final, Literal

from pydantic import AwareDatetime, Field

from engine.domain.frozen_model import FrozenModel
from engine.domain.text.reason import Reason, Said

LessonKind = Literal["right", "lucky", "wrong", "refuted", "unchecked"]
"""right: it gained and its reasons were true. lucky: it gained on false reasons, which teaches nothing. wrong: it lost on false reasons.
refuted: it lost although its reasons were true. unchecked: it stated no reason that could be checked."""
HALF_LIFE_DAYS: Final = 90.0
MOST_TEXT: Final = 400


class Lesson(FrozenModel):
    """One lesson, of one decision. kind: always set by code. text: at most `MOST_TEXT` characters. by: `code`, or the model
    that wrote it. false, true: indicators of the reasons that were stated. broken: conditions that would prove the entry wrong and had come
    true when it was over, as text. r, pnl_pct: what the machine's plan came to, after costs. known_at: since when the market shows that.
    """

    run_id: str
    flow: str
    subject: str
    action: str
    kind: LessonKind
    text: Said = Field(max_length=MOST_TEXT)
    by: str = "code"
    false: tuple[str, ...] = ()
    true: tuple[str, ...] = ()
    broken: tuple[Said, ...] = ()
    r: float | None = None
    pnl_pct: float | None = None
    known_at: AwareDatetime

    @property
    def about(self) -> str:
        """What the lesson is about: decisions of one kind that share it are one lesson."""
        if self.kind == "refuted" and self.broken:
            return _without_price(self.broken[0])
        named = self.false if self.kind in {"lucky", "wrong"} else self.true
        return next((each for each in named if each != "close"), "")


def _without_price(condition: str) -> str:
    """Return a condition that names a price as one that names any: what is learnt of it is not learnt of that price."""
    if not isinstance(condition, Reason) or condition.values.get("key") != "close":
        return condition
    return Reason(condition.key, **{**condition.values, "bound": Reason("condition_level")})


class LearntLesson(FrozenModel):
    """Lessons of one desk, kind and subject. n: how many decisions taught it. weight: each of them counts half after `HALF_LIFE_DAYS`. r:
    their mean, None where none is known. text: of the newest. run_ids: the newest first."""

    flow: str
    kind: LessonKind
    about: Said
    n: int
    weight: float
    r: float | None
    text: Said
    by: str
    newest: AwareDatetime
    run_ids: tuple[str, ...]


def weight_at(known_at: datetime, now: datetime) -> float:
    """Return what a lesson counts at an instant: 1 when it is new, half after `HALF_LIFE_DAYS`, 0 before it was known."""
    days = (now - known_at).total_seconds() / 86_400
    return math.pow(0.5, days / HALF_LIFE_DAYS) if days >= 0 else 0.0
