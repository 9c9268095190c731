"""A text that anybody had checked against the facts of a run."""

from dataclasses import dataclass
from typing import Literal

from engine.domain.claims import Claim
from engine.domain.facts import FactSheet

WhyUnread = Literal["", "hyp", "modal", "plan", "stop", "hist", "def", "question", "other", "quote", "inject", "cross"]
"""Why words state nothing about now: a condition, a forecast, a plan, a level of it, another time, a definition, a question, another asset,
a quotation or a rejected statement, an instruction, a level that was crossed to a side that is not said; "" for words that were not
understood."""


@dataclass(frozen=True)
class UnreadPart:
    """Words that name an indicator or a figure and belong to no claim. start, end: code points in the text, end exclusive."""

    start: int
    end: int
    text: str
    why: WhyUnread


@dataclass(frozen=True)
class CheckedText:
    """claims, unread: in reading order. hallucination_score: percent of the checkable claims that are false, None without one.
    corrected_text: the text with what is false put right. sheet: the facts it was checked against."""

    claims: tuple[Claim, ...]
    unread: tuple[UnreadPart, ...]
    hallucination_score: float | None
    corrected_text: str
    sheet: FactSheet
