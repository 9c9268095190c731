"""Doubts about whose figure a number is: it may belong to another company, a part of the position, a plan or an unnamed party."""

from typing import Final

from engine.grounding.checks.surroundings import COUNTED, FEW, OTHERS, PROFITS, ReadClaim
from engine.grounding.tables.table import NamedIndicator
from engine.grounding.words import categories as c
from engine.grounding.words.lists import cue_pattern, cue_words

_OWNED: Final = frozenset({c.POSITION, c.SIDE, c.TRADE, c.ASSET, c.IT})
_EARNINGS: Final = frozenset({"net_income", "net_loss", "eps", "eps_loss"})
_SHORTEST_NAME: Final = 3
_AGAIN: Final = cue_pattern("again")
_AMOUNTS: Final = cue_pattern("amounts")
_NOT_OURS: Final = cue_pattern("not_ours")
_OTHER_EARNINGS: Final = cue_pattern("other_earnings")
_OURS: Final = cue_words("ours")
_TRADED: Final = cue_pattern("traded")
_VALUED: Final = cue_pattern("valued")


def is_of_others(reading: ReadClaim) -> str | None:
    """Doubt what comes after `peers`, `for comparison`, `同行`, or behind another asset and not behind the own one."""
    first, at = reading.sentence[0], reading.at
    found = _NOT_OURS.search(reading.text.normal, reading.item(first).start, reading.item(at).end)
    if found is not None:
        return found[0]
    other = next(
        (index for index in range(at - 1, first - 1, -1) if reading.item(index).mode == "other" and reading.item(index).cat in OTHERS),
        None,
    )
    segment = reading.text.items[first:at] if other is not None and reading.clause[0] > other else []
    if any(item.val == "segment" for item in segment):
        return None  # `while costs grew 4%, revenue grew 9%`
    if other is None or reading.is_confirmed_since(other):
        return None
    own = any(
        (reading.item(index).cat == c.ASSET and not reading.item(index).mode) or reading.word(index) in _OURS for index in range(first, at)
    )
    return reading.words(other, min(other + FEW, at)) if not own else None


def is_of_somebody(reading: ReadClaim) -> str | None:
    """Doubt `Merrow at 12.3 times EBITDA`, `the margin that Danton earns`: an unknown name before the value."""
    for index in range(reading.clause[0], reading.at):
        written = reading.text.original(reading.item(index)) if reading.item(index).cat == c.UNKNOWN else ""
        if not (
            len(written) >= _SHORTEST_NAME and written[0].isupper() and not written.isupper() and written.isascii() and written.isalpha()
        ):
            continue
        if any(reading.item(later).val == "colon" for later in range(index, min(index + FEW, reading.clause[1]))):
            continue  # a label
        before = index - 1
        while before >= 0 and reading.item(before).cat in {c.FILL, c.OPEN, c.PIPE}:
            before -= 1
        begins = before < 0 or reading.item(before).cat in {c.WEAK, c.STRONG} or reading.item(before).val == "colon"
        after = reading.item(index + 1).cat
        if not begins or after == c.TRADE or (after == c.LINK and reading.word(index + 1) in {"at", "'s"}):
            return written
    return None


def is_of_a_stranger(reading: ReadClaim) -> str | None:
    """Doubt `格力虽然只有8倍市盈率`: a clause that begins with unknown words, and the name behind its number."""
    at = reading.clause[0]
    while at - 2 >= reading.sentence[0] and reading.item(at - 1).cat == c.CONJ and reading.item(at - 2).cat == c.UNKNOWN:
        at -= 2
    while at < reading.at and reading.item(at).cat in {c.FILL, c.CONJ}:
        at += 1
    strange = at < reading.at and reading.item(at).cat == c.UNKNOWN and len(reading.word(at)) > 1 and not reading.word(at).isascii()
    return reading.word(at) if reading.is_number and strange and reading.name > reading.at else None


