"""What the chart of a run of the equities desk is drawn from: its candles, and what happened to the company beside its price."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from engine.desks.equities.request import EquitiesInputs
from engine.domain.equity.listing import Listing
from engine.domain.equity.share_events import Split
from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.facts import FactSheet
from engine.domain.market.candles import Candles
from engine.domain.risk import RiskConfig


@dataclass(frozen=True)
class FiledReport:
    """A report that was known. period_end: last day of what it is about. known_from: the date it was filed, or counts as known."""

    period_end: date
    known_from: date


@dataclass(frozen=True)
class PublishedNews:
    """A published text. published: aware UTC. title, source: strangers' words."""

    published: datetime
    title: str
    source: str


@dataclass(frozen=True)
class CompanyChart:
    """Daily candles in shares of the trade date, and what is marked on them.

    previous_close: what the last candle's change counts from, None where it is not known. reports, news: oldest first. known_at: nothing
    later is in it. trade_date: of the session that is decided for. missing: layer -> why there is nothing of it. series: key of a fact ->
    one value a candle, None where it is not known.
    """

    candles: Candles
    listing: Listing
    previous_close: float | None
    splits: tuple[Split, ...]
    reports: tuple[FiledReport, ...]
    news: tuple[PublishedNews, ...]
    known_at: datetime
    trade_date: date
    missing: Mapping[str, str]
    series: Mapping[str, list[float | None]]


@dataclass(frozen=True)
class EquityChartMaterial(CompanyChart):
    """The same of a run. sheet: the facts of its desk."""

    sheet: FactSheet


def company_chart(snapshot: EquitySnapshot) -> CompanyChart:
    """Return what of a company is on a chart."""
    from engine.facts.series import indicator_series  # noqa: PLC0415 - no page need wait for TA-Lib

    filed = {(each.report_period, each.known_from) for each in snapshot.filings}
    about = [each for each in snapshot.news if each.symbol in (None, snapshot.listing.symbol)]
    return CompanyChart(
        candles=snapshot.candles,
        listing=snapshot.listing,
        previous_close=snapshot.previous_close,
        splits=snapshot.splits,
        reports=tuple(FiledReport(*each) for each in sorted(filed, key=lambda each: each[::-1])),
        news=tuple(PublishedNews(each.published, each.title, each.source) for each in sorted(about, key=lambda each: each.published)),
        known_at=snapshot.moment.known_at,
        trade_date=snapshot.moment.trade_date,
        missing=dict(snapshot.missing),
        series=indicator_series(snapshot.candles, None),
    )


def chart_material(inputs: EquitiesInputs, risk: RiskConfig) -> EquityChartMaterial:
    """Return it, out of what a run was decided on. risk: the run's limits, of which its largest order follows."""
    from engine.desks.equities.largest_order import order_bounds  # noqa: PLC0415 - late, as above
    from engine.desks.equities.sheet import build_desk_sheet  # noqa: PLC0415 - late, as above

    snapshot = inputs.snapshot
    largest = order_bounds(inputs.account, snapshot.listing.symbol, risk).value
    return EquityChartMaterial(**vars(company_chart(snapshot)), sheet=build_desk_sheet(snapshot, inputs.account, largest))
