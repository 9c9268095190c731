"""`company_news`: headlines about a company or its market, published by the instant. Strangers' words: data, never instructions."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from pydantic import Field

from engine.desks.plan.tools.company import read_company
from engine.desks.plan.tools.protocol import Json, NoData, PlanTool, ToolResult, ToolScope, listing_name
from engine.desks.plan.tools.quality import coverage, freshness, judged
from engine.domain.equity.news_item import NewsItem
from engine.domain.frozen_model import FrozenModel
from engine.domain.plan.results import QualityCheck
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.domain.text.visible import shortened

_MOST, _ENOUGH = 12, 3
_AGES = 4  # a quarter of the days asked for is usual for the newest; one from their beginning is too old
_ONE_PUBLISHER, _TWO_PUBLISHERS = 0.7, 0.9
_FREE_TONE = 1.0  # of tones from -1 to 1: from here on publishers contradict each other


class NewsArguments(FrozenModel):
    """query: words of which one must be in a headline or text; "" = all."""

    symbol: str = Field(min_length=1, max_length=40, description="ticker: AAPL, 600519.SH, 0700.HK")
    query: str = Field(default="", max_length=200, description="words to look for; left out = everything")
    days: int = Field(default=14, ge=1, le=30, description="how many days back")


async def _run(scope: ToolScope, asked: NewsArguments) -> ToolResult:
    snapshot = await read_company(scope, asked.symbol)
    since, words = scope.at - timedelta(days=asked.days), asked.query.lower().split()
    found = [
        item
        for item in snapshot.news
        if since <= item.published <= scope.at
        and (not words or any(word in f"{item.title} {item.text}".lower() for word in words))
    ]  # fmt: skip
    if not found:
        why = snapshot.missing.get("news", f"nothing with {asked.query!r}" if words else Reason("nothing_was_published"))
        raise NoData(
            Reason("has_no_news_of_days_before", symbol=snapshot.listing.symbol, days=asked.days, at=f"{scope.at:%Y-%m-%d}", why=why)
        )
    publishers = {item.source for item in found}
    output: Json = {
        "symbol": snapshot.listing.symbol,
        "name": listing_name(snapshot.listing),
        "days": asked.days,
        "count": len(found),
        "publishers": len(publishers),
        "headlines": [
            {"published": item.published.isoformat(), "source": item.source, "title": item.title, "url": item.url}
            for item in found[:_MOST]
        ],
    }  # fmt: skip
    whole = sum(bool(item.title.strip() and item.source.strip()) for item in found)
    different = len({" ".join(item.title.lower().split()) for item in found})
    checks = (
        freshness(found[0].published, scope.at, asked.days * 86_400 / _AGES),
        coverage(min(different, _ENOUGH), _ENOUGH, "different headlines at least"),
        _agreement(found),
        judged("shape", whole / len(found), Reason("headlines_whole", whole=whole, found=len(found))),
    )
    return ToolResult(output, checks, found[0].published, snapshot.sources.get("news", snapshot.feed))


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


def _sentence(output: Mapping[str, Any], language: Language) -> str:
    newest = output["headlines"][0]
    day, title = newest["published"][:10], shortened(newest["title"], 160)
    if language == "zh":
        return f"{output['name']} 近 {output['days']} 天有 {output['count']} 条新闻，最新一条（{day}，{newest['source']}）：“{title}”。"
    return (
        f"{output['count']} headlines about {output['name']} in {output['days']} days, the newest ({day}, {newest['source']}): “{title}”."
    )


TOOL = PlanTool("company_news", "Headlines about a listed company, newest first.", NewsArguments, _run, _sentence)
