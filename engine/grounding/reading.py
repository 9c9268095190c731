"""Find and judge the claims of one text.

Given a role's text, the fact sheet and the role's name, gives every claim with its offsets in the original text, its canonical key, the
claimed and the actual value and the verdict. Never raises, whatever the text holds; reads in linear time. It knows nothing of models,
prompts or earlier texts.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.domain.claims import Claim, Verdict
from engine.domain.facts import FactSheet
from engine.grounding.checks.doubts import hold_back
from engine.grounding.checks.surroundings import ReadItems
from engine.grounding.checks.verdict import CheckResult, check, check_since
from engine.grounding.document.context import Layout, mark_layout
from engine.grounding.grammar.marking import MarkedText, mark_distances, mark_roles
from engine.grounding.grammar.reader import fold, merge, read_raw_claims
from engine.grounding.grammar.scopes import mark_scopes
from engine.grounding.grammar.state import RawClaim, ReaderState
from engine.grounding.lexer.item import Item
from engine.grounding.lexer.lexer import read_items
from engine.grounding.lexer.normal import NormalText, normalise
from engine.grounding.passes import apply_passes
from engine.grounding.tables.table import IndicatorTable
from engine.grounding.words import categories as c
from engine.grounding.words.lists import SAME_ASSET, cue_words

_NO_COMPANY = cue_words("no_company")


def read_claims(
    text: str,
    sheet: FactSheet,
    source: str,
    spans: Sequence[tuple[int, int]] | None = None,
    earlier_sheet: FactSheet | None = None,
    *,
    table: IndicatorTable,
) -> tuple[Claim, ...]:
    """Return the claims of `text`, in reading order.

    source: the role that wrote it. spans: the parts [start, end) of the text to read, in code points; None reads all of it.
    earlier_sheet: the facts it was written about, where they are not `sheet`: a claim that has become false since is `moved`. table: the
    indicators it is read for; `sheet` is keyed by it.
    """
    claims: list[Claim] = []
    for first, last in spans if spans is not None else [(0, len(text))]:
        start, end = max(0, first), min(len(text), last)
        if start < end:
            claims.extend(_read(text, start, end, source, (sheet, earlier_sheet), table))
    return tuple(claims)


def _read(
    text: str,
    start: int,
    end: int,
    source: str,
    by: tuple[FactSheet, FactSheet | None],
    table: IndicatorTable,
) -> list[Claim]:
    sheet = by[1] or by[0]  # words mean what they meant when they were said
    normal = normalise(text[start:end])
    items = apply_passes(read_items(normal.text, table), table)
    raw_claims = understand(items, normal, text[start:end], sheet, table)
    judged = judge(items, normal, text[start:end], raw_claims, by, table)
    claims = [_claim(_located(text, start, normal, raw, source), *each) for raw, each in zip(raw_claims, judged, strict=True)]
    return fold(sorted(claims, key=lambda claim: (claim.value_start, claim.start)), text)


def understand(items: list[Item], normal: NormalText, text: str, sheet: FactSheet, table: IndicatorTable) -> list[RawClaim]:
    """Return what is stated about now in `items`, and write into their `mode` why the rest is not. text: the original behind `normal`."""

    def original(item: Item) -> str:
        return _written(item, normal, text)

    own = own_names(sheet.symbol) | names_in(sheet.name)
    for index, item in enumerate(items):
        if item.cat == c.UNKNOWN and original(item)[:1].isupper() and (item.val in own or (table.periods and _owns(items, index))):
            item.cat = c.ASSET
    marked = MarkedText(items, normal.text, own, original)
    mark_layout(Layout(text, [normal.starts[item.start] if item.start < len(normal.starts) else len(text) for item in items], marked))
    mark_roles(marked)
    mark_scopes(marked)
    mark_distances(marked, sheet.number("close"))
    has_position = sheet.get("side") is not None and sheet.word("side") is not None
    return merge(read_raw_claims(ReaderState(items, table, own, has_position, sheet.timeframe, sheet.timeframe_htf)), table)


def own_names(symbol: str) -> frozenset[str]:
    """Return every name of the sheet's own asset, lower case: ticker, full name, Chinese name."""
    base = symbol.replace(":", "/").split("/")[0].strip().lower()
    for ticker in (base, base.removesuffix("usdt"), base.removesuffix("usd"), base.partition(".")[0]):
        for names in SAME_ASSET:
            if ticker in names:
                return frozenset({*names, base})
    return frozenset({base, base.removesuffix("usdt"), base.partition(".")[0]})


