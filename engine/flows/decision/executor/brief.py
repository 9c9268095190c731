"""What the executor reads, gathered out of the state: the market, the facts, the corrections, the votes and what was said."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.agents.evidence import with_timeframes
from engine.domain.claims import Claim, GroundingResult
from engine.domain.decision import DEBATE_SIDES
from engine.domain.facts import FactSheet, number_text, write_fact_lines
from engine.domain.market.snapshot import Snapshot
from engine.flows.decision.briefing import prose, thesis_block, votes
from engine.flows.decision.context import DecisionContext
from engine.flows.decision.executor.prompt import ExecutorBrief, Statement, brief_votes
from engine.flows.decision.paths import CORRECTED_CONTEXT, GROUNDING_RESULT, GROUNDING_SUMMARY, Path
from engine.flows.decision.state import TradingDecisionState
from engine.grounding.correct import correct_text
from engine.grounding.tables.crypto import CRYPTO
from engine.trading.figures import round_trip_cost_pct

_MARKET_FACTS = (
    "rsi_14",
    "macd",
    "macd_signal",
    "adx_14",
    "ema_20",
    "ema_50",
    "ema_200",
    "atr_14",
    "volume_ratio_20",
    "funding_rate_pct",
    "oi_change_pct",
)
_POSITION_FACTS = (
    "side",
    "entry_price",
    "profit_pct",
    "mfe_pct",
    "mae_pct",
    "drawdown_from_peak_pct",
    "hold_count",
    "leverage",
    "size",
    "liquidation_price",
)


def make_brief(path: Path, state: TradingDecisionState, context: DecisionContext, *, corrected: bool = True) -> ExecutorBrief:
    """Return what the executor is told, out of the state. corrected: false values replaced, corrections listed; else as it was said."""
    records: Mapping[str, Any] = state
    sheet = context.sheet
    market: dict[str, str | None] = {
        "price": sheet.text("close"),
        "support": _level(state["key_support"], sheet),
        "resistance": _level(state["key_resistance"], sheet),
        "path": path.name,
        **_trading(context.snapshot),
    }
    result = GroundingResult.model_validate(records[path.key(GROUNDING_RESULT)])
    return ExecutorBrief(
        market="\n".join(f"{key} = {value if value is not None else 'N/A'}" for key, value in market.items()),
        facts=write_fact_lines(sheet, with_timeframes(sheet, _MARKET_FACTS)),
        position=write_fact_lines(sheet, _POSITION_FACTS) if context.snapshot.holding else "",
        corrected=records[path.key(CORRECTED_CONTEXT)] if corrected else "",
        summary=records[path.key(GROUNDING_SUMMARY)] if corrected else "",
        consensus=brief_votes(votes(state["reports"]), state),
        statements=_statements(path, state, result.claims if corrected else (), context),
        thesis=thesis_block(context.snapshot, sheet, context.language),
    )


def _level(price: float | None, sheet: FactSheet) -> str | None:
    return number_text(price, "price", sheet.price_step) if price is not None else None


def _trading(snapshot: Snapshot) -> dict[str, str | None]:
    """Return what the market's terms are to a plan; nothing where they are not known."""
    if snapshot.terms is None:
        return {}
    costs = round_trip_cost_pct(snapshot.price, snapshot.terms)
    return {"price_step": f"{snapshot.terms.price_step:f}", "round_trip_cost_pct": f"{costs:.3g}"}


def _statements(path: Path, state: TradingDecisionState, claims: Sequence[Claim], context: DecisionContext) -> list[Statement]:
    records: Mapping[str, Any] = state
    statements = []
    for side in DEBATE_SIDES:
        record, role = records[path.record(side)], path.node(side)
        own = [claim for claim in claims if claim.source == role]
        head = f"{side}: confidence {record['confidence']:g}"
        if side == "judge":
            adjust = f" {record['adjustment_pct']:+g}" if record.get("adjustment_pct") is not None else ""
            head = f"judge: {record['verdict']} {record['direction']} {record['confidence']:g}{adjust}"
        statements.append(Statement(role, head, prose(correct_text(record["text"], own, context.sheet, context.language, CRYPTO))))
    return statements
