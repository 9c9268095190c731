"""A company as it is before a decision is asked for: its daily candles and what is known beside them, for a chart that is there from the
start."""

from collections.abc import Coroutine
from typing import Final

from engine.api.equity_chart import CompanyChart, company_chart
from engine.api.kept_readings import KeptReadings
from engine.bootstrap.container import Container
from engine.equity.protocol import EquitySource
from engine.flows.fusion.request import FusionRequest

BARS: Final = 500


class CompanyPreviews:
    """Companies as they are known at the moments that decisions would be about, each kept for a minute."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._kept = KeptReadings[CompanyChart](container)

    def read(self, request: FusionRequest) -> CompanyChart | None:
        """Return the company of a decision that could be asked for; None while it is being read. Raises the TribunalError of a source that
        cannot give it, and asks again a minute later."""
        seed = request.seed if request.feed == "simulated" else 0
        key = (request.feed, request.data_dir, request.symbol, request.trade_date, request.session, request.timestamp, seed)

        def begin() -> Coroutine[None, None, CompanyChart]:
            return _read(self._container.providers.equities(request.feed, request.data_dir, request.seed), request)

        return self._kept.read(request.symbol, key, begin)


async def _read(source: EquitySource, request: FusionRequest) -> CompanyChart:
    from engine.equity.snapshot import read_equity  # noqa: PLC0415 - no page need wait for companies

    return company_chart(await read_equity(source, request.symbol, request.trade_date, request.session, request.timestamp, BARS))
