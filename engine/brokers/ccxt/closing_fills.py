"""What closed a position at the venue that no order of ours did: a stop or target that was reached there, or another hand.

Read out of the account's fills of that market, between the opening of the position and the moment it was seen to be gone. They count only
where they are all that is missing: not one contract more or less, and none by someone else that made the position larger.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from engine.brokers.ccxt.orders import contract_size, instant, is_binance, market_of, number
from engine.domain.errors import BrokerError
from engine.domain.ledger import LedgerEntry
from engine.domain.position_record import PositionRecord
from engine.venue.signed import SignedWire

Closings = Mapping[tuple[str, datetime], Sequence[LedgerEntry]]
"""Market and when a position was seen to be gone -> the fills that closed it."""
_BACK = timedelta(days=7) - timedelta(minutes=2)  # the longest stretch that a venue gives fills of at once
_LATE = timedelta(minutes=1)  # by which clocks may differ
_ASKED_AGAIN = timedelta(minutes=5)
_MOST_FILLS, _MOST_POSITIONS = 1000, 20
_TAKER = Decimal("0.0005")


@dataclass(frozen=True)
class _Fill:
    at: datetime
    closes: bool
    amount: Decimal
    price: Decimal
    fee: Decimal


class ClosingFills:
    """Finds them, and keeps what was found: the past does not change."""

    def __init__(self, wire: SignedWire, clock: Callable[[], datetime]) -> None:
        self._wire, self._client, self._clock = wire, wire.client, clock
        self._found: dict[tuple[str, datetime], tuple[LedgerEntry, ...]] = {}
        self._asked: dict[tuple[str, datetime], datetime] = {}

    async def of(self, records: Sequence[PositionRecord], ours: Collection[str]) -> Closings:
        """Return the fills that closed the newest positions that the venue ended, as far as they are known. ours: the venue's ids of our
        own orders."""
        ended = sorted((each for each in records if each.ended == "venue" and each.closed_at), key=_gone_at, reverse=True)
        for record in ended[:_MOST_POSITIONS]:
            key, now = (record.symbol, _gone_at(record)), self._clock()
            if key in self._found or now - self._asked.get(key, datetime.min.replace(tzinfo=now.tzinfo)) < _ASKED_AGAIN:
                continue
            self._asked[key] = now
            if entries := await self._read(record, ours):
                self._found[key] = entries
        return self._found

    async def _read(self, record: PositionRecord, ours: Collection[str]) -> tuple[LedgerEntry, ...]:
        client, until = self._client, _gone_at(record) + _LATE
        if not client.has.get("fetchMyTrades"):
            return ()
        first = int(max(record.opened_at, until - _BACK).timestamp() * 1000)
        params = {"endTime": int(until.timestamp() * 1000)} if is_binance(client) else {}
        try:
            rows = await self._wire.read("its trades", partial(client.fetch_my_trades, record.symbol, first, _MOST_FILLS, params))
            taker = number(market_of(client, record.symbol), "taker") or _TAKER
        except BrokerError:
            return ()
        return closing_entries(record, rows, ours, contract_size(client, record.symbol), taker)


def closing_entries(
    record: PositionRecord, rows: Any, ours: Collection[str], size: Decimal, taker: Decimal = _TAKER
) -> tuple[LedgerEntry, ...]:
    """Return the fills that closed what is missing of a position, oldest first; none where they are not exactly that. rows: trades as ccxt
    gives them. size: base units in a contract. taker: what a fill costs whose fee the venue does not say."""
    if not isinstance(rows, list):
        return ()
    fills = [_fill(row, record, size, taker) for row in rows if not (isinstance(row, dict) and str(row.get("order")) in ours)]
    known = sorted((fill for fill in fills if fill is not None and record.opened_at <= fill.at <= _gone_at(record) + _LATE), key=_at)
    missing = record.size - record.closed_size
    if None in fills or not all(fill.closes for fill in known) or sum(fill.amount for fill in known) != missing or not known:
        return ()
    return tuple(_entry(record, fill) for fill in known)


def _fill(row: Any, record: PositionRecord, size: Decimal, taker: Decimal) -> _Fill | None:
    """Return a trade that can be counted, None for what is none."""
    if not isinstance(row, dict) or row.get("side") not in {"buy", "sell"}:
        return None
    at, contracts, price = instant(row.get("timestamp")), number(row, "amount"), number(row, "price")
    if at is None or not contracts or not price or contracts < 0 or price < 0:
        return None
    fee = row["fee"] if isinstance(row.get("fee"), dict) else {}
    settle = record.symbol.rpartition(":")[2]
    cost = number(fee, "cost") if fee.get("currency") == settle else None
    amount = contracts * size
    return _Fill(at, (row["side"] == "sell") == (record.sign > 0), amount, price, amount * price * taker if cost is None else cost)


def _entry(record: PositionRecord, fill: _Fill) -> LedgerEntry:
    brought = (fill.price - record.entry_price) * fill.amount * record.sign
    side = "sell" if record.sign > 0 else "buy"
    return LedgerEntry.model_validate(
        {"kind": "fill", "at": fill.at, "symbol": record.symbol, "side": side, "amount": fill.amount, "price": fill.price}
        | {"fee": fill.fee, "cash": brought - fill.fee, "reason": "venue"}
    )


def _gone_at(record: PositionRecord) -> datetime:
    assert record.closed_at is not None
    return record.closed_at


def _at(fill: _Fill) -> datetime:
    return fill.at
