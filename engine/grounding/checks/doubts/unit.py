"""Doubts about the unit of a number: a distance, a share, a count or an amount is not the figure itself."""

from typing import Final

from engine.grounding.checks.surroundings import FAR_PRICE, FEW, PROFITS, ROUNDED, VALUES, ReadClaim
from engine.grounding.grammar.marking import SKIPPED
from engine.grounding.grammar.volume import VOLUME
from engine.grounding.tables.table import NamedIndicator
from engine.grounding.words import categories as c
from engine.grounding.words.lists import cue_pattern, cue_words

_OF_THE_POSITION: Final = frozenset({"profit_pct", "loss_pct", "mfe_pct", "mae_pct", "drawdown_from_peak_pct"})
_POINTS: Final = cue_words("points")
_MONEY: Final = cue_words("money")
_TIMES: Final = cue_words("multiples")
_BETWEEN_VALUES: Final = frozenset({c.AND, c.CONJ, c.FILL, c.HEDGE})
_APART: Final = cue_pattern("apart")
_COUNTS: Final = cue_pattern("counts")
_DIFFERENCES: Final = cue_pattern("differences")
_GAPS: Final = cue_pattern("gaps")
_GIVEN_BACK: Final = cue_pattern("given_back")
_PER_TIME: Final = cue_words("per_time")


def is_of_another_unit(reading: ReadClaim) -> str | None:
    """Doubt `1.6 ATR`, `2.5 ETH`, `+0.84 (+8.86%)`, `1.6个ATR（2.9%）`: a unit that the subject is not measured in."""
    written, behind = reading.item(reading.at).number, reading.behind()
    if not reading.is_number or written is None:
        return None
    before = _before(reading, reading.name)
    if reading.indicator.kind == "atr" and reading.name > 0 and reading.item(before).cat in VALUES:
        return reading.words(before, reading.at + 1)
    counted = reading.at + 1 < reading.clause[1] and reading.word(reading.at + 1)[:1] in {"个", "倍"}
    share = written.unit == "%" and reading.item(reading.at - 1).val == "share"  # `连ATR的2%都不到`
    if reading.indicator.kind == "atr" and (counted or share):
        return reading.words(reading.at - 1, min(reading.at + 2, reading.clause[1]))
    if behind is None:
        return None
    if reading.item(behind).cat == c.FRAME:
        behind = min(behind + 1, len(reading.text.items) - 1)  # `9.2 hourly ATRs`
    item, after = reading.item(behind), reading.item(min(behind + 1, len(reading.text.items) - 1))
    percent = after.number is not None and after.number.unit == "%" and item.cat == c.OPEN
    if percent and reading.indicator.unit == "percent" and written.unit != "%":
        return reading.words(reading.at, behind + 2)
    coins = item.cat == c.ASSET and behind == reading.at + 1 and reading.indicator.base != "size"
    named = isinstance(item.val, NamedIndicator) and item.val.indicator.kind == "atr" and reading.indicator.kind != "atr"
    ranges = named and (after is item or after.cat not in {c.NUM, c.LINK, c.OPEN} or reading.word(behind) == "atrs")
    return reading.words(reading.at, behind + 1) if coins or ranges else None


def is_a_count(reading: ReadClaim) -> str | None:
    """Doubt `股价位于52周区间`: so many weeks, not a price; and `a P/E that looks at seventy cents of every dollar`."""
    if not reading.is_number:
        return None
    if reading.indicator.unit not in {"price", "amount"} and reading.word(min(reading.at + 1, len(reading.text.items) - 1)) in _MONEY:
        return reading.words(reading.at, reading.at + 2)
    if reading.indicator.unit != "price":
        return None
    counted = _COUNTS.match(reading.text.normal, reading.item(reading.at).end)
    return reading.words(reading.at, reading.at + 1) + counted[0] if counted is not None else None


def is_in_money(reading: ReadClaim) -> str | None:
    """Doubt `a gain of 7.08 points`: how far the price has gone, from the entry or since the close before, where percent are measured."""
    before = "entry_price" if reading.indicator.base in PROFITS else "previous_close"
    said, entry, close = reading.raw.number, reading.text.sheet.number(before), reading.text.sheet.number("close")
    if (
        (reading.indicator.base not in PROFITS and reading.indicator.kind != "change")
        or not reading.is_number
        or said is None
        or entry is None
        or close is None
    ):
        return None
    written = reading.item(reading.at).number
    percent = written is not None and written.unit == "%"
    fits = abs(abs(said) - abs(close - entry)) <= reading.raw.step / 2 * ROUNDED or _is_in_points(reading, said)
    return reading.words(reading.at, min(reading.at + 2, reading.clause[1])) if fits and not percent else None


