"""One text, grounded by itself: its claims, its score, the text as it reads when it is put right, what was left out, and the text as a
labelled case, as `tests/grounding` reads them. Pure.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Final, cast, get_args

from pydantic import JsonValue

from engine.domain.checked_text import CheckedText, UnreadPart, WhyUnread
from engine.domain.claims import Claim
from engine.domain.facts import FactSheet
from engine.domain.frozen_model import FrozenModel
from engine.domain.text.language import Language
from engine.grounding.correct import correct_text
from engine.grounding.grammar.marking import CLAUSE
from engine.grounding.lexer.item import Item
from engine.grounding.lexer.lexer import read_items
from engine.grounding.lexer.normal import NormalText, normalise
from engine.grounding.passes import apply_passes
from engine.grounding.reading import read_claims, understand
from engine.grounding.tables.table import IndicatorTable
from engine.grounding.tables.thresholds import score_of
from engine.grounding.words import categories as c

_FIGURES: Final = frozenset({c.NUM, c.RANGE, c.FUZZY})
_NAMES: Final = frozenset({c.IND, c.STATE})
_BORDERS: Final = CLAUSE | {c.STRONG}
_KNOWN: Final = frozenset(get_args(WhyUnread)) - {""}
_ALWAYS = {"start", "end", "kind", "relation", "claimed"}
_WHERE_THEY_APPLY = {"deviation", "tolerance", "attributed_to"}


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


def unread_parts(text: str, claims: Sequence[Claim], sheet: FactSheet, table: IndicatorTable) -> tuple[UnreadPart, ...]:
    """Return the clauses without a claim that name an indicator or a figure, and of other clauses the figures that belong to no claim, in
    reading order. claims: of the whole text."""
    normal = normalise(text)
    items = apply_passes(read_items(normal.text, table), table)
    if not items:
        return ()
    understand(items, normal, text, sheet, table)
    found = []
    for clause in _clauses(items):
        if not any(_is_read(item, normal, claims) for item in clause):
            named = [item for item in clause if item.cat in _FIGURES | _NAMES]
            found += [_part(clause, named, normal, text)] if named else []
        else:
            left = (item for item in clause if item.cat in _FIGURES and not _is_read(item, normal, claims))
            found += [_part([item], [item], normal, text) for item in left]
    return tuple(found)


def _clauses(items: Iterable[Item]) -> list[list[Item]]:
    """Return the clauses of a text, without what divides them."""
    clauses: list[list[Item]] = [[]]
    for item in items:
        if item.cat in _BORDERS:
            clauses.append([])
        elif item.end > item.start:  # a pass may put in items that nobody wrote
            clauses[-1].append(item)
    return [clause for clause in clauses if clause]


def _is_read(item: Item, normal: NormalText, claims: Sequence[Claim]) -> bool:
    start, end = normal.original(item.start, item.end)
    return any(start < claim.end and claim.start < end for claim in claims)


def _part(clause: Sequence[Item], named: Sequence[Item], normal: NormalText, text: str) -> UnreadPart:
    start, end = normal.original(clause[0].start, clause[-1].end)
    why = next((mode for item in named if (mode := item.mode.rstrip("?")) in _KNOWN), "")
    return UnreadPart(start, end, text[start:end], cast(WhyUnread, why))


def labelled_text(
    name: str, text: str, claims: Sequence[Claim], sheet: FactSheet, path: str, disputed: Collection[str]
) -> dict[str, JsonValue]:
    """Return the case. name: its id. claims: of the text, at least one. sheet: what the text is about. path: `entry`, `position` or
    `equity`. disputed: ids of the claims that a person says were struck wrongly; they are labelled `unverifiable`, so that a reader that
    strikes them again is counted as wrong."""
    facts: dict[str, JsonValue] = {"symbol": sheet.symbol, "timeframe": sheet.timeframe, **{fact.key: fact.value for fact in sheet}}
    return {
        "id": name,
        "lang": language_of(text),
        "path": path,
        "source": claims[0].source,
        "style": "disputed",
        "text": text,
        "facts": facts,
        "claims": [_label(claim, is_disputed=claim.id in disputed) for claim in claims],
        "non_claims": [],
        "non_claim_spans": [],
    }


def _label(claim: Claim, *, is_disputed: bool) -> dict[str, JsonValue]:
    return {
        "span": claim.text,
        "indicator": claim.key,
        **claim.model_dump(mode="json", include=_ALWAYS),
        "verdict": "unverifiable" if is_disputed else claim.when_said,
        "actual": claim.said_actual if claim.said_verdict is not None else claim.actual,
        **({"hedged": True} if claim.hedged else {}),
        **claim.model_dump(mode="json", include=_WHERE_THEY_APPLY, exclude_none=True),
    }
