"""The headline of an answer: at most four words, and the one figure that decides, read out of the result that it names. Pure.

Whoever answers states words and names a figure; the figure itself is never taken from it. Words that are no headline, or a figure that no
result has, give none: the answer then stands for itself.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from engine.agents.stated_headline import headline_words
from engine.desks.plan.answering.measured import Measured
from engine.desks.plan.answering.synthesis import Synthesis

_FIGURE: Final = re.compile(r"\[?(\d{1,3})\]?[\s.:·]+([A-Za-z_][\w.]*)")


@dataclass(frozen=True)
class AnswerHeadline:
    """words: the answer. n, figure: which result decides, and which of its figures. value: as it is there, with its unit. percentile:
    where that figure is in its own series, None where the result does not say."""

    words: str
    n: int
    figure: str
    value: str
    percentile: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return its fields."""
        return asdict(self)


def with_stated(synthesis: Synthesis, stated: dict[str, str]) -> Synthesis:
    """Return an answer with the headline that was stated for it; nothing of it is held to the results yet."""
    headline, deciding, against = (stated.get(key, "") for key in ("headline", "deciding", "against"))
    return replace(synthesis, headline=headline, deciding=deciding, against=against)


def held_headline(synthesis: Synthesis, results: Sequence[Measured]) -> AnswerHeadline | None:
    """Return the headline, its figure read out of the results; None where there is none that holds."""
    words, named = headline_words(synthesis.headline), _FIGURE.search(synthesis.deciding)
    if not words or named is None:
        return None
    result = next((each for each in results if each.n == int(named[1])), None)
    if result is None or result.number(named[2]) is None:
        return None
    rank = result.number("percentile") if named[2].startswith("latest") else None
    return AnswerHeadline(words, result.n, named[2], result.fields[named[2]], rank)
