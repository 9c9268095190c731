"""What a role hears of another one's words: false statements put right, the points that rested on them marked, the sides in an order that
is drawn.

Pure. `~~RSI 38.0~~ 43.9 [corrected] ... [this point rested on a wrong number]`: a number alone would be replaced and the argument that was
built on it left standing.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

from engine.domain.claims import Claim
from engine.domain.facts import FactSheet
from engine.domain.text.language import Language
from engine.grounding.correct import correct_text
from engine.grounding.tables.table import IndicatorTable
from engine.prompts.fit import sentence_spans
from engine.prompts.render import Text

DRAWN: Final[Text] = {
    "en": "In each round the side that stands first was drawn by lot for this run: {side}.",
    "zh": "每一轮中先列哪一方由本次运行抽签决定：{side}。",
}
"""A sentence in the prompts of the judge, the research manager and the index advisor."""
FALLEN: Final[Text] = {"en": "[this point rested on a wrong number]", "zh": "[该论点所依据的数字有误]"}


def drawn(sides: Sequence[str], lot: str) -> str:
    """Return the side that comes first in what is read of a debate: the same for an equal lot."""
    return sides[hashlib.sha256(f"first side {lot}".encode()).digest()[0] % len(sides)]


def heard_words(
    text: str, claims: Sequence[Claim], sheet: FactSheet, language: Language, table: IndicatorTable, *, marks_points: bool = True
) -> str:
    """Return `text` as others read it. claims: of this text, in its offsets. table: the one they were read with. marks_points: whether
    points that rested on them are marked."""
    for mark in FALLEN.values():  # a speaker must not be able to forge the checker's mark
        text = text.replace(mark, f"({mark[1:-1]})")
    pieces, at = list[str](), 0
    for start, end in _points(text, claims):
        own = [moved_by(claim, -start) for claim in claims if start <= claim.start and claim.end <= end]
        said = correct_text(text[start:end], own, sheet, language, table)
        fell = marks_points and any(claim.verdict == "false" for claim in own)
        pieces += [text[at:start], f"{said} {FALLEN[language]}" if fell else said]
        at = end
    return "".join([*pieces, text[at:]])


def _points(text: str, claims: Sequence[Claim]) -> list[tuple[int, int]]:
    """Return where the sentences stand; those that one claim reaches across are one."""
    points: list[tuple[int, int]] = []
    for start, end in sentence_spans(text):
        if points and any(claim.start < points[-1][1] < claim.end for claim in claims):
            points[-1] = (points[-1][0], end)
        else:
            points.append((start, end))
    return points


def moved_by(claim: Claim, by: int) -> Claim:
    """Return a claim as it is in a text that begins elsewhere."""
    places = {name: getattr(claim, name) + by for name in ("start", "end", "value_start", "value_end")}
    return claim.model_copy(update=places)
