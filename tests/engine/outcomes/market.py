"""A market in memory: candles, funding or sessions as a test writes them, read through the ports that the engine reads markets through."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from engine.domain.account_ref import AccountRef
from engine.domain.decision import Signal
from engine.domain.market.candles import Candles
from engine.domain.market.instrument import Market, Surroundings
from engine.domain.market.terms import MarketTerms
from engine.domain.market.timeframe import Timeframe
from engine.domain.proposal import Basis, OrderPlan
from engine.domain.risk import RiskConfig
from engine.market.protocol import CandleReading
from engine.trading.protocol import MarketPath, ShareSession

D = Decimal
START = datetime(2026, 3, 1, tzinfo=UTC)
SYMBOL = "BTC/USDT:USDT"
BAR = Timeframe.parse("15m")
TERMS = MarketTerms(
    price_step=D("0.1"), amount_step=D("0.01"), min_amount=D("0.01"), min_cost=D(5), taker_fee=D("0.0005"), maker_fee=D("0.0002")
)
PLACE = AccountRef(feed="recorded", data_dir="/nowhere")
Bar = tuple[float, float, float, float]


class MemoryFeed:
    """Candles of 15 minutes from `START` on, the first one before it; recorded: it ends with its last candle."""

    name, venue = "recorded", "memory"

    def __init__(self, bars: Sequence[Bar], rate: float | None = None) -> None:
        first = int(START.timestamp() * 1000) - BAR.ms
        rows = [(100.0, 100.0, 100.0, 100.0), *bars]
        columns = {name: [row[place] for row in rows] for place, name in enumerate(("open", "high", "low", "close"))}
        columns |= {"timestamp": [float(first + place * BAR.ms) for place in range(len(rows))], "volume": [1.0] * len(rows)}
        self._candles, self._rate = Candles.from_columns(BAR, columns), rate

    async def market(self, symbol: str) -> Market:
        return Market(base="BTC", quote="USDT", settle="USDT", price_step=0.1)

    async def timeframes(self, market: Market) -> tuple[Timeframe, ...]:
        return (BAR,)

    async def clock(self, market: Market, timeframe: Timeframe, htf: Timeframe | None) -> datetime:
        return datetime.fromtimestamp(self._candles.closed_at / 1000, UTC)

    async def candles(self, market: Market, timeframe: Timeframe, at: datetime, bars: int) -> CandleReading:
        closed = sum(int(each) + BAR.ms <= at.timestamp() * 1000 for each in self._candles.opened_at)
        return CandleReading(self._candles.slice(max(0, closed - bars), closed), None)

    async def terms(self, market: Market) -> MarketTerms:
        return TERMS

    async def surroundings(self, market: Market, at: datetime) -> Surroundings:
        return Surroundings(funding_rate=self._rate)


class MemoryQuotes:
    """Shares: the sessions after the close of day 0, and the price they end at."""

    def __init__(self, terms: MarketTerms, price: str, sessions: Sequence[ShareSession]) -> None:
        self._terms, self._price, self._sessions = terms, D(price), tuple(sessions)

    async def terms(self, symbol: str) -> MarketTerms:
        return self._terms

    async def path(self, symbol: str, since_ms: int | None, at: datetime | None) -> MarketPath:
        if since_ms is None and at is not None:
            return MarketPath(None, None, D(100), at, (), at.date(), D(100))
        last = self._sessions[-1]
        return MarketPath(None, None, self._price, last.closes, self._sessions, last.day, D(100))


class Access:
    """What an instrument reads a market through."""

    def __init__(self, feed: Any = None, quotes: Any = None) -> None:
        self._feed, self._quotes = feed, quotes

    def feed(self, place: AccountRef) -> Any:
        return self._feed

    def share_quotes(self, place: AccountRef) -> Any:
        return self._quotes

    def clock(self) -> datetime:
        return START + timedelta(days=30)


def basis(terms: MarketTerms = TERMS, *, at: datetime = START, short: bool = False, **more: Any) -> Basis:
    return Basis(
        run_id="r-1",
        snapshot_hash="s",
        context_hash="c",
        place=PLACE,
        account=PLACE.account,
        symbol=SYMBOL,
        timeframe="15m" if terms.shares is None else "1d",
        snapshot_at=at,
        market_clock=at,
        price=100.0,
        action=Signal.ENTRY_SHORT if short else Signal.ENTRY_LONG,
        confidence=70.0,
        risk=RiskConfig(),
        terms=terms,
        instrument=terms.instrument,
        **more,
    )


def entry(stop: str, target: str | None, *, short: bool = False, leverage: int | None = 5, amount: str = "1") -> OrderPlan:
    return OrderPlan(
        side="sell" if short else "buy", amount=D(amount), leverage=leverage, stop=D(stop), target=D(target) if target is not None else None
    )
