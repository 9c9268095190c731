"""A market at the instant, read as a decision reads it: `market_snapshot` gives its main figures, `market_facts` measured facts by key."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final

from pydantic import Field

from engine.desks.plan.tools.protocol import Json, Length, Market, NoData, ToolResult, ToolScope, plan_tool
from engine.desks.plan.tools.quality import agreement, coverage, figures_shape, freshness
from engine.desks.plan.words import say
from engine.domain.errors import BadInput, MarketError
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.domain.plan.results import QualityCheck
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.facts.sheet import build_sheet
from engine.market.snapshot import take_snapshot

_KEYS: Final = ("change_24h_pct", "funding_rate_pct", "oi_change_pct", "fear_greed")
_ON_SPOT: Final = ("change_24h_pct", "fear_greed")
_SAID: Final = ("change_24h_pct", "funding_rate_pct", "oi_change_pct")
_MOST_SHOWN = 5  # facts that a sentence names at most
_SLACK_PCT = 0.05  # closes of two timeframes at one instant are the same trade


async def _read(scope: ToolScope, symbol: str, timeframe: str) -> tuple[Snapshot, datetime]:
    """Return the snapshot of a market, and when its last candle closed. Raises BadInput and the errors of the feed."""
    length = Timeframe.parse(timeframe)
    taken = await take_snapshot(scope.sources.feed(), symbol=symbol, timeframe=length, htf=None, at=scope.at, holding=None)
    return taken, datetime.fromtimestamp(taken.candles.closed_at / 1000, UTC)


async def _twin_close(scope: ToolScope, snapshot: Snapshot, closed: datetime) -> tuple[QualityCheck, ...]:
    """Return how near the last close is to that of shorter candles at the same instant; nothing where the feed has no shorter ones then."""
    feed, length = scope.sources.feed(), snapshot.timeframe
    shorter = [each for each in await feed.timeframes(snapshot.market) if each < length and each.divides(length)]
    if not shorter:
        return ()
    try:
        twin = (await feed.candles(snapshot.market, shorter[-1], closed, 1)).closed
    except MarketError:  # recorded for another time only: then nothing can be compared
        return ()
    if len(twin) == 0 or twin.closed_at != snapshot.candles.closed_at:
        return ()
    what = Reason("closes_of_two_lengths", one=str(length), other=str(shorter[-1]))
    return (agreement(float(twin.close[-1]), float(snapshot.candles.close[-1]), _SLACK_PCT, what),)


def _snapshot_sentence(output: Mapping[str, Any], language: Language) -> str:
    known = [key for key in _SAID if output.get(key) is not None]
    figures = "".join(say("comma", language) + say(f"snapshot.{key}", language, value=output[key]) for key in known)
    return say("market_snapshot", language, figures=figures, **output)


@plan_tool("A market at the instant: price, 24 h change, funding rate, open interest and its change, fear and greed.", _snapshot_sentence)
async def market_snapshot(scope: ToolScope, symbol: Market, timeframe: Length = "1h") -> ToolResult:
    """symbol: as ccxt names it. timeframe: of the candles that are read."""
    snapshot, closed = await _read(scope, symbol, timeframe)
    sheet, around = build_sheet(snapshot), snapshot.surroundings
    wanted = _KEYS if snapshot.market.kind == "perp" else _ON_SPOT
    known = {key: sheet.number(key) for key in _KEYS}
    missing = [key for key in wanted if known[key] is None]
    output: Json = {
        "symbol": snapshot.market.symbol,
        "venue": snapshot.venue,
        "price": snapshot.price,
        **known,
        "open_interest": around.open_interest,
        "missing": [*missing],
        "notes": list(snapshot.notes),
    }
    checks = (
        freshness(closed, scope.at, snapshot.timeframe.ms / 1000),
        coverage(len(wanted) - len(missing) + 1, len(wanted) + 1, "figures"),
        *await _twin_close(scope, snapshot, closed),
        figures_shape({"price": snapshot.price, "open_interest": around.open_interest, **known}),
    )
    return ToolResult(output, checks, min(scope.at, snapshot.at), snapshot.venue)


def _facts_sentence(output: Mapping[str, Any], language: Language) -> str:
    facts = [f"{key} {fact['text']}{' %' if fact['unit'] == 'percent' else ''}" for key, fact in output["facts"].items()]
    return say("market_facts", language, **{**output, "facts": say("comma", language).join(facts[:_MOST_SHOWN])})


@plan_tool("Measured facts of a market by key: indicators, levels, change, funding.", _facts_sentence)
async def market_facts(
    scope: ToolScope,
    symbol: Market,
    timeframe: Length = "1h",
    keys: Annotated[
        tuple[Annotated[str, Field(max_length=40)], ...],
        Field(min_length=1, max_length=30, description="canonical keys: rsi_14, atr_pct, ema_200, macd_hist, support, resistance, ..."),
    ] = ("close", "rsi_14", "adx_14", "atr_pct", "ema_50", "ema_200"),
) -> ToolResult:
    """keys: canonical keys of facts."""
    snapshot, closed = await _read(scope, symbol, timeframe)
    sheet = build_sheet(snapshot)
    if unknown := [key for key in keys if sheet.get(key) is None]:
        raise BadInput(Reason("fact_is_not_known", unknown=f"{unknown[0][:40]!r}", sheet=", ".join(fact.key for fact in sheet)))
    facts = {key: fact for key in keys if (fact := sheet.get(key)) is not None}
    known = {key: fact for key, fact in facts.items() if fact.value is not None}
    missing = {key: fact.missing or "" for key, fact in facts.items() if fact.value is None}
    if not known:
        why = [Reason("about", who=key, what=why) for key, why in missing.items()]
        raise NoData(Reason("none_of_these_facts_is_known", symbol=symbol, missing=why))
    output: Json = {
        "symbol": snapshot.market.symbol,
        "timeframe": timeframe,
        "facts": {key: {"value": fact.value, "unit": fact.unit, "text": sheet.text(key)} for key, fact in known.items()},
        "missing": dict(missing),
    }
    numbers = {key: fact.number for key, fact in known.items() if fact.number is not None}
    checks = (
        freshness(closed, scope.at, snapshot.timeframe.ms / 1000),
        coverage(len(known), len(keys), "facts"),
        *await _twin_close(scope, snapshot, closed),
        *((figures_shape(numbers),) if numbers else ()),
    )
    return ToolResult(output, checks, closed, snapshot.venue)
