"""The first state of a decision, out of what is known before the first role speaks."""

from datetime import UTC
from typing import Any

from engine.desks.decision.analysts import ANALYSTS
from engine.desks.decision.briefing import market_context
from engine.desks.decision.context import DecisionContext
from engine.desks.decision.state import Json
from engine.domain.events import RunStarted
from engine.domain.market.candles import Candles
from engine.domain.run import DecideRequest
from engine.domain.text.reason import Reason


def first_state(context: DecisionContext, request: DecideRequest) -> Json:
    """Input fields, names and times; everything else comes from the nodes."""
    snapshot, sheet = context.snapshot, context.sheet
    holding = snapshot.holding
    of_the_past = request.at is not None or snapshot.feed == "recorded"
    state: dict[str, Any] = {
        "pair": snapshot.market.symbol,
        "current_price": snapshot.price,
        "timeframe": str(snapshot.timeframe),
        "timeframe_htf": str(snapshot.timeframe_htf) if snapshot.timeframe_htf else None,
        "market_context": market_context(sheet, context.at, context.language),
        "ohlcv_data": _reference(snapshot.id, snapshot.candles),
        "ohlcv_data_htf": _reference(snapshot.id, snapshot.candles_htf) if snapshot.candles_htf is not None else None,
        "has_position": holding is not None,
        "position_side": holding.side if holding else None,
        "position_profit_pct": sheet.number("profit_pct"),
        "position_entry_price": holding.entry_price if holding else None,
        "position_size": holding.size if holding else None,
        "position_leverage": holding.leverage if holding else None,
        "llm_config": {"model": request.model, "language": request.language, "vision": request.vision, "seed": request.seed},
        "risk_config": context.risk.model_dump(mode="json"),
        "execution_path": context.path.name,
        "thread_id": context.run_id,
        "run_id": context.run_id,
        "decision_id": f"decision-{context.run_id}",
        "snapshot_id": snapshot.id,
        "snapshot_hash": snapshot.hash,
        "created_at": context.now(),
        "backtest_mode": of_the_past,
        "backtest_timestamp": snapshot.at.astimezone(UTC).isoformat() if of_the_past else None,
        "chart_image_path": context.chart_path,
        "historical_similar_decisions": [each.model_dump(mode="json") for each in snapshot.similar] or None,
        "nodes_executed": [],
        "errors": [],
        "warnings": [*snapshot.notes, *_of_earlier(context)],
        "said_on": {role: said.to_json() for role, said in context.said_on.items()} or None,
    }
    return state


_TICKER = ("change_24h_pct", "funding_rate_pct", "atr_14", "rsi_14")
"""Facts of the market line."""


def opening(context: DecisionContext, request: DecideRequest) -> RunStarted:
    """Return the data of `run.started`: the request, the market in figures, who takes part."""
    snapshot = context.snapshot
    similar = {"similar": [each.model_dump(mode="json") for each in snapshot.similar]} if snapshot.similar else {}
    return RunStarted(
        request=request.model_dump(mode="json"),
        snapshot_id=snapshot.id,
        snapshot_hash=snapshot.hash,
        at=snapshot.at.isoformat(),
        price=snapshot.price,
        price_step=snapshot.market.price_step,
        symbol=snapshot.market.symbol,
        venue=snapshot.venue,
        feed=snapshot.feed,
        timeframe=str(snapshot.timeframe),
        timeframe_htf=str(snapshot.timeframe_htf) if snapshot.timeframe_htf else None,
        path=context.path.name,
        model=request.model,
        language=request.language,
        analysts=[analyst.key for analyst in ANALYSTS],
        facts={key: context.sheet.number(key) for key in _TICKER},
        holding=snapshot.holding.model_dump(mode="json") if snapshot.holding else None,
        notes=list(snapshot.notes),
        **similar,
    )


def _of_earlier(context: DecisionContext) -> list[str]:
    """Return that words of this decision are about an earlier market, and which."""
    instants = sorted({said.at for said in context.said_on.values()})
    listed = ", ".join(instant.astimezone(UTC).strftime("%Y-%m-%d %H:%M") for instant in instants)
    return [Reason("said_earlier", at=listed).said_in(context.language)] if instants else []


def _reference(snapshot_id: str, candles: Candles) -> Json:
    """Return where the candles are, never the candles."""
    return {
        "snapshot_id": snapshot_id,
        "timeframe": str(candles.timeframe),
        "bars": len(candles),
        "first_open": int(candles.opened_at[0]),
        "last_open": int(candles.opened_at[-1]),
    }
