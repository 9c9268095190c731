"""A listed company as it was known at the instant: what the tools about companies share."""

import asyncio

from engine.desks.plan.tools.protocol import ToolScope
from engine.domain.equity.snapshot import EquitySnapshot
from engine.equity.sessions import calendar_of
from engine.equity.snapshot import read_equity


async def read_company(scope: ToolScope, symbol: str) -> EquitySnapshot:
    """Return the company after the last session that had closed at the instant. Raises BadInput and the errors of the source."""
    source = scope.sources.equities()
    listing = await source.listing(symbol)
    calendar = await asyncio.to_thread(calendar_of, listing.calendar)
    return await read_equity(source, listing.symbol, calendar.last_closed(scope.at).date, "post_close")
