"""A text with its false statements replaced by the true ones, visibly.

`RSI(14)=28.4` becomes `RSI(14)=~~28.4~~ 48.6 [corrected]`; a statement that is false as a whole (a bound, a comparison, a word) is struck
and followed by the truth: `~~MACD金叉~~ MACD=-6.42 (负值, 死叉) [已更正]`. The rest of the text stays as it is, but for marks that
imitate these: a speaker cannot correct himself in the name of the checker.
"""

import re
from collections.abc import Iterable

from engine.domain.claims import Claim
from engine.domain.facts import FactSheet
from engine.domain.language import Language
from engine.grounding.wording import indicator_of, reading_of, truth_of, value_of

MARKS: dict[Language, str] = {"en": "[corrected]", "zh": "[已更正]"}
_IMITATION = re.compile(r"[\[【](corrected|已更正)[\]】]", re.IGNORECASE)


def correct_text(text: str, claims: Iterable[Claim], sheet: FactSheet, language: Language) -> str:
    """`text` with every false claim replaced. claims: of this text; those that are not false, or overlap an earlier one, change nothing."""
    pieces: list[str] = []
    at = 0
    for start, end, replacement in _edits(text, claims, sheet, language):
        pieces.append(_harmless(text[at:start]))
        pieces.append(f"~~{_unstruck(text[start:end])}~~ {replacement} {MARKS[language]}")
        at = end
    pieces.append(_harmless(text[at:]))
    return "".join(pieces)


def _edits(text: str, claims: Iterable[Claim], sheet: FactSheet, language: Language) -> list[tuple[int, int, str]]:
    false = [claim for claim in claims if claim.verdict == "false" and 0 <= claim.start < claim.end <= len(text)]
    numbers = [claim for claim in false if _by_value(claim)]
    taken: list[tuple[int, int, str]] = []
    for claim in numbers:
        _take(taken, claim.value_start, claim.value_end, _value(claim, text, sheet, language))
    for claim in false:
        if not _by_value(claim) and not _take(taken, claim.start, claim.end, truth_of(claim, sheet, language)):
            _take(taken, claim.value_start, claim.value_end, truth_of(claim, sheet, language))
    return sorted(taken)


def _take(taken: list[tuple[int, int, str]], start: int, end: int, replacement: str) -> bool:
    if any(start < other_end and other_start < end for other_start, other_end, _ in taken):
        return False
    taken.append((start, end, replacement))
    return True


def _by_value(claim: Claim) -> bool:
    """Whether it is enough to replace the number: an equation written in the fact's own unit."""
    percent_of_volume = claim.key.endswith("volume_ratio_20") and "%" in claim.text
    return claim.relation == "=" and not percent_of_volume


def _value(claim: Claim, text: str, sheet: FactSheet, language: Language) -> str:
    value = value_of(claim.key, sheet, language) or str(claim.actual)
    written = text[claim.value_start : claim.value_end]
    indicator, _, _ = indicator_of(claim.key)
    if indicator is not None and indicator.signed and isinstance(claim.actual, float) and claim.actual >= 0 and not value.startswith("+"):
        value = f"+{value}"
    if indicator is not None and indicator.unit == "multiple" and written.rstrip().endswith("倍"):
        value = value.rstrip("x") + "倍"
    if written.endswith((")", "）", "】", "]")):  # a reading in brackets was part of the claim
        reading = reading_of(claim.key, sheet, language)
        value += f" ({reading})" if reading else ""
    return f"${value}" if written.lstrip().startswith("$") else value


def _harmless(text: str) -> str:
    return _IMITATION.sub(r"(\1)", text)


def _unstruck(text: str) -> str:
    return text.replace("~~", "").replace("\n", " ")
