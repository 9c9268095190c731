"""How a text was understood, step by step, for people who work on the grammar or wonder about a verdict.

Given a text and its sheet, gives the items after the lexer and after every pass that changed something, what states nothing about now,
what was read and how it was judged. Uses the very functions of `reading.py`; nothing is read or judged in another way.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from engine.domain.claims import Claim
from engine.domain.facts import FactSheet
from engine.grounding.checks.verdict import key_of
from engine.grounding.grammar.state import RawClaim
from engine.grounding.lexer.item import Item
from engine.grounding.lexer.lexer import read_items
from engine.grounding.lexer.normal import normalise
from engine.grounding.lexer.numbers import Number
from engine.grounding.passes import PASSES
from engine.grounding.reading import read_claims, understand
from engine.grounding.tables.table import IndicatorSpec, IndicatorTable, NamedIndicator


@dataclass(frozen=True)
class Step:
    """One step. name: of the pass, or `lexer`, `scopes`, `grammar`, `verdicts`. about: what it does. lines: what there is after it; empty
    where a pass changed nothing."""

    name: str
    about: str
    lines: tuple[str, ...]


def explain_text(text: str, sheet: FactSheet, source: str, table: IndicatorTable) -> tuple[Step, ...]:
    """Return the steps from text to verdicts, in order. The text is read whole."""
    normal = normalise(text)
    items = read_items(normal.text, table)
    steps = [Step("lexer", "Tokens become items: category, what it means, the words.", _items(items, normal.text))]
    for rewrite in PASSES:
        before, items = _items(items, normal.text), rewrite(items, table)
        after = _items(items, normal.text)
        steps.append(Step(rewrite.__name__, _first_line(rewrite.__doc__), after if after != before else ()))
    raw_claims = understand(items, normal, text, sheet, table) if text else []
    steps.append(Step("scopes", "Why items state nothing about now.", _items((item for item in items if item.mode), normal.text)))
    steps.append(Step("grammar", "What is stated.", tuple(_raw(raw, normal.text) for raw in raw_claims)))
    claims = read_claims(text, sheet, source, table=table)
    return (*steps, Step("verdicts", "What the facts say of it.", tuple(map(_judged, claims))))


def _first_line(text: str | None) -> str:
    return (text or "").strip().split("\n")[0]


def _items(items: Iterable[Item], text: str) -> tuple[str, ...]:
    return tuple(_item(item, text) for item in items)


def _item(item: Item, text: str) -> str:
    meaning, mode = _meaning(item.val), f"  ({item.mode})" if item.mode else ""
    return f"{item.cat:10} {meaning:24} {text[item.start : item.end]!r}{mode}"


def _meaning(val: object) -> str:
    if isinstance(val, NamedIndicator):
        return f"{val.frame}.{val.key}" if val.frame is not None else val.key
    if isinstance(val, IndicatorSpec):
        return val.base
    if isinstance(val, Number):
        return f"{val.bound}{val.value:g}{val.unit}"
    if isinstance(val, tuple):
        return " .. ".join(map(_meaning, val))
    return "" if val is None else str(val)


def _raw(raw: RawClaim, text: str) -> str:
    key = key_of(raw.subject, raw.base)
    if raw.relation == "state":
        other = f" ({key_of(raw.other)})" if raw.other is not None else ""
        stated = f"is {'not ' if raw.negated else ''}{raw.state}{other}"
    else:
        stated = f"{raw.relation} {raw.number:g}" + (f" .. {raw.high:g}" if raw.high is not None else "")
    return f"{key} {stated}  {text[raw.start : raw.end]!r}"


def _judged(claim: Claim) -> str:
    actual = "" if claim.actual is None else f" (actual {claim.actual})"
    return f"{claim.verdict}: {claim.key} {claim.relation} {claim.claimed}{actual}  {claim.text!r}"
