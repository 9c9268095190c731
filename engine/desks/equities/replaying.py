"""How the equities desk is replayed: one decision at the close, or before the open, of every n-th session."""

import asyncio
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal

import numpy as np

from engine.bootstrap.container import Container
from engine.desks.equities.api import EquityDesk
from engine.desks.equities.request import EquitiesRequest
from engine.domain.errors import BadInput
from engine.domain.market.candles import Candles
from engine.domain.run import RunRequest
from engine.domain.text.reason import Reason
from engine.equity.adjustment import day_ms, day_of
from engine.equity.listings import listing_of
from engine.equity.protocol import EquitySource
from engine.equity.sessions import SessionCalendar, calendar_of
from engine.equity.snapshot import BARS, read_equity
from engine.replay.baselines import EMA_BARS, PastMarket
from engine.replay.protocol import ReplayPlan
from engine.trading.share_terms import share_terms


class EquitiesReplay:
    """Implements `ReplayDesk`."""

    def __init__(self, container: Container) -> None:
        self._container, self._desk = container, EquityDesk(container)

    def takes(self, symbol: str) -> bool:
        """Return whether a symbol is no market: BASE/QUOTE is one."""
        return "/" not in symbol

    def request(self, symbol: str, asked: Mapping[str, object]) -> EquitiesRequest:
        own = {key: value for key, value in asked.items() if key in EquitiesRequest.model_fields}
        return self._desk.request(symbol, **{**own, "propose": True})

    def at(self, base: RunRequest, instant: datetime) -> EquitiesRequest:
        request = self._desk.own(base)
        calendar = self._calendar(request)
        closed = calendar.last_closed(instant)
        day = closed.date if request.session == "post_close" else calendar.after(closed.date).date
        return request.model_copy(update={"trade_date": day})

    def last_day(self, base: RunRequest, instant: datetime) -> date | None:
        return self._calendar(self._desk.own(base)).last_closed(instant).date

    def before(self, base: RunRequest, instant: datetime) -> datetime:
        return instant - timedelta(days=1)

    async def plan(self, base: RunRequest, begins: datetime, ends: datetime | None, every: int) -> ReplayPlan:
        request, source = self._desk.own(base), self._source(base)
        listing = await source.listing(request.symbol)
        calendar, latest = await asyncio.to_thread(self._calendar, request), await source.latest(listing)
        last = ends.date() if ends is not None else latest.trade_date
        days = calendar.between(begins.date(), last)
        if not days:
            raise BadInput(Reason("replay_has_no_instant", begins=begins.date(), ends=last))
        if days[-1] > latest.trade_date:
            raise BadInput(Reason("replay_goes_beyond_market", symbol=request.symbol, present=latest.trade_date))
        first = calendar.moment(days[0], request.session)
        await source.prices(listing, first, 1)  # says what the source covers, where it does not cover the beginning
        instants = [calendar.moment(day, request.session).known_at for day in days[::every]]
        return ReplayPlan(instants, max(instants[-1], calendar.session(days[-1]).close))

    async def market(self, base: RunRequest, first: datetime, ends_at: datetime) -> PastMarket:
        request, calendar = self._desk.own(base), await asyncio.to_thread(self._calendar, self._desk.own(base))
        day = calendar.last_closed(ends_at).date
        bars = len(calendar.between((first - timedelta(days=2 * EMA_BARS)).date(), day))
        known = await read_equity(self._source(request), request.symbol, day, "post_close", bars=bars)
        price = Decimal(str(known.current_price))
        fees = share_terms(known.listing).shares
        quantity = max(Decimal(1), Decimal(str(request.risk.equity)) / price)
        fee = float(fees.fees.fee(quantity, price, buys=True) / (quantity * price)) if fees is not None else 0.0
        paid = []
        for each in known.dividends:
            later = [split.ratio for split in known.splits if split.date > each.ex_date]
            amount = each.amount
            for ratio in later:
                amount /= ratio
            paid.append((day_ms(each.ex_date), amount))
        closes = [int(calendar.session(day_of(int(ms))).close.timestamp() * 1000) for ms in known.candles.opened_at]
        return PastMarket(known.candles, np.asarray(closes, dtype=np.int64), fee, in_sessions=True, dividends=tuple(paid))

    async def real_candles(self, base: RunRequest, ends_at: datetime, first: datetime) -> Candles:
        request, calendar = self._desk.own(base), await asyncio.to_thread(self._calendar, self._desk.own(base))
        day = calendar.last_closed(ends_at).date
        bars = BARS + len(calendar.between(first.date(), day))
        return (await read_equity(self._source(request), request.symbol, day, "post_close", bars=bars)).candles

    def _source(self, base: RunRequest) -> EquitySource:
        request = self._desk.own(base)
        return self._container.providers.equities(request.feed, request.data_dir, request.seed)

    def _calendar(self, request: EquitiesRequest) -> SessionCalendar:
        return calendar_of(listing_of(request.symbol).calendar)
