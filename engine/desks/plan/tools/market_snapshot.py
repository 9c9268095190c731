"""`market_snapshot`: a market at the instant, with price, day's change, funding, open interest and mood, as far as its feed knows them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic import Field

from engine.desks.plan.tools.protocol import Json, PlanTool, ToolResult, ToolScope
from engine.desks.plan.tools.quality import agreement, coverage, freshness, possible_figures
from engine.domain.errors import MarketError
from engine.domain.frozen_model import FrozenModel
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.domain.plan.results import QualityCheck
from engine.domain.text.language import Language
from engine.facts.sheet import build_sheet
from engine.market.snapshot import take_snapshot

_KEYS = ("change_24h_pct", "funding_rate_pct", "oi_change_pct", "fear_greed")
_ON_SPOT = ("change_24h_pct", "fear_greed")
_SLACK_PCT = 0.05  # closes of two timeframes at one instant are the same trade


class SnapshotArguments(FrozenModel):
    """symbol: as ccxt names it. timeframe: of the candles that are read."""

    symbol: str = Field(min_length=1, max_length=40, description="market as ccxt names it, BTC/USDT:USDT")
    timeframe: str = Field(default="1h", max_length=6, description="length of a candle: 15m, 1h, 4h, 1d")


async def read_snapshot(scope: ToolScope, symbol: str, timeframe: str) -> tuple[Snapshot, datetime]:
    """Return the snapshot of a market, and when its last candle closed. Raises BadInput and the errors of the feed."""
    length = Timeframe.parse(timeframe)
    taken = await take_snapshot(scope.sources.feed(), symbol=symbol, timeframe=length, htf=None, at=scope.at, holding=None)
    return taken, datetime.fromtimestamp(taken.candles.closed_at / 1000, UTC)


async def twin_close(scope: ToolScope, snapshot: Snapshot) -> QualityCheck | None:
    """Return how near the last close is to that of shorter candles at the same instant; None where the feed has no shorter ones then."""
    feed, length = scope.sources.feed(), snapshot.timeframe
    shorter = [each for each in await feed.timeframes(snapshot.market) if each < length and each.divides(length)]
    if not shorter:
        return None
    closed = datetime.fromtimestamp(snapshot.candles.closed_at / 1000, UTC)
    try:
        twin = (await feed.candles(snapshot.market, shorter[-1], closed, 1)).closed
    except MarketError:  # recorded for another time only: then nothing can be compared
        return None
    if len(twin) == 0 or twin.closed_at != snapshot.candles.closed_at:
        return None
    return agreement(float(twin.close[-1]), float(snapshot.candles.close[-1]), _SLACK_PCT, f"closes of {length} and {shorter[-1]} candles")


async def _run(scope: ToolScope, asked: SnapshotArguments) -> ToolResult:
    snapshot, closed = await read_snapshot(scope, asked.symbol, asked.timeframe)
    sheet, around = build_sheet(snapshot), snapshot.surroundings
    wanted = _KEYS if snapshot.market.kind == "perp" else _ON_SPOT
    known = {key: sheet.number(key) for key in _KEYS}
    output: Json = {
        "symbol": snapshot.market.symbol,
        "venue": snapshot.venue,
        "price": snapshot.price,
        **known,
        "open_interest": around.open_interest,
        "missing": [key for key in wanted if known[key] is None],
        "notes": list(snapshot.notes),
    }
    found = sum(known[key] is not None for key in wanted)
    twin = await twin_close(scope, snapshot)
    checks = (
        freshness(closed, scope.at, snapshot.timeframe.ms / 1000),
        coverage(found + 1, len(wanted) + 1, "figures"),
        *((twin,) if twin is not None else ()),
        possible_figures({"price": snapshot.price, "open_interest": around.open_interest, **known}),
    )
    return ToolResult(output, checks, min(scope.at, snapshot.at), snapshot.venue)


def _sentence(output: Mapping[str, Any], language: Language) -> str:
    names = {
        "en": {"change_24h_pct": "24 h change", "funding_rate_pct": "funding rate", "oi_change_pct": "open interest over 24 h"},
        "zh": {"change_24h_pct": "24 小时涨跌", "funding_rate_pct": "资金费率", "oi_change_pct": "24 小时持仓量变化"},
    }[language]
    digits = {"funding_rate_pct": 4}
    parts = [f"{name} {output[key]:+.{digits.get(key, 2)}f} %" for key, name in names.items() if output.get(key) is not None]
    if language == "zh":
        return f"{output['symbol']} 价格为 {output['price']:g}" + "".join(f"，{part}" for part in parts) + "。"
    return f"{output['symbol']} trades at {output['price']:g}" + "".join(f", {part}" for part in parts) + "."


TOOL = PlanTool(
    "market_snapshot",
    "A market at the instant: price, 24 h change, funding rate, open interest and its change, fear and greed.",
    SnapshotArguments,
    _run,
    _sentence,
)
