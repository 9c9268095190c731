"""Finds and judges the claims of one text.

Given a role's text, the fact sheet and the role's name, gives every claim with its offsets in the original text, its canonical key, the
claimed and the actual value and the verdict. Never raises, whatever the text holds; reads in linear time. It knows nothing of models,
prompts or earlier texts.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.domain.claims import Claim, Verdict
from engine.domain.facts import FactSheet
from engine.grounding.compose import compose
from engine.grounding.item import Item
from engine.grounding.lexer import read_items
from engine.grounding.merging import fold, merge
from engine.grounding.normal import Normal, normalise
from engine.grounding.reader import Reader
from engine.grounding.scopes import Scopes
from engine.grounding.statement import Statement
from engine.grounding.tables import unroll
from engine.grounding.verdict import Outcome, check, check_since
from engine.grounding.words_states import SAME_ASSET


def read_claims(
    text: str, sheet: FactSheet, source: str, spans: Sequence[tuple[int, int]] | None = None, said_on: FactSheet | None = None
) -> tuple[Claim, ...]:
    """The claims of `text`, in reading order.

    source: the role that wrote it. spans: the parts [start, end) of the text to read, in code points; None reads all of it. said_on: the
    facts it was written about, where they are not `sheet`: what has become false since is `moved`, and nobody's lie.
    """
    claims: list[Claim] = []
    for first, last in spans if spans is not None else [(0, len(text))]:
        start, end = max(0, first), min(len(text), last)
        if start < end:
            claims.extend(_read(text, start, end, source, (sheet, said_on)))
    return tuple(claims)


def _read(text: str, start: int, end: int, source: str, by: tuple[FactSheet, FactSheet | None]) -> list[Claim]:
    sheet = by[1] or by[0]  # words mean what they meant when they were said
    normal = normalise(text[start:end])
    items = unroll(compose(read_items(normal.text)))
    own = own_names(sheet.symbol)

    def original(item: Item) -> str:
        first, last = normal.original(item.start, item.end)
        return text[start + first : start + last]

    Scopes(items, normal.text, own, original).mark()
    has_position = sheet.get("side") is not None and sheet.word("side") is not None
    reader = Reader(items, own, has_position, sheet.timeframe, sheet.timeframe_htf)
    statements = merge(reader.read())
    claims = [_judged(_place(text, start, normal, statement, source), statement, *by) for statement in statements]
    return fold(sorted(claims, key=lambda claim: (claim.value_start, claim.start)), text)


def own_names(symbol: str) -> frozenset[str]:
    """Every name of the sheet's own asset, lower case: ticker, full name, Chinese name."""
    base = symbol.replace(":", "/").split("/")[0].strip().lower()
    for ticker in (base, base.removesuffix("usdt"), base.removesuffix("usd")):
        for names in SAME_ASSET:
            if ticker in names:
                return frozenset({*names, base})
    return frozenset({base, base.removesuffix("usdt")})


def _place(text: str, shift: int, normal: Normal, statement: Statement, source: str) -> dict[str, Any]:
    """The fields of a claim that say who said what where."""
    start, end = normal.original(statement.start, statement.end)
    value_start, value_end = normal.original(statement.value_start, statement.value_end)
    return {
        "source": source,
        "start": shift + start,
        "end": shift + end,
        "value_start": shift + value_start,
        "value_end": shift + value_end,
        "text": text[shift + start : shift + end],
        "kind": "qualitative" if statement.relation == "state" else "quantitative",
        "relation": statement.relation,
        "hedged": statement.hedged,
        "attributed_to": statement.speaker,
    }


def _judged(place: Mapping[str, Any], statement: Statement, sheet: FactSheet, said_on: FactSheet | None) -> Claim:
    if said_on is None:
        return _claim(place, check(statement, sheet))
    then, now = check_since(statement, said_on, sheet)
    found = _claim(place, now, _since(then, now))
    return found.model_copy(update={"said_verdict": then.verdict, "said_actual": then.actual})


def _since(then: Outcome, now: Outcome) -> Verdict:
    """What was not checkable when it was said is not judged by a later market."""
    both = {then.verdict, now.verdict}
    return "moved" if both == {"true", "false"} else "unverifiable" if "unverifiable" in both else now.verdict


def _claim(place: Mapping[str, Any], outcome: Outcome, verdict: Verdict | None = None) -> Claim:
    return Claim(
        **place,
        key=outcome.key,
        claimed=outcome.claimed,
        verdict=verdict or outcome.verdict,
        actual=outcome.actual,
        unit=outcome.unit,
        deviation=outcome.deviation,
        tolerance=outcome.tolerance,
        reason=outcome.reason,
    )
