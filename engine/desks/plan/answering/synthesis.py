"""What an answer comes to: its words, its verdict, how sure it says it is, who gave it, and the headline that holds. Pure.

The answer states a headline of at most four words and names a figure; the figure itself is never taken from it, but read out of the
result that is named. Words that are no headline, or a figure that no result has, give none.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from engine.agents.stated_headline import headline_words
from engine.desks.plan.answering.measured import Measured

_FIGURE: Final = re.compile(r"\[?(\d{1,3})\]?[\s.:·]+([A-Za-z_][\w.]*)")
Verdict = Literal["yes", "no", "partly", "unknown", "open"]
"""`unknown`: it cannot be said; `open`: the question asks for no yes or no, and is answered."""
AnsweredBy = Literal["model", "script", "rule"]


@dataclass(frozen=True)
class Synthesis:
    """text: the answer itself, first. sure: 0 to 1. reason: why no model's answer is used. headline: the answer
    in a few words; deciding: number of a result and name of its figure; against: a sentence that speaks against it, with its citation. The
    three are as they were stated, "" where they were not; the outcome holds them to the results."""

    text: str
    verdict: Verdict
    sure: float = 0.0
    by: AnsweredBy = "rule"
    reason: str = ""
    headline: str = ""
    deciding: str = ""
    against: str = ""


@dataclass(frozen=True)
class AnswerHeadline:
    """words: the answer. n, figure: which result decides, and which of its figures. value: as it is there, with its unit. percentile:
    where that figure is in its own series, None where the result does not say."""

    words: str
    n: int
    figure: str
    value: str
    percentile: float | None = None


def held_headline(synthesis: Synthesis, results: Sequence[Measured]) -> AnswerHeadline | None:
    """Return the headline, its figure read out of the results; None if it does not hold."""
    words, named = headline_words(synthesis.headline), _FIGURE.search(synthesis.deciding)
    if not words or named is None:
        return None
    result = next((each for each in results if each.n == int(named[1])), None)
    if result is None or named[2] not in result.figures:
        return None
    rank = result.figures.get("percentile") if named[2].startswith("latest") else None
    return AnswerHeadline(words, result.n, named[2], result.fields[named[2]], rank)
