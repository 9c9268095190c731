"""How people write about companies and shares without naming what they mean: `22x earnings`, `120 shares at 174.35`, `23% of the account`,
`Q3`, `FY2023`, `2023年`.

Given items, gives items in which what is meant is shown as a name before its number. Does nothing for a table without periods.
"""

from dataclasses import replace

from engine.grounding.lexer.item import Item
from engine.grounding.lexer.numbers import Number
from engine.grounding.tables.table import IndicatorSpec, IndicatorTable
from engine.grounding.words import categories as c

_MULTIPLE_OF = {"net_income": "pe_ratio", "eps": "pe_ratio", "revenue": "ps_ratio"}
_MULTIPLE_BY_WORD = {"earnings": "pe_ratio", "profits": "pe_ratio", "book": "pb_ratio", "ebitda": "ev_to_ebitda"}
_MULTIPLES = frozenset({"pe_ratio", "pb_ratio", "ps_ratio", "ev_to_ebitda", "ev_to_revenue", "forward_pe", "interest_coverage"})
_MARGINS = {"gross": "gross_margin_pct", "operating": "operating_margin_pct", "net": "net_margin_pct"}
_OF_PARTS = frozenset({"revenue", "revenue_growth_pct", "gross_margin_pct"})
_ENDS = frozenset({c.WEAK, c.STRONG, c.CONJ})
_OF_SHARES = frozenset({"close", "shares_held", "position_value", "average_price"})
_OWNED = frozenset({c.POSITION, c.SIDE})
_EARNING = frozenset({"earned", "contributed", "brought", "made", "earns"})
_NEAR = 6
_FAR = 12
_YEARS = range(1990, 2040)
_BEFORE_YEAR = frozenset({"in", "of", "for"})  # `cash is 2010` states an amount
_DATED = len("2023年")