def _is_in_points(reading: ReadClaim, said: float) -> bool:
    """Return whether a profit is told in points that are no percentages: `止损触发亏46.5点`."""
    actual, behind = reading.result.actual, reading.word(min(reading.at + 1, reading.clause[1] - 1))
    return isinstance(actual, float) and behind in {"点", "points"} and abs(said) > FEW * abs(actual)


def is_difference(reading: ReadClaim) -> str | None:
    """Doubt `beyond the 25 line, by 13.6`, `-DI比+DI高出14.5`, `-DI/+DI约为2.04`, `10 points over the line`: how far, or how many times,
    what is no percentage."""
    if not reading.is_number or reading.indicator.unit == "percent" or reading.indicator.kind == VOLUME:
        return None
    before, name = max(reading.at - 1, 0), reading.name
    while before > reading.clause[0] and reading.word(before) != "by" and reading.item(before).cat in {c.FILL, c.HEDGE}:
        before -= 1
    if reading.raw.relation == "=" and reading.word(before) == "by":
        return reading.words(before, reading.at + 1)  # `by just 2.9 on the 1h`
    apart = _APART.match(reading.text.normal, reading.item(reading.at).end)
    if apart is not None:
        return reading.words(reading.at, reading.at + 1) + apart[0]
    if 1 < name < reading.at and reading.word(name - 1) == "/" and reading.item(name - 2).cat == c.IND:
        return reading.words(name - 2, name + 1)
    if name > reading.at and reading.word(reading.at).partition(" ")[0] in _TIMES:
        return reading.words(reading.at, name + 1)  # `double the P/E`
    found = _DIFFERENCES.search(reading.text.normal, reading.item(reading.clause[0]).start, reading.item(reading.at).start)
    return found[0] if found is not None else None


def is_a_price(reading: ReadClaim) -> str | None:
    """Doubt `our worst near 0.1929`: the price at that moment, where the result is measured in percent."""
    said, close, written = reading.raw.number, reading.text.sheet.number("close"), reading.item(reading.at).number
    if reading.indicator.base not in _OF_THE_POSITION or not reading.is_number or not said or not close:
        return None
    near = 1 / FAR_PRICE < abs(said / close) < FAR_PRICE
    percent = (written is not None and written.unit == "%") or reading.word(min(reading.at + 1, reading.clause[1] - 1)) in _POINTS
    return reading.words(reading.at, reading.at + 1) if near and not percent else None


def is_share_or_rate(reading: ReadClaim) -> str | None:
    """Doubt `24% a year`, `138% of equity`, `占峰值34%`, `the spread is 31`: a rate, a share or a gap."""
    written, shared, behind = reading.item(reading.at).number, reading.name - 1, reading.behind()
    if not reading.is_number or written is None:
        return None
    if written.unit == "%" and shared >= reading.clause[0] and reading.word(shared) == "占":
        return reading.words(shared, reading.at + 1)
    gap = _GAPS.search(reading.text.normal, reading.item(reading.clause[0]).start, reading.item(reading.at).end)
    if gap is not None:
        return gap[0]
    if behind is not None and written.unit == "%" and reading.item(behind).val == "of" and reading.indicator.kind != VOLUME:
        of = next((at for at in range(behind + 1, min(behind + FEW, reading.clause[1])) if reading.item(at).cat != c.FILL), None)
        if of is not None and reading.item(of).cat in {c.UNKNOWN, c.SINK}:
            return reading.words(reading.at, of + 1)
    timed = next((at for at in range(reading.at + 1, min(reading.at + FEW, reading.clause[1])) if reading.word(at) in _PER_TIME), None)
    return reading.words(reading.at, timed + 1) if timed is not None else None


def is_share_of_profit(reading: ReadClaim) -> str | None:
    """Doubt `只吐了15%的利润`, `gave back 15% of the gain`: a share of the profit, which is named behind it."""
    if reading.indicator.base not in PROFITS or not reading.is_number or reading.name < reading.at:
        return None
    found = _GIVEN_BACK.search(reading.text.normal, reading.item(reading.clause[0]).start, reading.item(reading.at).start)
    return found[0] if found is not None else None


def is_of_a_distance(reading: ReadClaim) -> str | None:
    """Doubt `15.4 dollars or 1.7 ATR above the EMA20`, `相距现价1.4和2.2个ATR`: what it is joined with is a distance."""
    items, joint = reading.text.items, reading.behind()
    joint = reading.clause[1] if joint is None else joint
    second = next((at for at in range(joint, min(joint + FEW, len(items))) if items[at].cat in VALUES), None)
    if not reading.is_number or second is None or items[second].mode != SKIPPED:
        return None
    joined = all(item.cat in _BETWEEN_VALUES for item in items[joint:second])
    return reading.words(reading.at, second + 1) if joined else None


def _before(reading: ReadClaim, place: int) -> int:
    """Return the item before a place that says something."""
    at = place - 1
    while at > 0 and reading.item(at).cat == c.FILL:
        at -= 1
    return max(at, 0)
