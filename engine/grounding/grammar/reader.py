"""The grammar: from items to raw claims, one pass from left to right.

A sentence is read as a subject (an indicator, the price, the position, a pronoun), what joins it to a value (a verb, `=`, a comparison,
an approximation), and the value: a number, a range, another indicator, or a reading in words. Clause borders end what was pending;
a clause without a subject of its own goes on with the last one (`RSI 57.9, above 50`). Nothing is judged here.

`HANDLERS` names the function for each category of item (`words/categories.py` says what they mean); all of them work on one
`ReaderState`. An item whose mode says that it states nothing about now is read only for the pronouns that may follow it.

At the end claims that say one thing become one: three averages in a row (`EMA20 > EMA50 > EMA200`) are one claim about their order; the
same indicator found twice over the same words is found once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from engine.domain.claims import Claim
from engine.grounding.grammar.borders import end_clause, read_border, read_frame
from engine.grounding.grammar.joining import (
    read_closing_bracket,
    read_comparison,
    read_consequence,
    read_direction,
    read_joining_word,
    read_muted,
    read_opening_bracket,
    read_pipe,
    read_speaker,
    read_unknown,
    read_versus,
)
from engine.grounding.grammar.scopes import PAST_MODE, WEAK_DEFINITION
from engine.grounding.grammar.state import RawClaim, ReaderState, Subject
from engine.grounding.grammar.states import read_postposition, read_state
from engine.grounding.grammar.subjects import (
    mute_clause,
    read_asset,
    read_extreme,
    read_indicator,
    read_position,
    read_pronoun,
    read_side,
    read_trade,
)
from engine.grounding.grammar.values import read_count, read_value
from engine.grounding.lexer.item import Item
from engine.grounding.tables.table import IndicatorTable, NamedIndicator
from engine.grounding.words import categories as c

_SOFT = frozenset({c.FILL, c.LINK, c.NOW, c.OPEN, c.AND, c.HEDGE, c.THEN, c.NUM, c.RANGE})
_NAMING = frozenset({c.IND, c.STATE})
_BORDERS = frozenset({c.WEAK, c.CONJ, c.STRONG})

Handler = Callable[[ReaderState, int, Item], None]

HANDLERS: Mapping[str, Handler] = {
    c.IND: read_indicator, c.NUM: read_value, c.RANGE: read_value, c.COUNT: read_count, c.FRAME: read_frame,
    c.CMP: read_comparison, c.POST: read_postposition, c.STATE: read_state, c.IT: read_pronoun, c.SINK: mute_clause,
    c.TRADE: read_trade, c.ASSET: read_asset, c.POSITION: read_position, c.SIDE: read_side, c.SPEAKER: read_speaker,
    c.DIR: read_direction, c.UNKNOWN: read_unknown, c.WEAK: read_border, c.CONJ: read_border, c.STRONG: read_border,
    c.PIPE: read_pipe, c.FUZZY: read_extreme, c.OPEN: read_opening_bracket, c.THEN: read_consequence,
    c.CLOSE: read_closing_bracket, c.VERSUS: read_versus,
}  # fmt: skip
"""What is done at an item of each category; all others are `read_joining_word`."""
_BRACKETS = frozenset("([（【 \t")
_ALIGNMENT = "ema_alignment"


def read_raw_claims(state: ReaderState) -> Sequence[RawClaim]:
    """Return every claim of the items in `state`, in reading order."""
    for index, item in enumerate(state.items):
        if item.mode and item.mode not in {PAST_MODE, WEAK_DEFINITION} and item.cat not in _BORDERS:
            read_muted(state, index, item)
            continue
        HANDLERS.get(item.cat, read_joining_word)(state, index, item)
        if item.cat == c.MEAN or (item.cat in _NAMING and state.kind_at(index) == "volume"):
            state.clause.names_volume = True
        if item.cat not in _SOFT:
            state.clause.is_soft = state.clause.is_soft and item.cat in _BORDERS
    end_clause(state, len(state.items))
    return state.claims


def merge(claims: Iterable[RawClaim], table: IndicatorTable) -> list[RawClaim]:
    """Return the claims without repetitions."""
    distinct = _distinct(claims)
    return _chains(distinct, table.named(_ALIGNMENT)) if _ALIGNMENT in table else distinct


def _distinct(claims: Iterable[RawClaim]) -> list[RawClaim]:
    """Return the claims without those whose value overlaps an earlier one of the same indicator."""
    out: list[RawClaim] = []
    seen: dict[tuple[str, str | None], int] = {}
    for claim in sorted(claims, key=lambda one: (one.value_start, one.start)):
        key = (claim.subject.named.key, claim.subject.frame)
        if seen.get(key, -1) > claim.value_start:
            continue
        seen[key] = claim.value_end
        out.append(claim)
    return out


def _chains(claims: Iterable[RawClaim], alignment: NamedIndicator) -> list[RawClaim]:
    """Join EMA20 against EMA50 and EMA50 against EMA200, the same way and side by side: the order of the averages."""
    out: list[RawClaim] = []
    for claim in claims:
        last = out[-1] if out else None
        if last is not None and _links(last, claim):
            state = "bullish_align" if last.state.startswith("above") else "bearish_align"
            subject = Subject(alignment, last.subject.at, last.subject.frame)
            out[-1] = RawClaim(subject, last.at, last.start, claim.end, last.start, claim.end, state=state, speaker=last.speaker)
            continue
        out.append(claim)
    return out


def _links(first: RawClaim, second: RawClaim) -> bool:
    if first.other is None or second.other is None or first.subject.named.key != "ema_20" or second.other.named.key != "ema_200":
        return False
    same_way = first.state.split("_")[0] == second.state.split("_")[0]
    return same_way and first.other.named.key == second.subject.named.key == "ema_50" and second.start <= first.end


def fold(claims: list[Claim], text: str) -> list[Claim]:
    """Join a reading in brackets with its own number, `RSI=28 (oversold)`, where both have the same verdict."""
    out: list[Claim] = []
    for claim in claims:
        last = out[-1] if out else None
        if last is not None and _restates(last, claim, text):
            end = claim.end + (text[claim.end : claim.end + 1] in {")", "）", "】", "]"})
            out[-1] = last.model_copy(update={"end": end, "value_end": end, "text": text[last.start : end]})
            continue
        out.append(claim)
    return out


def _restates(number: Claim, state: Claim, text: str) -> bool:
    if (
        number.key != state.key
        or (number.verdict, number.said_verdict) != (state.verdict, state.said_verdict)
        or number.kind != "quantitative"
        or state.kind != "qualitative"
    ):
        return False
    between = text[number.value_end : state.value_start]
    return number.verdict != "unverifiable" and 0 < len(between) <= 4 and set(between) <= _BRACKETS and not between.isspace()
