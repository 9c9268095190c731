"""How listed instruments are traded, read from the form of their symbols: lots, steps, limits and when shares may be sold again.

A small table of our own, because no calendar package has it: one line per board. A symbol is written as `AAPL` (New York), `600028.SH`,
`000858.SZ` (mainland China), `0700.HK` (Hong Kong) or `^GSPC` (an index); `.SS` is `.SH`. Nothing is looked up anywhere.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from engine.domain.equity.listing import Listing, ListingKind, ListingMarket
from engine.domain.errors import BadInput
from engine.domain.text.reason import Reason

_CENT, _TENTH_OF_A_CENT = Decimal("0.01"), Decimal("0.001")


@dataclass(frozen=True)
class Board:
    """The rules of one board. symbol: the whole form. See `Listing` for the units."""

    symbol: re.Pattern[str]
    market: ListingMarket
    kind: ListingKind
    calendar: str
    currency: str
    time_zone: str
    lot: int = 1
    min_order: int = 1
    sessions_until_sellable: int = 0
    price_limit_pct: float | None = None
    price_step: Decimal | None = _CENT


def _mainland(form: str, kind: ListingKind, lot: int, min_order: int, limit: float | None, step: Decimal = _CENT) -> Board:
    """Return a board of Shanghai or Shenzhen (one calendar): shares may be sold from the session after they were bought in on."""
    return Board(re.compile(form), "CN", kind, "XSHG", "CNY", "Asia/Shanghai", lot, min_order, 1, limit, step)


def _american(form: str, kind: ListingKind) -> Board:
    return Board(re.compile(form), "US", kind, "XNYS", "USD", "America/New_York")


BOARDS = (
    _mainland(r"(?:000\d{3}\.SH|399\d{3}\.SZ|899\d{3}\.BJ)", "index", 100, 100, None),
    _mainland(r"68[89]\d{3}\.SH", "stock", 1, 200, 20.0),  # STAR: 200 shares at least, then share by share
    _mainland(r"30[01]\d{3}\.SZ", "stock", 100, 100, 20.0),  # ChiNext
    _mainland(r"(?:60[0135]\d{3}\.SH|00[0-3]\d{3}\.SZ)", "stock", 100, 100, 10.0),  # the main boards
    _mainland(r"(?:[48]\d{5}|92\d{4})\.BJ", "stock", 1, 100, 30.0),  # Beijing
    _mainland(r"(?:5[0168]\d{4}\.SH|1[568]\d{4}\.SZ)", "fund", 100, 100, 10.0, _TENTH_OF_A_CENT),
    Board(re.compile(r"\^HS[A-Z]{1,6}"), "HK", "index", "XHKG", "HKD", "Asia/Hong_Kong"),
    Board(re.compile(r"\d{4,5}\.HK"), "HK", "stock", "XHKG", "HKD", "Asia/Hong_Kong", 100, 100, price_step=None),
    _american(r"(?:SPY|QQQ|DIA|IWM|VTI|VOO|IVV|VEA|EEM|GLD|TLT|XL[BCEFIKPRUVY])", "fund"),
    _american(r"\^[A-Z0-9.]{1,8}", "index"),
    _american(r"[A-Z]{1,5}(?:[.-][A-Z]{1,2})?", "stock"),
)
"""The first form that fits is the listing's."""

HONG_KONG_LOTS: Mapping[str, int] = {
    "0001.HK": 500, "0003.HK": 1000, "0005.HK": 400, "0011.HK": 100, "0016.HK": 500, "0027.HK": 1000, "0066.HK": 500, "0175.HK": 1000,
    "0267.HK": 1000, "0386.HK": 2000, "0388.HK": 100, "0669.HK": 500, "0688.HK": 500, "0700.HK": 100, "0762.HK": 2000, "0823.HK": 100,
    "0857.HK": 2000, "0883.HK": 1000, "0939.HK": 1000, "0941.HK": 500, "0981.HK": 500, "1211.HK": 500, "1299.HK": 200, "1398.HK": 1000,
    "1810.HK": 200, "2318.HK": 500, "2628.HK": 1000, "3690.HK": 100, "3968.HK": 500, "3988.HK": 1000, "9618.HK": 50, "9888.HK": 50,
    "9988.HK": 100, "9999.HK": 100,
}  # fmt: skip
"""Companies in Hong Kong choose their own lots: those of the best known ones."""


def listing_of(symbol: str, name: str | None = None) -> Listing:
    """Return the listing of a symbol, in its one spelling. Raises BadInput for a form that no board has."""
    canonical = canonical_symbol(symbol)
    board = _board(canonical)
    if board is None:
        bare = Reason("hint_did_you_mean", near=_with_suffix(canonical)) if re.fullmatch(r"\d{4,6}", canonical) else ""
        raise BadInput(Reason("symbol_is_not_readable_write_aapl_600028", symbol=f"{symbol[:40]!r}", bare=bare))
    own_lot = HONG_KONG_LOTS.get(canonical, board.lot)
    return Listing(
        symbol=canonical,
        name=name or canonical,
        market=board.market,
        kind=board.kind,
        calendar=board.calendar,
        currency=board.currency,
        time_zone=board.time_zone,
        lot=own_lot,
        min_order=max(own_lot, board.min_order if own_lot == board.lot else own_lot),
        sessions_until_sellable=board.sessions_until_sellable,
        price_limit_pct=board.price_limit_pct,
        price_step=board.price_step,
        lot_assumed=board.market == "HK" and board.kind == "stock" and canonical not in HONG_KONG_LOTS,
    )


def currency_of(symbol: str) -> str | None:
    """Return the ISO code of the currency that a symbol is paid in, None for a form that no board has."""
    board = _board(canonical_symbol(symbol))
    return board.currency if board is not None else None


def _board(canonical: str) -> Board | None:
    return next((board for board in BOARDS if board.symbol.fullmatch(canonical)), None)


def canonical_symbol(symbol: str) -> str:
    """Return the one spelling: upper case, `.SS` as `.SH`, Hong Kong with four digits at least. Nothing is checked."""
    text = symbol.strip().upper()
    if text.endswith(".SS"):
        return f"{text[:-3]}.SH"
    if text.endswith(".HK") and text[:-3].isascii() and text[:-3].isdigit():
        return f"{text[:-3].lstrip('0').zfill(4)}.HK"
    return text


def _with_suffix(digits: str) -> str:
    if len(digits) < 6:
        return f"{digits.zfill(4)}.HK"
    return f"{digits}.SH" if digits[0] in "569" else f"{digits}.BJ" if digits[0] in "48" else f"{digits}.SZ"
