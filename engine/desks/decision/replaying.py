"""How the decision desk is replayed: one decision at the close of every n-th candle of its main timeframe."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Final

from engine.bootstrap.container import Container
from engine.desks.decision.api import Decisions
from engine.domain.errors import BadInput
from engine.domain.market.candles import Candles
from engine.domain.market.instants import from_ms, instant_ms, utc_text
from engine.domain.market.timeframe import Timeframe
from engine.domain.run import DecideRequest, RunRequest
from engine.domain.text.reason import Reason
from engine.market.snapshot import BARS
from engine.replay.baselines import EMA_BARS, PastMarket
from engine.replay.protocol import ReplayPlan

_MOST_BARS: Final = 200_000


class DecisionReplay:
    """Implements `ReplayDesk`."""

    def __init__(self, container: Container) -> None:
        self._container, self._desk = container, Decisions(container)

    def takes(self, symbol: str) -> bool:
        """Return whether a symbol is one of a market: BASE/QUOTE."""
        return "/" in symbol

    def request(self, symbol: str, asked: Mapping[str, object]) -> DecideRequest:
        own = {key: value for key, value in asked.items() if key in (*DecideRequest.model_fields, "timeframe_htf")}
        return self._desk.request(symbol, **{**own, "propose": True})

    def at(self, base: RunRequest, instant: datetime) -> DecideRequest:
        return self._desk.own(base).model_copy(update={"at": instant})

    def last_day(self, base: RunRequest, instant: datetime) -> date | None:
        return None

    def before(self, base: RunRequest, instant: datetime) -> datetime:
        return instant - timedelta(milliseconds=Timeframe.parse(self._desk.own(base).timeframe).ms)

    async def plan(self, base: RunRequest, begins: datetime, ends: datetime | None, every: int) -> ReplayPlan:
        request = self._desk.own(base)
        feed, frame = self._container.providers.feed(request), Timeframe.parse(request.timeframe)
        market, htf = await feed.market(request.symbol), Timeframe.parse(request.timeframe_htf) if request.timeframe_htf else None
        present = await feed.clock(market, frame, htf)
        ends_ms = frame.floor(instant_ms(ends or present))
        if ends_ms > instant_ms(present):
            raise BadInput(Reason("replay_goes_beyond_market", symbol=request.symbol, present=utc_text(instant_ms(present))))
        first_ms = -(-(instant_ms(begins) - frame.floor(0)) // frame.ms) * frame.ms + frame.floor(0)
        instants = [from_ms(ms) for ms in range(first_ms, ends_ms + 1, every * frame.ms)]
        if not instants:
            raise BadInput(Reason("replay_has_no_instant", begins=utc_text(instant_ms(begins)), ends=utc_text(ends_ms)))
        for each in (frame, *((htf,) if htf is not None else ())):
            await feed.candles(market, each, instants[0], 1)  # says what the feed covers, where it does not cover the beginning
        return ReplayPlan(instants, from_ms(ends_ms))

    async def market(self, base: RunRequest, first: datetime, ends_at: datetime) -> PastMarket:
        request, frame = self._desk.own(base), Timeframe.parse(base.candles or "1h")
        feed = self._container.providers.feed(request)
        market = await feed.market(request.symbol)
        fee = float((await feed.terms(market)).taker_fee)
        candles = await self._candles(request, first - timedelta(milliseconds=2 * EMA_BARS * frame.ms), ends_at)
        return PastMarket(candles, candles.opened_at + frame.ms, fee)

    async def real_candles(self, base: RunRequest, ends_at: datetime, first: datetime) -> Candles:
        request = self._desk.own(base)
        longest = Timeframe.parse(request.timeframe_htf or request.timeframe)
        return await self._candles(request, first - timedelta(milliseconds=(BARS + 1) * longest.ms), ends_at)

    async def _candles(self, request: DecideRequest, since: datetime, until: datetime) -> Candles:
        """Return closed candles of the main timeframe; of a recording with a gap, those after it."""
        feed, frame = self._container.providers.feed(request), Timeframe.parse(request.timeframe)
        wanted = (instant_ms(until) - instant_ms(since)) // frame.ms
        if wanted > _MOST_BARS:
            raise BadInput(Reason("replay_is_too_long", bars=wanted, most=_MOST_BARS))
        return (await feed.candles(await feed.market(request.symbol), frame, until, max(1, wanted))).closed
