"""A text with its false statements replaced by the true ones, visibly.

`RSI(14)=28.4` becomes `RSI(14)=~~28.4~~ 48.6 [corrected]`; a statement that is false as a whole (a bound, a comparison, a word) is struck
and followed by the truth: `~~MACD金叉~~ MACD=-6.42 (负值, 死叉) [已更正]`. What was true when it was said and has moved since is not
struck: what it is now follows it, `RSI(14)=48.6 [now 52.1]`. The rest of the text stays as it is, but for marks that imitate these: a
speaker cannot correct himself in the name of the checker.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.domain.claims import Claim
from engine.domain.facts import FactSheet
from engine.domain.text.language import Language
from engine.grounding.report.wording import FactWording
from engine.grounding.tables.table import IndicatorTable

MARKS: dict[Language, str] = {"en": "[corrected]", "zh": "[已更正]"}
_NOW: dict[Language, str] = {"en": "[now {value}]", "zh": "[现为 {value}]"}
_IMITATION = re.compile(r"[\[【](corrected|已更正|(?:now\b|现为)[^\]】\n]*)[\]】]", re.IGNORECASE)


@dataclass
class _Edits:
    """What is put where, in order of place: start, end, what follows, and whether what stood there is struck. No two overlap."""

    found: list[tuple[int, int, str, bool]] = field(default_factory=list)

    def take(self, start: int, end: int, replacement: str, *, struck: bool = True) -> bool:
        """Add an edit unless it overlaps one that is there; say whether it was added."""
        at = bisect_left(self.found, (end,))
        if at and self.found[at - 1][1] > start:
            return False
        self.found.insert(at, (start, end, replacement, struck))
        return True


def correct_text(text: str, claims: Iterable[Claim], sheet: FactSheet, language: Language, table: IndicatorTable) -> str:
    """Return `text` with every false claim replaced and every moved one followed by what it is now.

    claims: of this text; others, and those that overlap an earlier one, change nothing. table: the one they were read with.
    """
    pieces: list[str] = []
    at = 0
    for start, end, replacement, struck in _edits(text, claims, FactWording(sheet, language, table)).found:
        pieces.append(_harmless(text[at:start]))
        said = f"~~{_unstruck(text[start:end])}~~" if struck else _harmless(text[start:end])
        pieces.append(f"{said} {replacement}")
        at = end
    pieces.append(_harmless(text[at:]))
    return "".join(pieces)


def _edits(text: str, claims: Iterable[Claim], wording: FactWording) -> _Edits:
    """Return what is put where. Numbers first: a claim that is false as a whole must not swallow one that can be put right by itself."""
    usable = [claim for claim in claims if 0 <= claim.start < claim.end <= len(text)]
    false = [claim for claim in usable if claim.verdict == "false"]
    mark, edits = MARKS[wording.language], _Edits()
    for claim in (claim for claim in false if _by_value(claim)):
        edits.take(claim.value_start, claim.value_end, f"{_value(claim, text, wording)} {mark}")
    for claim in (claim for claim in false if not _by_value(claim)):
        truth = f"{wording.truth(claim)} {mark}"
        if not edits.take(claim.start, claim.end, truth):
            edits.take(claim.value_start, claim.value_end, truth)
    for claim in (claim for claim in usable if claim.has_moved):
        now = _value(claim, text, wording) if _by_value(claim) else wording.truth(claim)
        edits.take(claim.value_start, claim.value_end, _NOW[wording.language].format(value=now), struck=False)
    return edits


def _by_value(claim: Claim) -> bool:
    """Return whether it is enough to replace the number: an equation written in the fact's own unit."""
    percent_of_volume = claim.key.endswith("volume_ratio_20") and "%" in claim.text
    return claim.relation == "=" and not percent_of_volume


def _value(claim: Claim, text: str, wording: FactWording) -> str:
    value = wording.value(claim.key) or str(claim.actual)
    written = text[claim.value_start : claim.value_end]
    indicator, _, _ = wording.table.find(claim.key)
    if indicator is not None and indicator.signed and isinstance(claim.actual, float) and claim.actual >= 0 and not value.startswith("+"):
        value = f"+{value}"
    if indicator is not None and indicator.unit == "multiple" and written.rstrip().endswith("倍"):
        value = value.rstrip("x") + "倍"
    if written.endswith((")", "）", "】", "]")):  # a reading in brackets was part of the claim
        reading = wording.reading(claim.key)
        value += f" ({reading})" if reading else ""
    return f"${value}" if written.lstrip().startswith("$") else value


def _harmless(text: str) -> str:
    return _IMITATION.sub(r"(\1)", text)


def _unstruck(text: str) -> str:
    return text.replace("~~", "").replace("\n", " ")