def name_what_companies_are_said_to_have(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Rewrite `22x earnings`, `120 shares at 174.35`, `23% of the account`, `Q3`: each number behind its name, each period a frame."""
    if not table.periods:
        return items
    out: list[Item] = []
    skipped = 0  # items of `items` that were taken together with the one before
    for index, item in enumerate(items):
        if skipped:
            skipped -= 1
            continue
        name = _implied(items, index, table) if item.cat in {c.NUM, c.RANGE} else None
        if name is not None:
            _put_name(out, table[name], item)
        frame, skipped = _period(items, index)
        item = _meant(items, index, table)  # noqa: PLW2901 - the item as it is meant
        price = item.val == "shares" and _is_share_word_of_price(items, index)
        if item.cat == c.DIR and _opens_with_today(items, index):
            out.append(Item(c.IND, table["close"], item.start, item.start, item.gap))
        dated = replace(item, cat=c.FRAME, val=frame, end=items[index + skipped].end) if frame else item
        out.append(replace(item, cat=c.IND, val=table["close"]) if price else dated)
    return out


def _meant(items: list[Item], index: int, table: IndicatorTable) -> Item:
    """Return the item as its neighbours show that it is meant."""
    item = items[index]
    base = ""
    if _is_yield_of_cash(items, index):
        base = "fcf_yield_pct"
    elif str(item.val) in _MARGINS and _is_one_of_margins(items, index):
        base = _MARGINS[str(item.val)]
    elif item.val == "shares" and (not index or items[index - 1].cat in _ENDS) and _is_colon(items, index + 1):
        base = "shares_held"
    elif _is_share_of_something(items, index) or (item.cat == c.IND and _is_of_segment(items, index)):
        return replace(item, cat=c.SINK, val=None)
    elif item.val == "one" and index and items[index - 1].cat == c.CMP and not _is_joined(items, index + 1):
        return replace(item, cat=c.NUM, val=Number(1.0))
    return replace(item, cat=c.IND, val=table[base]) if base else item


def _is_joined(items: list[Item], at: int) -> bool:
    return at < len(items) and items[at].cat == c.LINK


def _is_colon(items: list[Item], at: int) -> bool:
    return at < len(items) and items[at].val == "colon"


def _put_name(out: list[Item], named: IndicatorSpec, number: Item) -> None:
    """Put a name in front of its number, and of the comparison before it: `more than 400 shares`."""
    at = len(out)
    while at and out[at - 1].cat in {c.CMP, c.HEDGE}:
        at -= 1
    start = out[at].start if at < len(out) else number.start
    out.insert(at, Item(c.IND, named, start, start, number.gap))


def _implied(items: list[Item], index: int, table: IndicatorTable) -> str | None:
    """Return the base key of what the number at `index` is said of without a name."""
    number = items[index].number
    assert number is not None
    if number.unit == "x":
        return _multiple(items, index)
    if number.unit == "%":
        return _share_of_account(items, index)
    if number.unit == "$" and _is_earned(items, index):
        return "eps"
    if _is_whole_account(items, index) and number.unit in {"", "$"}:
        return "account_total_value"
    if number.unit == "" and not number.decimals and _counts_shares(items, index) and _is_owned(items, index):
        return "shares_held"
    return "average_price" if number.unit in {"", "$"} and _is_price_of_shares(items, index) else None


def _base(item: Item) -> str:
    return item.val.base if isinstance(item.val, IndicatorSpec) else ""


def _is_earned(items: list[Item], index: int) -> bool:
    """Recognise `the last quarter contributed $0.84 per share`."""
    behind = index + 1 < len(items) and items[index + 1].val == "per_share"
    return behind and any(item.cat == c.UNKNOWN and item.val in _EARNING for item in items[max(0, index - 2) : index])


def _multiple(items: list[Item], index: int) -> str | None:
    """Read `22 times earnings`, `34x sales`, `1.6x book`, `19 times EBITDA`, unless the multiple has been named."""
    after = next((at for at in range(index + 1, min(index + 4, len(items))) if items[at].val != "of" and not _is_filler(items[at])), None)
    if after is None:
        return None
    found = _MULTIPLE_OF.get(_base(items[after])) or _MULTIPLE_BY_WORD.get(str(items[after].val))
    before = _before(items, index, _NEAR)
    named = any(_base(item) in _MULTIPLES for item in before) or any(item.cat == c.NEG for item in before)
    if found is not None:
        items[after] = replace(items[after], cat=c.FILL, val=None)
    return found if not named else None


def _is_filler(item: Item) -> bool:
    return item.cat == c.FILL


def _before(items: list[Item], index: int, far: int) -> list[Item]:
    """Return the items of the clause before `index`, at most `far` of them."""
    start = index
    while start > 0 and index - start < far and items[start - 1].cat not in _ENDS:
        start -= 1
    return items[start:index]


def _share_of_account(items: list[Item], index: int) -> str | None:
    """Read `23% of the account`, unless it is a share of something else: of cash, of what may be risked."""
    following = next((item for item in items[index + 1 : index + 3] if item.val != "article"), None)
    if following is None or following.val != "of_account":
        return None
    before = _before(items, index, _FAR)
    named = [_base(item) for item in before if item.cat == c.IND]
    if any(_base(item) == "account_cash" for item in items[index + 1 : index + _NEAR]):
        return None  # `80% of the account sits in cash`
    if any(item.cat == c.SINK for item in before) or not set(named) <= _OF_SHARES:
        return None
    return "position_weight_pct"


def _is_whole_account(items: list[Item], index: int) -> bool:
    """Recognise `23% of a 98,760 account`, `account 600,000`."""
    behind = (
        index + 1 < len(items) and items[index + 1].val == "account" and index > 0 and items[index - 1].val in {"article", "of_account"}
    )
    opens = index < 2 or items[index - 2].cat in _ENDS
    return behind or (index > 0 and items[index - 1].val == "account" and opens)


def _counts_shares(items: list[Item], index: int) -> bool:
    """Recognise `120 shares`, `a 120-share position`, `持有400股`."""
    return any(item.val == "shares" for item in items[index + 1 : index + 3] if item.cat == c.FILL)


def _is_owned(items: list[Item], index: int) -> bool:
    """Return whether the clause says that they are held: `we own 120 shares`; or nothing but them: `300 shares at 395.20`."""
    before = _before(items, index, _NEAR)
    if any(_base(item) == "shares_held" for item in before):
        return False
    if any(item.cat in _OWNED or _base(item) == "position_weight_pct" or item.val == "net_long" for item in before):
        return True
    after = [item for item in items[index + 2 : index + 5] if item.cat != c.FILL][:2]
    priced = len(after) > 1 and after[0].cat == c.LINK and (after[1].cat == c.NUM or _base(after[1]) == "average_price")
    priced = priced or (bool(after) and _base(after[0]) == "average_price")
    return priced and all(item.cat == c.FILL for item in before)


def _is_price_of_shares(items: list[Item], index: int) -> bool:
    """Recognise the price in `we hold 120 shares at 174.35`, `long 500 shares from 14.88`."""
    if index < 3 or items[index - 1].cat not in {c.LINK, c.FROM} or not _ends(items, index + 1):
        return False
    back = index - 2
    if items[back].val != "shares" or items[back - 1].cat != c.NUM:
        return False
    return any(item.cat in _OWNED for item in _before(items, back - 1, _NEAR)) or _is_owned(items, back - 1)


def _ends(items: list[Item], at: int) -> bool:
    return at >= len(items) or items[at].cat in _ENDS or items[at].cat in {c.CLOSE, c.LINK, c.FILL}


def _is_share_word_of_price(items: list[Item], index: int) -> bool:
    """Recognise `Shares jumped 5.1%`: the price, at the beginning of a clause."""
    before = items[index - 1].cat if index else c.STRONG
    after = items[index + 1].cat if index + 1 < len(items) else c.STRONG
    return before in {c.STRONG, c.WEAK, c.CONJ} and not _is_colon(items, index + 1) and after in {c.DIR, c.TRADE, c.LINK}


def _is_yield_of_cash(items: list[Item], index: int) -> bool:
    """Recognise `free cash flow of $104bn, a yield of 3.6%`: not the dividend's."""
    written = items[index].end - items[index].start
    if _base(items[index]) != "dividend_yield_pct" or not len("yield") <= written <= len("the yield"):  # `股息率` is the dividend's
        return False
    near = items[max(0, index - _FAR) : index]
    start = max((at + 1 for at, item in enumerate(near) if item.cat == c.STRONG or item.val == "dividend"), default=0)
    return any(_base(item) in {"free_cash_flow", "fcf_growth_pct"} for item in near[start:])


def _is_share_of_something(items: list[Item], index: int) -> bool:
    """Recognise `直销占比45%`: a share, and not that of the position."""
    item = items[index]
    if _base(item) != "position_weight_pct" or item.end - item.start != len("占比") or not index:
        return False
    return items[index - 1].cat in {c.UNKNOWN, c.IND, c.ASSET, c.SINK}


def _is_one_of_margins(items: list[Item], index: int) -> bool:
    """Recognise the first words of `gross, operating and net margins`."""
    near = items[index + 1 : index + _NEAR + 1]
    if not near or (near[0].cat not in {c.WEAK, c.AND, c.CONJ} and str(near[0].val) not in {"/", *_MARGINS}):
        return False
    named = next((at for at, item in enumerate(near) if _base(item) in _MARGINS.values()), None)
    return named is not None and all(item.cat in {c.WEAK, c.AND, c.CONJ, c.FILL} or str(item.val) in _MARGINS for item in near[:named])


def _is_of_segment(items: list[Item], index: int) -> bool:
    """Recognise `酱香酒收入增长29%`, `Azure revenue grew 31%`: an unknown word right before the name says of which part it is."""
    item, before = items[index], items[index - 1] if index else None
    if before is None or before.cat != c.UNKNOWN or _base(item) not in _OF_PARTS or not str(before.val).isalpha():
        return False
    return not str(before.val).isascii() and not item.gap


def _opens_with_today(items: list[Item], index: int) -> bool:
    """Recognise `今日下跌0.9%`, `Down 0.9% today`: the price, where nothing else is named."""
    opens = (
        index == 0 or items[index - 1].cat == c.STRONG or (items[index - 1].val == "day" and (index == 1 or items[index - 2].cat in _ENDS))
    )
    number = items[index + 1].number if index + 1 < len(items) else None
    return opens and number is not None and number.unit == "%"


def _period(items: list[Item], index: int) -> tuple[str, int]:
    """Read `FY2023`, `fiscal 2021`, `in 2022`, `2023年`: the frame and how many items follow that belong to it; empty when it is none."""
    item = items[index]
    if item.val == "date" and item.end - item.start == _DATED:
        return "year", 0
    following = items[index + 1].number if index + 1 < len(items) and items[index + 1].cat == c.NUM else None
    year = following is not None and following.unit == "" and (following.integer in _YEARS or following.integer in range(15, 40))
    if year and item.cat == c.UNKNOWN and item.val in {"fy", "fiscal"}:
        return "year", 1
    number = item.number if item.cat == c.NUM else None
    dated = number is not None and number.integer in _YEARS and number.unit == "" and index > 0
    return ("year", 0) if dated and items[index - 1].val in _BEFORE_YEAR else ("", 0)
