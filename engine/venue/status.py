"""What an exchange's public side answers at the moment: its markets, its clock, its count of requests. Reads only; nothing is signed."""

import asyncio
import time
from typing import Any

from engine.domain.clock import utc_now
from engine.domain.diagnostics.venue import VenueStatus
from engine.domain.errors import BadMarketData
from engine.domain.text.reason import Reason
from engine.venue.wire import Wire

_WEIGHTS = ("x-mbx-used-weight-1m", "x-mbx-used-weight")  # Binance; others do not count aloud


async def venue_status(wire: Wire) -> VenueStatus:
    """Return how the venue behind a client answers. Raises MarketError."""
    client = wire.client
    await wire.ask("its markets", lambda: client.load_markets(True))
    if not client.markets:
        raise BadMarketData(Reason("lists_no_market", id=client.id))
    skew_ms = await _skew_ms(wire) if client.has.get("fetchTime") else None
    headers = {str(name).lower(): value for name, value in (client.last_response_headers or {}).items()}
    weight = next((str(headers[name]) for name in _WEIGHTS if name in headers), "")
    return VenueStatus(
        venue=client.id,
        markets=len(client.markets),
        skew_ms=skew_ms,
        weight_used=int(weight) if weight.isdigit() else None,
        requests_per_minute=round(60_000 / client.rateLimit) if client.rateLimit else 0,
    )


async def _skew_ms(wire: Wire) -> float:
    """Return the venue's clock minus ours, as if its answer had been half of the way under way. The best of three counts."""
    best: tuple[float, float] | None = None
    for _ in range(3):
        began, clock = time.monotonic(), utc_now().timestamp()
        said: Any = await wire.ask("its time", wire.client.fetch_time)
        if not isinstance(said, int | float):
            raise BadMarketData(Reason("answered_its_time_in_form_that_cannot", client_id=wire.client.id))
        round_trip_ms = (time.monotonic() - began) * 1000
        found = (round_trip_ms, float(said) - clock * 1000 - round_trip_ms / 2)
        best = found if best is None else min(best, found)
        await asyncio.sleep(0)
    assert best is not None
    return best[1]
