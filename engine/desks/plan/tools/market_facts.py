"""`market_facts`: measured facts of a market by their canonical keys, as every role of a decision reads them."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from engine.desks.plan.tools.market_snapshot import read_snapshot, twin_close
from engine.desks.plan.tools.protocol import Json, NoData, PlanTool, ToolResult, ToolScope
from engine.desks.plan.tools.quality import coverage, freshness, possible_figures
from engine.domain.errors import BadInput
from engine.domain.frozen_model import FrozenModel
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.facts.sheet import build_sheet

_MOST_SHOWN = 5  # facts that a sentence names at most


class FactsArguments(FrozenModel):
    """keys: canonical keys of facts."""

    symbol: str = Field(min_length=1, max_length=40, description="market as ccxt names it, BTC/USDT:USDT")
    timeframe: str = Field(default="1h", max_length=6, description="length of a candle: 15m, 1h, 4h, 1d")
    keys: tuple[Annotated[str, Field(max_length=40)], ...] = Field(
        default=("close", "rsi_14", "adx_14", "atr_pct", "ema_50", "ema_200"),
        min_length=1,
        max_length=30,
        description="canonical keys: rsi_14, atr_pct, ema_200, macd_hist, support, resistance, ...",
    )


async def _run(scope: ToolScope, asked: FactsArguments) -> ToolResult:
    snapshot, closed = await read_snapshot(scope, asked.symbol, asked.timeframe)
    sheet = build_sheet(snapshot)
    if unknown := [key for key in asked.keys if sheet.get(key) is None]:
        raise BadInput(Reason("fact_is_not_known", unknown=f"{unknown[0][:40]!r}", sheet=", ".join(fact.key for fact in sheet)))
    facts = {key: sheet.get(key) for key in asked.keys}
    known = {key: fact for key, fact in facts.items() if fact is not None and fact.value is not None}
    missing = {key: fact.missing or "" for key, fact in facts.items() if fact is not None and fact.value is None}
    if not known:
        raise NoData(
            Reason(
                "none_of_these_facts_is_known",
                symbol=asked.symbol,
                missing=[Reason("about", who=key, what=why) for key, why in missing.items()],
            )
        )
    output: Json = {
        "symbol": snapshot.market.symbol,
        "timeframe": asked.timeframe,
        "facts": {key: {"value": fact.value, "unit": fact.unit, "text": sheet.text(key)} for key, fact in known.items()},
        "missing": dict(missing),
    }
    numbers = {key: fact.number for key, fact in known.items() if fact.number is not None}
    twin = await twin_close(scope, snapshot)
    checks = (
        freshness(closed, scope.at, snapshot.timeframe.ms / 1000),
        coverage(len(known), len(asked.keys), "facts"),
        *((twin,) if twin is not None else ()),
        *((possible_figures(numbers),) if numbers else ()),
    )
    return ToolResult(output, checks, closed, snapshot.venue)


def _sentence(output: Mapping[str, Any], language: Language) -> str:
    facts = [f"{key} {fact['text']}{' %' if fact['unit'] == 'percent' else ''}" for key, fact in output["facts"].items()][:_MOST_SHOWN]
    if language == "zh":
        return f"{output['symbol']}（{output['timeframe']}）：{'，'.join(facts)}。"
    return f"{output['symbol']} ({output['timeframe']}): {', '.join(facts)}."


TOOL = PlanTool("market_facts", "Measured facts of a market by key: indicators, levels, change, funding.", FactsArguments, _run, _sentence)
