"""The measured facts of a prompt, as a script finds them.

Speeches of other roles are wrapped in `<said by="bull">` and are cut out first, so that prose cannot pass for a measured fact.
"""

import math
import re

from engine.domain.facts import SCALES

_SAID = re.compile(r"<said by=[^>]*>.*?</said>", re.DOTALL)
_FACT = re.compile(r"^((?:[0-9]+[mhdw]\.)?[a-z][a-z0-9_]*) = (\S+)(?: (bn\b|万亿|亿))?", re.MULTILINE)


def without_speech(text: str) -> str:
    """Return a prompt without what roles said."""
    return _SAID.sub("", text)


def facts_in(text: str) -> dict[str, str]:
    """Return key -> value exactly as the text writes it, large amounts in full. A later line of the same key wins."""
    return {key: f"{float(value) * SCALES[scale]:.0f}" if scale else value for key, value, scale in _FACT.findall(text)}


def number_of(text: str | None) -> float | None:
    """Return the finite number that a text writes; None for a word and for None."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
