"""What the executor reads, gathered out of the state: the market, the facts, the corrections, the votes and what was said."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.agents.evidence import with_timeframes
from engine.agents.heard import moved_by
from engine.domain.claims import Claim, GroundingResult
from engine.domain.facts import FactSheet, number_text, write_fact_lines
from engine.domain.market.snapshot import Snapshot
from engine.flows.decision.background import plan_background
from engine.flows.decision.briefing import thesis_block, votes
from engine.flows.decision.context import DecisionContext
from engine.flows.decision.executor.prompt import ExecutorBrief, HeardSpeech, brief_votes
from engine.flows.decision.executor.record import correction_record
from engine.flows.decision.paths import GROUNDING_RESULT, GROUNDING_SUMMARY, Path
from engine.flows.decision.speeches import corrected_words, speeches
from engine.flows.decision.stakes import cost_pct, held
from engine.flows.decision.state import TradingDecisionState

_MARKET_FACTS = (
    "rsi_14",
    "macd",
    "macd_signal",
    "adx_14",
    "ema_20",
    "ema_50",
    "ema_200",
    "atr_14",
    "atr_pct",
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
    sheet, language = context.sheet, context.language
    market: dict[str, str | None] = {
        "price": sheet.text("close"),
        "support": _level(state["key_support"], sheet),
        "resistance": _level(state["key_resistance"], sheet),
        "path": path.name,
        **_trading(context.snapshot, sheet),
    }
    lines = "\n".join(f"{key} = {value if value is not None else 'N/A'}" for key, value in market.items())
    against = plan_background(context.snapshot, sheet, language, int(context.risk.max_leverage))
    result = GroundingResult.model_validate(records[path.key(GROUNDING_RESULT)])
    position = write_fact_lines(sheet, _POSITION_FACTS)
    side = held(context.snapshot.holding, language)
    return ExecutorBrief(
        market=f"{lines}\n{against}".strip(),
        facts=write_fact_lines(sheet, with_timeframes(sheet, _MARKET_FACTS)),
        position=f"{side}\n{position}" if side else "",
        corrections=correction_record(path, result, sheet, language) if corrected else "",
        summary=records[path.key(GROUNDING_SUMMARY)] if corrected else "",
        consensus=brief_votes(votes(state["reports"]), state),
        heads=_heads(path, records),
        said=_said(path, records, result.claims if corrected else (), context),
        thesis=thesis_block(context.snapshot, sheet, language),
        as_said=not corrected,
    )


def _level(price: float | None, sheet: FactSheet) -> str | None:
    return number_text(price, "price", sheet.price_step) if price is not None else None


def _trading(snapshot: Snapshot, sheet: FactSheet) -> dict[str, str | None]:
    """Return what the market's terms are to a plan; nothing where they are not known."""
    cost = cost_pct(snapshot)
    if snapshot.terms is None or cost is None:
        return {}
    atr_pct = sheet.number("atr_pct")
    in_atr = {"round_trip_cost_atr": f"{cost / atr_pct:.2g}"} if atr_pct else {}
    return {"price_step": f"{snapshot.terms.price_step:f}", "round_trip_cost_pct": f"{cost:.3g}", **in_atr}


def _heads(path: Path, records: Mapping[str, Any]) -> list[str]:
    """Return the votes of the debate, a line each."""
    judge = records[path.record("judge")]
    adjust = f" {judge['adjustment_pct']:+g}" if judge.get("adjustment_pct") is not None else ""
    sides = [f"{path.speaker(side)}: confidence {records[path.record(side)]['confidence']:g}" for side in ("bull", "bear")]
    return [*sides, f"judge: {judge['verdict']} {judge['direction']} {judge['confidence']:g}{adjust}"]


def _said(path: Path, records: Mapping[str, Any], claims: Sequence[Claim], context: DecisionContext) -> list[HeardSpeech]:
    """Return every speech in order, then the ruling, each put right by the claims that were read in it."""
    made = speeches(path, records)
    judge = str(records[path.record("judge")]["text"])
    rounds = {each.side: each.round for each in made}
    spoken = [
        (f"{path.speaker(each.side)} {each.round}", path.node(each.side), each.span, each.round == rounds[each.side]) for each in made
    ]
    said = []
    for by, node, (start, end), last in (*spoken, ("judge", path.node("judge"), (0, len(judge)), True)):
        text = str(records[path.record(path.debaters[node])]["text"])[start:end]
        own = [moved_by(claim, -start) for claim in claims if claim.source == node and start <= claim.start and claim.end <= end]
        said.append(HeardSpeech(by, corrected_words(node, text, own, context), last))
    return said
