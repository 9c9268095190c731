"""From a position and the way of its market to the figures of an outcome. Pure.

The position comes from the code that fills orders; nothing is filled here. The best and the worst price on the way are counted as those of
an open position are (`facts/position.py`, `instruments/share_progress.py`): of candles that began since the fill, and of the candle of the
fill its close. Of the candle that a position ended in, only the price it got counts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Final

from engine.domain.holding import NATURES
from engine.domain.market.timeframe import Timeframe
from engine.domain.orders import Position
from engine.domain.outcome import ExitReason, PlanOutcome
from engine.domain.position_record import EndedBy, PositionRecord
from engine.instruments.instrument import Followed
from engine.instruments.share_progress import share_progress
from engine.trading.protocol import MarketPath, ShareSession

EXIT_REASONS: Final[dict[EndedBy, ExitReason]] = {
    "stop": "stop",
    "target": "target",
    "liquidation": "liquidated",
    "order": "exit",
    "limit": "exit",
    "split": "exit",
    "venue": "exit",
}
_BY_THE_MARKET: Final = ("stop", "target", "liquidation")


def figures_of(followed: Followed, decided_at: datetime, price: float, timeframe: str) -> PlanOutcome:
    """Return what a plan has come to. price: the last one at the decision, quote units. timeframe: of its candles."""
    record = followed.record
    if record is None:
        return PlanOutcome(exit_reason="expired" if followed.is_expired else "open")
    path = followed.paths[-1]
    result = record.result_at(path.price)
    paid = record.size * record.entry_price
    ended = record.ended
    on_the_way = _of_sessions(record, path) if NATURES[record.instrument].in_sessions else _of_candles(record, followed.paths, timeframe)
    return PlanOutcome(
        exit_reason=EXIT_REASONS[ended] if ended is not None else "open",
        pnl_pct=_rounded(result / paid * 100) if result is not None else None,
        r=_rounded(record.in_r(result)),
        **on_the_way,
        buy_and_hold_pct=_held(record, followed.paths, decided_at, price),
        opened_at=record.opened_at,
        ended_at=record.closed_at,
    )


def _of_candles(record: PositionRecord, paths: Sequence[MarketPath], timeframe: str) -> dict[str, float | int | None]:
    """Return `mfe_pct`, `mae_pct` and `bars`."""
    opened, closed = _ms(record.opened_at), _ms(record.closed_at) if record.closed_at is not None else None
    prices = [record.entry_price]
    prices += [record.exit_price] if record.exit_price is not None else [] if closed is not None else [paths[-1].price]
    for begins, ends, seen in _spans(paths):
        if ends <= opened or (closed is not None and ends > closed):
            continue
        prices += [Decimal(str(each)) for each in (seen[:2] if begins >= opened else seen[2:])]
    entry, sign = record.entry_price, record.sign
    best, worst = (max(prices), min(prices)) if sign > 0 else (min(prices), max(prices))
    bar = Timeframe.parse(timeframe).ms
    end = closed if closed is not None else _ms(paths[-1].at)
    last = end // bar + (1 if closed is not None and record.ended in _BY_THE_MARKET else 0)
    return {
        "mfe_pct": _rounded((best - entry) * sign / entry * 100),
        "mae_pct": _rounded((worst - entry) * sign / entry * 100),
        "bars": max(0, last - -(-opened // bar)),
    }


def _spans(paths: Sequence[MarketPath]) -> Iterator[tuple[int, int, tuple[float, float, float]]]:
    """Yield every candle: its beginning and end in milliseconds, and its high, low and close. The open one ends where its path does."""
    for path in paths:
        if path.candles is not None:
            length = path.candles.timeframe.ms
            for index in range(len(path.candles)):
                candle = path.candles[index]
                yield candle.opened_at, candle.opened_at + length, (candle.high, candle.low, candle.close)
        if path.forming is not None:
            yield path.forming.opened_at, _ms(path.at), (path.forming.high, path.forming.low, path.forming.close)


def _of_sessions(record: PositionRecord, path: MarketPath) -> dict[str, float | int | None]:
    """Return `mfe_pct`, `mae_pct` and `bars` of shares, as those of a position that is held are measured."""
    sessions, price = path.sessions, path.price
    if record.closed_at is not None:
        sessions = tuple(each for each in sessions if each.closes <= record.closed_at)
        price = record.exit_price or record.entry_price
    left = tuple(_without_the_exit(each, record) for each in sessions)
    held = Position(symbol=record.symbol, side="long", size=record.size, entry_price=record.entry_price, opened_at=record.opened_at)
    way = share_progress(held, MarketPath(None, None, price, path.at, left))
    bars = way["hold_count"]
    return {
        "mfe_pct": _rounded(way["mfe_pct"]),
        "mae_pct": _rounded(way["mae_pct"]),
        "bars": int(bars) if bars is not None else None,
    }


def _without_the_exit(session: ShareSession, record: PositionRecord) -> ShareSession:
    """Return a session; of the one the market ended the position in, only the price it got."""
    candle = session.candle
    if candle is None or record.closed_at != session.closes or record.exit_price is None or record.ended not in _BY_THE_MARKET:
        return session
    got = float(record.exit_price)
    return replace(session, candle=replace(candle, high=got, low=got, close=got))


def _held(record: PositionRecord, paths: Sequence[MarketPath], decided_at: datetime, price: float) -> float | None:
    """Return what holding the market brought: from the decision to the close of the candle the position ended in, or to the last price;
    shares with their splits and dividends."""
    if NATURES[record.instrument].in_sessions:
        return _shares_held(record, paths[-1], decided_at, price)
    end = paths[-1].price
    if record.closed_at is not None:
        at, by_the_market = _ms(record.closed_at), record.ended in _BY_THE_MARKET
        known = [seen[2] for begins, ends, seen in _spans(paths) if (begins <= at if by_the_market else ends <= at)]
        end = Decimal(str(known[-1])) if known else record.exit_price or end
    return _rounded((float(end) / price - 1) * 100)


def _shares_held(record: PositionRecord, path: MarketPath, decided_at: datetime, price: float) -> float:
    shares, cash, last = Decimal(1), Decimal(0), Decimal(str(price))
    for session in path.sessions:
        if record.closed_at is not None and session.closes > record.closed_at:
            break
        if session.opens > decided_at:
            shares *= session.ratio or 1
            last /= session.ratio or 1
            cash += shares * session.dividend
        if session.candle is not None:
            last = Decimal(str(session.candle.close))
    else:
        last = path.price
    return round(float((shares * last + cash) / Decimal(str(price)) - 1) * 100, 6)


def _rounded(value: Decimal | float | None) -> float | None:
    return round(float(value), 6) + 0.0 if value is not None else None


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)