def names_in(name: str) -> frozenset[str]:
    """Return what a company is called for short, lower case: its name, and the first word of it."""
    words = name.lower().split()
    return frozenset({name.lower(), words[0].strip(",.")}) if words else frozenset()


def _owns(items: list[Item], index: int) -> bool:
    """Recognise the company in `Acme's ROIC`: an unknown name, and a figure that is its."""
    behind = [item for item in items[index + 1 : index + 4] if item.cat != c.FILL]
    owner = (
        bool(behind) and behind[0].cat == c.LINK and behind[0].start == items[index].end and behind[0].end - behind[0].start == len("'s")
    )
    return owner and len(behind) > 1 and behind[1].cat == c.IND and items[index].val not in _NO_COMPANY


def _located(text: str, shift: int, normal: NormalText, raw: RawClaim, source: str) -> dict[str, Any]:
    """Return the fields of a claim that say who said what where."""
    start, end = normal.original(raw.start, raw.end)
    value_start, value_end = normal.original(raw.value_start, raw.value_end)
    return {
        "source": source,
        "start": shift + start,
        "end": shift + end,
        "value_start": shift + value_start,
        "value_end": shift + value_end,
        "text": text[shift + start : shift + end],
        "kind": "qualitative" if raw.relation == "state" else "quantitative",
        "relation": raw.relation,
        "hedged": raw.hedged,
        "attributed_to": raw.speaker,
    }


def judge(
    items: list[Item],
    normal: NormalText,
    text: str,
    raw_claims: list[RawClaim],
    by: tuple[FactSheet, FactSheet | None],
    table: IndicatorTable,
) -> list[tuple[CheckResult, CheckResult | None]]:
    """Return of every claim what the facts say of it now, and what those said that it was made about; None where they are the same.

    What was not understood whole is not convicted. text: the original behind `normal`. by: the facts of now, the facts of then.
    """

    def original(item: Item) -> str:
        return _written(item, normal, text)

    sheet, earlier_sheet = by
    if earlier_sheet is None:
        results = [check(raw, sheet, table) for raw in raw_claims]
        return [(result, None) for result in hold_back(ReadItems(items, normal.text, original, raw_claims, results, sheet, table))]
    pairs = [check_since(raw, earlier_sheet, sheet, table) for raw in raw_claims]
    then = hold_back(ReadItems(items, normal.text, original, raw_claims, [pair[0] for pair in pairs], earlier_sheet, table))
    now = hold_back(ReadItems(items, normal.text, original, raw_claims, [pair[1] for pair in pairs], sheet, table), then)
    return list(zip(now, then, strict=True))


def _written(item: Item, normal: NormalText, text: str) -> str:
    """Return the original spelling of an item; empty for one that a pass has put in."""
    if item.end <= item.start:
        return ""
    first, last = normal.original(item.start, item.end)
    return text[first:last]


def _since(then: CheckResult, now: CheckResult) -> Verdict:
    """Return the verdict of a claim about an earlier market: what was not checkable then is not judged by a later one."""
    both = {then.verdict, now.verdict}
    return "moved" if both == {"true", "false"} else "unverifiable" if "unverifiable" in both else now.verdict


def _claim(origin: Mapping[str, Any], now: CheckResult, then: CheckResult | None) -> Claim:
    return Claim(
        **origin,
        key=now.key,
        claimed=now.claimed,
        verdict=now.verdict if then is None else _since(then, now),
        actual=now.actual,
        unit=now.unit,
        deviation=now.deviation,
        tolerance=now.tolerance,
        reason=now.reason,
        said_verdict=then.verdict if then is not None else None,
        said_actual=then.actual if then is not None else None,
    )
