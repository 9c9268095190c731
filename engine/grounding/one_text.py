"""One text, grounded by itself: its claims, its score, the text as it reads when it is put right."""

from collections.abc import Sequence

from engine.domain.checked_text import CheckedText
from engine.domain.claims import Claim
from engine.domain.facts import FactSheet
from engine.domain.frozen_model import FrozenModel
from engine.domain.text.language import Language
from engine.grounding.correct import correct_text
from engine.grounding.reading import read_claims
from engine.grounding.tables.table import IndicatorTable
from engine.grounding.tables.thresholds import score_of
from engine.grounding.unread import unread_parts


class GroundedText(FrozenModel):
    """claims: in reading order. hallucination_score: percent of the checkable ones that are false, None without one. corrected_text: see
    `correct_text`."""

    claims: tuple[Claim, ...]
    hallucination_score: float | None
    corrected_text: str


def check_text(text: str, claims: Sequence[Claim], sheet: FactSheet, table: IndicatorTable) -> CheckedText:
    """Return a text that has been read with what was left out. claims: of all of it."""
    grounded = grounded_by(tuple(claims), text, sheet, None, table)
    unread = unread_parts(text, claims, sheet, table)
    return CheckedText(grounded.claims, unread, grounded.hallucination_score, grounded.corrected_text, sheet)


def ground_text(text: str, sheet: FactSheet, source: str, language: Language | None = None, *, table: IndicatorTable) -> GroundedText:
    """Read, judge and correct one text. source: who wrote it. language: of the corrections; None = the text's own."""
    return grounded_by(read_claims(text, sheet, source, table=table), text, sheet, language, table)


def grounded_by(claims: tuple[Claim, ...], text: str, sheet: FactSheet, language: Language | None, table: IndicatorTable) -> GroundedText:
    """Score and correct a text that has been read. claims: of all of it. language: as of `ground_text`."""
    false = sum(claim.verdict == "false" for claim in claims)
    checked = sum(claim.verdict != "unverifiable" for claim in claims)
    corrected = correct_text(text, claims, sheet, language or language_of(text), table)
    return GroundedText(claims=claims, hallucination_score=score_of(false, checked), corrected_text=corrected)


def language_of(text: str) -> Language:
    """Return Chinese when a good part of its letters are Chinese characters."""
    chinese = sum("\u4e00" <= character <= "\u9fff" for character in text)
    latin = sum(character.isascii() and character.isalpha() for character in text)
    return "zh" if chinese * 4 > latin else "en"