def is_of_nobody(reading: ReadClaim) -> str | None:
    """Doubt shares and shares of the account of which the clause does not say that they are held."""
    if not reading.is_implied or reading.indicator.base not in COUNTED:
        return None
    held = any(
        reading.item(at).cat in _OWNED or reading.item(at).val == "net_long"
        for at in range(reading.clause[0], reading.at)
        if at != reading.name
    )
    return None if held else reading.words(reading.at, min(reading.at + FEW, reading.clause[1]))


def is_of_a_part(reading: ReadClaim) -> str | None:
    """Doubt `cover half (12 SOL) at 158`: a part of the position is spoken of."""
    if reading.indicator.base != "size" or not reading.is_number:
        return None
    found = _TRADED.search(reading.text.normal, reading.item(reading.sentence[0]).start, reading.item(reading.at).start)
    return found[0] if found is not None else None


def is_of_other_earnings(reading: ReadClaim) -> str | None:
    """Doubt `gross profit of $8.0bn`, `implied forward EPS is $5.30`."""
    if reading.indicator.base not in _EARNINGS or not reading.is_number:
        return None
    found = _OTHER_EARNINGS.search(reading.text.normal, reading.item(reading.clause[0]).start, reading.item(reading.at).start)
    return found[0] if found is not None else None


def is_of_a_target(reading: ReadClaim) -> str | None:
    """Doubt `a target price of 158, at 29.8 times forward earnings`: the multiple that a price to come is worked out with."""
    if reading.indicator.unit != "ratio" or not reading.is_number:
        return None
    found = _VALUED.search(reading.text.normal, reading.item(reading.sentence[0]).start, reading.item(reading.sentence[1] - 1).end)
    return found[0] if found is not None else None


def is_of_the_market(reading: ReadClaim) -> str | None:
    """Doubt an entry price behind the name of an asset: `shorts printing, DOGE .183`; a new one: `a fresh entry at 0.1834`; sales that may
    be trading: `turnover`; and `a price gain of 2.07%`."""
    base, name = reading.indicator.base, reading.name
    if base.startswith("revenue"):
        return reading.word(name) if reading.word(name) == "turnover" else None
    if base in PROFITS:
        return reading.words(name - 1, name + 1) if name and reading.is_price(name - 1) else None
    if base != "entry_price":
        return None
    again = _AGAIN.search(reading.text.normal, reading.item(reading.clause[0]).start, reading.item(reading.at).start)
    asset = reading.first(reading.between, c.ASSET) if reading.item(name).cat == c.SIDE else None
    return again[0] if again is not None else reading.word(asset) if asset is not None else None


def is_of_something_else(reading: ReadClaim) -> str | None:
    """Doubt `size_to_close: 60`, `the last third at 2.165`, `giving back a 2.6% gain`, `现金410000元，占比45.7%`."""
    base, name = reading.indicator.base, reading.name
    if base == "close":
        part = reading.word(name).endswith("last") and reading.item(name + 1).cat == c.UNKNOWN
        key = reading.text.normal[: reading.item(name).start].endswith("to_")
        before = next((at for at in range(name - 1, reading.clause[0], -1) if reading.item(at).cat != c.FILL), name)
        beside = reading.item(before).cat == c.CMP  # `one ATR below the market is 2,160.4`
        return reading.words(before, name + 2) if part or key or beside else None
    named = [each for at in range(reading.sentence[0], name) if isinstance(each := reading.item(at).val, NamedIndicator)]
    if base == "position_weight_pct":
        amount = _AMOUNTS.search(reading.text.normal, reading.item(reading.sentence[0]).start, reading.item(reading.at).start)
        cash = bool(named) and named[-1].indicator.base == "account_cash"
        return amount[0] if amount is not None else reading.words(name, reading.at + 1) if cash else None
    behind = reading.item(min(reading.at + 1, len(reading.text.items) - 1)).val
    gain = isinstance(behind, NamedIndicator) and behind.indicator.base in PROFITS and reading.is_number
    return reading.words(reading.at, reading.at + 2) if gain and base == "drawdown_from_peak_pct" else None
