"""Funding and open interest of a venue at one instant, as far as it tells them.

Each fact is asked for by itself. What the venue does not have is None without a word; what it has but did not give is None with a note:
a decision can be made without these facts, so their failure never fails the reading of a market.
"""

import asyncio
from collections.abc import Awaitable, Callable
from math import isfinite
from typing import Any, TypeVar

from engine.domain.errors import MarketError
from engine.domain.market.instants import utc_text
from engine.domain.market.instrument import Market, Surroundings
from engine.domain.text.reason import Reason
from engine.market.protocol import HistoryReading, SeriesName, SurroundingsReading
from engine.venue.wire import Wire

_HOUR_MS = 3_600_000
_DAY_MS = 24 * _HOUR_MS
_SETTLEMENT_MS = 8 * _HOUR_MS
_MOST_ROWS = 500  # of one answer; what venues give at most lies between 100 and 1000
_STALE_MS = 3 * _HOUR_MS  # an hourly value that is older is not today's

T = TypeVar("T")


async def read_surroundings(wire: Wire, market: Market, at_ms: int, *, present: bool, deadline_s: float) -> SurroundingsReading:
    """Return everything the venue tells about a perpetual market at `at_ms`. present: `at_ms` is now, so running values may be used."""
    if market.kind == "spot":
        return SurroundingsReading(Surroundings())
    rate, interest = await asyncio.gather(
        _or_note("funding", deadline_s, lambda: _funding(wire, market, at_ms, present)),
        _or_note("open interest", deadline_s, lambda: _interest(wire, market, at_ms, present)),
    )
    now, before = interest[0] or (None, None)
    found = Surroundings(funding_rate=rate[0], open_interest=now, open_interest_24h_ago=before)
    return SurroundingsReading(found, tuple(f"{market.symbol}: {note}" for note in (rate[1], interest[1]) if note is not None))


async def read_history(wire: Wire, market: Market, what: SeriesName, at_ms: int, points: int) -> HistoryReading:
    """Return up to `points` past values: funding by settlement, open interest by the hour. Raises a MarketError where there are none."""
    client, funding = wire.client, what == "funding_rate"
    if client.has.get("fetchFundingRateHistory" if funding else "fetchOpenInterestHistory") is not True or market.kind == "spot":
        raise MarketError(Reason("keeps_no_past_of", client_id=client.id, value=what.replace("_", " "), symbol=market.symbol))
    step = _SETTLEMENT_MS if funding else _HOUR_MS
    since, limit = at_ms // step * step - (points - 1) * step, min(points + 1, _MOST_ROWS)
    rows = await wire.ask(
        f"past {what.replace('_', ' ')}",
        lambda: (
            client.fetch_funding_rate_history(market.symbol, since, limit)
            if funding
            else client.fetch_open_interest_history(market.symbol, "1h", since, limit)
        ),
    )
    for unit in ("fundingRate",) if funding else ("openInterestAmount", "openInterestValue"):
        known = [(row.get("timestamp"), _number(row, unit)) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        usable = {stamp: value for stamp, value in known if isinstance(stamp, int) and value is not None and stamp <= at_ms}
        if usable:
            return HistoryReading(tuple(sorted(usable.items()))[-points:], step, client.id)
    raise MarketError(
        Reason("gave_no_past_of_up_to", client_id=client.id, value=what.replace("_", " "), symbol=market.symbol, at_ms=utc_text(at_ms))
    )


async def _or_note(name: str, deadline_s: float, read: Callable[[], Awaitable[T | None]]) -> tuple[T | None, str | None]:
    try:
        async with asyncio.timeout(deadline_s):
            return await read(), None
    except MarketError as error:
        return None, f"{name} is not known ({error})"
    except TimeoutError:
        return None, f"{name} is not known (no answer in {deadline_s:g} s)"


async def _funding(wire: Wire, market: Market, at_ms: int, present: bool) -> float | None:
    client = wire.client
    if present and client.has.get("fetchFundingRate") is True:
        answer = await wire.ask("the funding rate", lambda: client.fetch_funding_rate(market.symbol))
        return _number(answer, "fundingRate")
    if client.has.get("fetchFundingRateHistory") is True:
        since = at_ms - _DAY_MS
        rows = await wire.ask("past funding rates", lambda: client.fetch_funding_rate_history(market.symbol, since, 100))
        return _last(rows, at_ms, _DAY_MS, "fundingRate")
    return None


async def _interest(wire: Wire, market: Market, at_ms: int, present: bool) -> tuple[float | None, float | None] | None:
    """Open interest at the instant and 24 hours before, in the same unit."""
    client = wire.client
    if client.has.get("fetchOpenInterestHistory") is True:
        since = (at_ms - _DAY_MS - _STALE_MS) // _HOUR_MS * _HOUR_MS
        rows = await wire.ask("open interest", lambda: client.fetch_open_interest_history(market.symbol, "1h", since, 30))
        for unit in ("openInterestAmount", "openInterestValue"):
            now, before = (_last(rows, each, _STALE_MS, unit) for each in (at_ms, at_ms - _DAY_MS))
            if now is not None:
                return now, before
        raise MarketError(Reason("has_no_value_of_last_3_hours", client_id=client.id, at_ms=utc_text(at_ms)))
    if present and client.has.get("fetchOpenInterest") is True:
        answer = await wire.ask("open interest", lambda: client.fetch_open_interest(market.symbol))
        amount = _number(answer, "openInterestAmount")
        return (amount if amount is not None else _number(answer, "openInterestValue")), None
    return None


def _number(answer: Any, name: str) -> float | None:
    """Return a finite number under `name`, None for anything else."""
    value = answer.get(name) if isinstance(answer, dict) else None
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value) else None


def _last(rows: Any, at_ms: int, max_age_ms: int, name: str) -> float | None:
    """Return the newest finite value of a row stamped at or before `at_ms` and not older than `max_age_ms`."""
    known = [(row.get("timestamp"), _number(row, name)) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    usable = [(stamp, value) for stamp, value in known if isinstance(stamp, int) and value is not None and 0 <= at_ms - stamp <= max_age_ms]
    return max(usable, key=lambda pair: pair[0])[1] if usable else None
