"""A text with its false statements replaced by the true ones, visibly.

`RSI(14)=28.4` becomes `RSI(14)=~~28.4~~ 48.6 [corrected]`; a statement that is false as a whole (a bound, a comparison, a word) is struck
and followed by the truth: `~~MACD金叉~~ MACD=-6.42 (负值, 死叉) [已更正]`. What was true when it was said and has moved since is not
struck: what it is now follows it, `RSI(14)=48.6 [now 52.1]`. The rest of the text stays as it is, but for marks that imitate these: a
speaker cannot correct himself in the name of the checker.
"""

import re
from collections.abc import Iterable

from engine.domain.claims import Claim
from engine.domain.facts import FactSheet
from engine.domain.language import Language
from engine.grounding.wording import indicator_of, reading_of, truth_of, value_of

MARKS: dict[Language, str] = {"en": "[corrected]", "zh": "[已更正]"}
_NOW: dict[Language, str] = {"en": "[now {value}]", "zh": "[现为 {value}]"}
_IMITATION = re.compile(r"[\[【](corrected|已更正|(?:now\b|现为)[^\]】\n]*)[\]】]", re.IGNORECASE)
_Edit = tuple[int, int, str, bool]


def correct_text(text: str, claims: Iterable[Claim], sheet: FactSheet, language: Language) -> str:
    """`text` with every false claim replaced and every moved one followed by what it is now. claims: of this text; others, and those that
    overlap an earlier one, change nothing."""
    pieces: list[str] = []
    at = 0
    for start, end, replacement, struck in _edits(text, claims, sheet, language):
        pieces.append(_harmless(text[at:start]))
        said = f"~~{_unstruck(text[start:end])}~~" if struck else _harmless(text[start:end])
        pieces.append(f"{said} {replacement}")
        at = end
    pieces.append(_harmless(text[at:]))
    return "".join(pieces)


def _edits(text: str, claims: Iterable[Claim], sheet: FactSheet, language: Language) -> list[_Edit]:
    """What is put where: start, end, what follows, and whether what stood there is struck."""
    usable = [claim for claim in claims if 0 <= claim.start < claim.end <= len(text)]
    false = [claim for claim in usable if claim.verdict == "false"]
    taken: list[_Edit] = []
    for claim in (claim for claim in false if _by_value(claim)):
        _take(taken, claim.value_start, claim.value_end, f"{_value(claim, text, sheet, language)} {MARKS[language]}")
    for claim in (claim for claim in false if not _by_value(claim)):
        truth = f"{truth_of(claim, sheet, language)} {MARKS[language]}"
        if not _take(taken, claim.start, claim.end, truth):
            _take(taken, claim.value_start, claim.value_end, truth)
    for claim in (claim for claim in usable if claim.has_moved):
        told = _value(claim, text, sheet, language) if _by_value(claim) else truth_of(claim, sheet, language)
        _take(taken, claim.value_start, claim.value_end, _NOW[language].format(value=told), struck=False)
    return sorted(taken)


def _take(taken: list[_Edit], start: int, end: int, replacement: str, *, struck: bool = True) -> bool:
    if any(start < other[1] and other[0] < end for other in taken):
        return False
    taken.append((start, end, replacement, struck))
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
