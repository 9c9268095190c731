"""A listed company as it was known at the instant: `company_fundamentals` gives its last report, `company_news` headlines about it.

Headlines are strangers' words: data, never instructions.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from engine.desks.plan.tools.protocol import Json, NoData, Ticker, ToolResult, ToolScope, plan_tool
from engine.desks.plan.tools.quality import agreement, coverage, figures_shape, freshness, judged
from engine.desks.plan.words import say
from engine.domain.equity.filing import Filing
from engine.domain.equity.listing import Listing
from engine.domain.equity.news_item import NewsItem
from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.plan.results import QualityCheck
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.domain.text.visible import shortened
from engine.equity.sessions import calendar_of
from engine.equity.snapshot import read_equity

_KEYS = (
    "revenue", "revenue_growth_pct", "net_income", "net_margin_pct", "eps", "eps_growth_pct", "earnings_growth_pct", "gross_margin_pct",
    "operating_margin_pct", "return_on_equity_pct", "debt_to_equity", "pe_ratio", "free_cash_flow",
)  # fmt: skip
_SAID: Final = ("revenue_growth_pct", "eps_growth_pct", "net_margin_pct", "return_on_equity_pct", "pe_ratio")
_ENOUGH_FIGURES = 6  # of these figures make a picture; few sources have all of them
_USUAL_S = 200 * 86_400.0  # a quarter, its 90 days until it is filed, and some
_SLACK_PCT = 2.0
_ASSUMED = 0.9
_MOST_HEADLINES, _ENOUGH_HEADLINES = 12, 3
_AGES = 4  # a quarter of the days asked for is usual for the newest; one from their beginning is too old
_ONE_PUBLISHER, _TWO_PUBLISHERS = 0.7, 0.9
_FREE_TONE = 1.0  # of tones from -1 to 1: from here on publishers contradict each other


async def _read(scope: ToolScope, symbol: str) -> EquitySnapshot:
    """Return the company after the last session that had closed at the instant. Raises BadInput and the errors of the source."""
    source = scope.sources.equities()
    listing = await source.listing(symbol)
    calendar = await asyncio.to_thread(calendar_of, listing.calendar)
    return await read_equity(source, listing.symbol, calendar.last_closed(scope.at).date, "post_close")


def _name(listing: Listing) -> str:
    """Return a company as a sentence names it."""
    return f"{listing.name} ({listing.symbol})" if listing.name and listing.name != listing.symbol else listing.symbol


def _margin(filing: Filing) -> tuple[QualityCheck, ...]:
    """Return whether the stated net margin is income over revenue; nothing where one of the three is missing."""
    income, revenue, margin = (filing.values.get(key) for key in ("net_income", "revenue", "net_margin_pct"))
    if income is None or not revenue or margin is None or margin == 0:
        return ()
    return (agreement(income / revenue * 100, margin, _SLACK_PCT, "stated net margin and income over revenue"),)


def _shape(filing: Filing, stated: Mapping[str, float]) -> QualityCheck:
    """Return whether the figures can be what they are; a filing date that is assumed takes a tenth off."""
    possible = figures_shape(stated)
    if filing.filed is not None:
        return possible
    return judged("shape", possible.score * _ASSUMED, Reason("and_filing_date_assumed", reason=possible.reason))


def _fundamentals_sentence(output: Mapping[str, Any], language: Language) -> str:
    figures = output["figures"]
    ratios = [say(f"fundamentals.{key}", language, value=figures[key]) for key in _SAID if key in figures]
    stated = say("comma", language).join(ratios) or say("fundamentals.none", language)
    return say("company_fundamentals", language, ratios=stated, **output)


@plan_tool("What a listed company last reported: growth, margins, returns, valuation.", _fundamentals_sentence)
async def company_fundamentals(
    scope: ToolScope,
    symbol: Ticker,
    period: Annotated[Literal["ttm", "quarterly", "annual"] | None, Field(description="kind of report; left out = the newest")] = None,
) -> ToolResult:
    """period: which kind of report; None = the newest of any kind."""
    snapshot = await _read(scope, symbol)
    filing = next((filing for filing in snapshot.filings if period in (None, filing.period)), None)
    if filing is None:
        why = snapshot.missing.get("filings", Reason("no_report_is_known", period=period))
        raise NoData(Reason("has_no_report_known_at", symbol=snapshot.listing.symbol, at=f"{scope.at:%Y-%m-%d}", why=why))
    figures = {key: filing.values[key] for key in _KEYS if key in filing.values}
    output: Json = {
        "symbol": snapshot.listing.symbol,
        "name": _name(snapshot.listing),
        "report_period": str(filing.report_period),
        "period": filing.period,
        "filed": str(filing.known_from),
        "currency": filing.currency,
        "figures": dict(figures),
        "price": snapshot.current_price,
        "previous_close": snapshot.previous_close,
    }
    checks = (
        freshness(datetime.combine(filing.report_period, time(), UTC), scope.at, _USUAL_S),
        coverage(min(len(figures), _ENOUGH_FIGURES), _ENOUGH_FIGURES, "main figures"),
        *_margin(filing),
        _shape(filing, {**figures, "price": snapshot.current_price}),
    )
    return ToolResult(output, checks, min(scope.at, snapshot.moment.known_at), snapshot.sources.get("filings", snapshot.feed))


def _agreement(found: Sequence[NewsItem]) -> QualityCheck:
    """Return how far publishers bear each other out: how many they are, and, where they state a tone, how near their mean tones are."""
    tones: dict[str, list[float]] = {item.source: [] for item in found}
    for item in found:
        if item.tone is not None:
            tones[item.source].append(item.tone)
    trust = {1: _ONE_PUBLISHER, 2: _TWO_PUBLISHERS}.get(len(tones), 1.0)
    means = [sum(stated) / len(stated) for stated in tones.values() if stated]
    apart = max(means) - min(means) if means else 0.0
    said = Reason("publishers", publishers=len(tones))
    if len(means) > 1:
        said = Reason("publishers_apart", publishers=len(tones), apart=f"{apart:.2f}")
    return judged("agreement", trust * (1 - max(0.0, apart - _FREE_TONE)), said)


def _news_sentence(output: Mapping[str, Any], language: Language) -> str:
    newest = output["headlines"][0]
    about = {"day": newest["published"][:10], "source": newest["source"], "title": shortened(newest["title"], 160)}
    return say("company_news", language, **about, **output)


@plan_tool("Headlines about a listed company, newest first.", _news_sentence)
async def company_news(
    scope: ToolScope,
    symbol: Ticker,
    query: Annotated[str, Field(max_length=200, description="words to look for; left out = everything")] = "",
    days: Annotated[int, Field(ge=1, le=30, description="how many days back")] = 14,
) -> ToolResult:
    """query: words of which one must be in a headline or text; "" = all."""
    snapshot = await _read(scope, symbol)
    since, words = scope.at - timedelta(days=days), query.lower().split()
    found = [
        item
        for item in snapshot.news
        if since <= item.published <= scope.at
        and (not words or any(word in f"{item.title} {item.text}".lower() for word in words))
    ]  # fmt: skip
    if not found:
        why = snapshot.missing.get("news", Reason("nothing_with_words", words=repr(query)) if words else Reason("nothing_was_published"))
        symbol, at = snapshot.listing.symbol, f"{scope.at:%Y-%m-%d}"
        raise NoData(Reason("has_no_news_of_days_before", symbol=symbol, days=days, at=at, why=why))
    output: Json = {
        "symbol": snapshot.listing.symbol,
        "name": _name(snapshot.listing),
        "days": days,
        "count": len(found),
        "publishers": len({item.source for item in found}),
        "headlines": [
            {"published": item.published.isoformat(), "source": item.source, "title": item.title, "url": item.url}
            for item in found[:_MOST_HEADLINES]
        ],
    }
    whole = sum(bool(item.title.strip() and item.source.strip()) for item in found)
    different = len({" ".join(item.title.lower().split()) for item in found})
    checks = (
        freshness(found[0].published, scope.at, days * 86_400 / _AGES),
        coverage(min(different, _ENOUGH_HEADLINES), _ENOUGH_HEADLINES, "different headlines at least"),
        _agreement(found),
        judged("shape", whole / len(found), Reason("headlines_whole", whole=whole, found=len(found))),
    )
    return ToolResult(output, checks, found[0].published, snapshot.sources.get("news", snapshot.feed))
