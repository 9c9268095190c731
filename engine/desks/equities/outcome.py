"""How a run of the desk ends: every field of the state, strict JSON. Pure.

Whatever did not end as a sound decision ends here in the safe outcome, hold without an order, with `is_valid: false` and a reason in
`errors`. What was said, corrected and spent is read out of the events: debates leave nothing else behind.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from engine.agents.attached import EVIDENCE_FIELDS, evidence_fields
from engine.agents.reader_nodes import ROLE as READER
from engine.agents.reader_nodes import is_reader
from engine.agents.recording import claim_tallies
from engine.desks.equities.analyst import source_of
from engine.desks.equities.answers import TradeAction, states_view
from engine.desks.equities.checking import checked_in
from engine.desks.equities.context import EquitiesContext
from engine.desks.equities.memory import FLOW
from engine.desks.equities.orders.filing import file_order
from engine.desks.equities.orders.order import ShareOrder
from engine.desks.equities.report import counted_memory, grounding_fields, planted_lies, said_claims
from engine.desks.equities.request import EquitiesInputs, EquitiesRequest
from engine.desks.equities.sheet import build_desk_sheet
from engine.desks.equities.state import Json
from engine.domain.claims import Claim
from engine.domain.ended import Ended, Memory
from engine.domain.events import Event, NodeFailed, NodeFinished
from engine.domain.market.terms import exact
from engine.domain.model_faults import model_faults
from engine.domain.proposal import OrderPlan
from engine.domain.run import RunRecord
from engine.domain.stability import RepeatedAnswer
from engine.domain.text.reason import Reason, holds
from engine.domain.text.visible import shortened
from engine.facts.likeness import features_of
from engine.flows.ending import filed, finished
from engine.flows.protocol import Failure, Review, RunDeps
from engine.grounding.tables.thresholds import after_penalty
from engine.outcomes.expected import expected_outcome
from engine.trading.figures import figures_of
from engine.trading.share_terms import share_terms

_ANALYST_FIELDS = ("status", "tool_calls", "breaker", "attempts", "report", "view")
_SHARED = (
    "company_of_interest", "trade_date", "trade_timestamp", "trading_session", "preset", "prompts_hash", "research_summary", "risk_summary",
    "investment_plan", "trader_investment_plan", "final_trade_decision", "account_cash", "account_total_value", "current_price",
    "previous_close", "portfolio_positions", "max_drawdown", "largest_allowed_order",
)  # fmt: skip
_SHOWN = ("trader_action", "order", "is_valid", "errors", "warnings", "metrics")
DECISION = "decision"
_LONGEST_REASON = 400


def ended(state: Mapping[str, Any], context: EquitiesContext, events: Sequence[Event], failure: Failure | None) -> Ended:
    """Return how a run ended. state: what the graph left. events: of the run."""
    cut = list(failure.inside.values()) if failure is not None else []
    analysts = {key: value for private in cut for key, value in (private.get("analysts") or {}).items()} | dict(state.get("analysts") or {})
    claims = said_claims(events, context)
    fields = _concluded({**state, "analysts": analysts}, context, events, claims, failure)
    calls = {"tool_calls_count": sum(record["tool_calls"] for record in fields["analysts"].values())}
    common = finished(context, str(state["created_at"]), events, fields, None, shown=(*_SHOWN, *EVIDENCE_FIELDS), counted=calls)
    final = common.state
    return replace(
        common,
        headline=_headline(final, analysts, context),
        memories=_memories(final, analysts, context, events),
        confidence=final["final_confidence"] if final["is_valid"] and final["executor_confidence"] is not None else None,
        claims=final["total_claims"],
        false_claims=final["false_claims"],
        tallies=claim_tallies(claims, events),
        at=context.snapshot.moment.known_at,
        features=features_of(context.sheet) if final["trader_action"] == TradeAction.BUY.value.lower() else {},
    )


def _concluded(
    state: Mapping[str, Any], context: EquitiesContext, events: Sequence[Event], claims: Sequence[Claim], failure: Failure | None
) -> Json:
    language, checked = context.language, checked_in(state)
    place = {analyst.key: n for n, analyst in enumerate(context.preset.everybody)}
    analysts = dict(sorted(state["analysts"].items(), key=lambda item: place.get(item[0], len(place))))
    advice = _advice(analysts, context)
    trade: Mapping[str, Any] = state.get("trade") or {}
    why = failure.said_in(language) if failure is not None else state.get("halted")
    errors = [*filter(None, [why]), *checked.reasons(language), *trade.get("errors", ())]
    final: Json = {**{field: state.get(field) for field in _SHARED}, **_of_preset(analysts, state, context)}
    if advice is None:
        is_whole = final["final_trade_decision"] is not None and final["trader_investment_plan"] is not None
        stated = trade.get("executor_confidence")
    else:
        is_whole, stated = advice.get("report") is not None, (advice.get("view") or {}).get("confidence")
    sound = not errors and is_whole
    order = trade.get("order") if sound else None
    shown = {key: {field: record.get(field) for field in _ANALYST_FIELDS} for key, record in analysts.items()}
    found, faults = grounding_fields(claims), model_faults(events)
    warnings = _warnings(analysts, trade, context)
    if faults.refused and not faults.answered:
        errors = [faults.refused, *(each for each in errors if not holds(each, faults.refused))]
        warnings = [each for each in warnings if not holds(each, faults.refused)]
    lost = (event.data.reason for event in events if isinstance(event.data, NodeFailed) and is_reader(event.node or ""))
    warnings += [Reason("no_usable_answer", role=READER, reason=why).said_in(language) for why in lost]
    if faults.ignored:
        warnings.append(Reason("model_ignored_form", n=faults.ignored, of=faults.asked).said_in(language))
    final |= {
        "trader_action": (trade.get("action") or TradeAction.HOLD.value).lower() if sound else "hold",
        "order": order,
        "execution_record": None,
        "proposal_id": None,
        "analysts": shown,
        "errors": errors or ([] if sound else [Reason("run_unfinished").said_in(language)]),
        "warnings": warnings,
        "limits": list(trade.get("limits", ())),
        "missing": dict(context.snapshot.missing),
        "notes": [*context.snapshot.notes, *context.account.notes],
        **found,
        "hallucination_score": checked.score,
        "analysis_hallucination_score": checked.analysis_score,
        "grounding_verified": checked.score is not None and not checked.closes_gate,
        "gate_closed": checked.closes_gate,
        "confidence_penalty": checked.penalty_pct,
        "executor_confidence": stated,
        "final_confidence": after_penalty(stated, checked.penalty_pct) if sound and stated is not None else 0.0,
        "planted": planted_lies(events, found["false_claim_details"]),
        **(evidence_fields(events, context.inputs.evidence) if context.inputs.evidence else {}),
    }
    final["calibrated_confidence"] = trade.get("calibrated_confidence") if order is not None else None
    final |= {"expected_outcome": _expected(final, context), "actual_outcome": None, "stability": None}
    return final | {"historical_similar_decisions": [each.model_dump(mode="json") for each in context.inputs.similar] or None}


async def file(ended: Ended, context: EquitiesContext, request: EquitiesRequest, deps: RunDeps) -> Ended:
    """Return the end after its order was filed as a proposal, when that was asked for. What cannot be filed is said."""
    if not request.propose or ended.state["order"] is None:
        return ended
    return await filed(ended, file_order(ended, context, request, deps), request.language)


async def review(record: RunRecord, inputs: EquitiesInputs, events: Sequence[Event], ended_at: datetime, deps: RunDeps) -> Review:
    """Return what the trader and the risk judge stated."""
    ends = (event.data for event in events if event.node in {"trader", "risk_judge"})
    claims = tuple(claim for data in ends if isinstance(data, NodeFinished) for claim in data.claims)
    words = str((record.result or {}).get("final_trade_decision") or "")
    sheet = await asyncio.to_thread(build_desk_sheet, inputs.snapshot, inputs.account, 0.0)
    return Review(claims=claims, words=words, features=features_of(sheet))


def repeated(final: Mapping[str, Any], context: EquitiesContext) -> RepeatedAnswer:
    """Return what a final state came to: its action, or that the trader gave no answer. A closed gate is an answer."""
    if final["trader_investment_plan"] is None and not final["gate_closed"]:
        return RepeatedAnswer(action=None, lost=Reason.listed(final["errors"]))
    order = ShareOrder.model_validate(final["order"]) if final["order"] is not None else None
    levels = {}
    if order is not None:
        entry = order.limit_price if order.limit_price is not None else context.snapshot.current_price
        levels = {"entry": entry, "stop": order.stop_price, "target": order.target_price}
    return RepeatedAnswer(
        action=final["trader_action"],
        is_valid=final["is_valid"],
        confidence=final["final_confidence"],
        atr=context.sheet.number("atr_14"),
        **levels,
    )


def _expected(final: Json, context: EquitiesContext) -> str | None:
    """Return what a buy is expected to come to; None for anything else, and for one without a stop or a target."""
    order = ShareOrder.model_validate(final["order"]) if final["order"] is not None else None
    if order is None or order.side != "buy" or order.stop_price is None or order.target_price is None:
        return None
    plan = OrderPlan(
        side="buy",
        amount=Decimal(order.quantity),
        limit=exact(order.limit_price) if order.limit_price is not None else None,
        stop=exact(order.stop_price),
        target=exact(order.target_price),
    )
    figures = figures_of(plan, context.snapshot.current_price, share_terms(context.snapshot.listing))
    return expected_outcome(plan, figures, final["final_confidence"], context.request.calibration, context.language)


def _advice(analysts: Mapping[str, Json], context: EquitiesContext) -> Json | None:
    """Return the record of the advisor, empty before it spoke; None where there is a trader."""
    return None if context.preset.advisor is None else analysts.get(context.preset.advisor.key) or {}


def _of_preset(analysts: Mapping[str, Json], state: Mapping[str, Any], context: EquitiesContext) -> Json:
    """Return the fields that one preset has and the other has not."""
    if context.preset.debates:
        keys = [f"{analyst.key}_analyst_summary" for analyst in context.preset.analysts]
        return {key: state.get(key) for key in keys}
    listing = context.snapshot.listing
    info = {"symbol": listing.symbol, "name": listing.name, "market": listing.market, "session_close": context.snapshot.current_price}
    return {"index_info": info} | {f"{each.key}_report": (analysts.get(each.key) or {}).get("report") for each in context.preset.everybody}


def _warnings(analysts: Mapping[str, Json], trade: Mapping[str, Any], context: EquitiesContext) -> list[str]:
    language, said = context.language, list[str]()
    for key, record in analysts.items():
        if record["status"] == "degraded":
            said.append(Reason("report_missing", role=key, attempts=record["attempts"], reason=record["reason"]).said_in(language))
        elif record["breaker"]:
            said.append(Reason("analyst_stopped_by_breaker", role=key, calls=record["tool_calls"]).said_in(language))
        if record["report"] is not None and not states_view(record["report"]):
            said.append(Reason("report_has_no_view", role=key).said_in(language))
    return [*said, *trade.get("warnings", ())]


def _headline(final: Json, analysts: Mapping[str, Json], context: EquitiesContext) -> str:
    advice = _advice(analysts, context)
    if advice is None or not final["is_valid"]:
        return str(final["trader_action"])
    return f"{final['trader_action']}: {(advice.get('view') or {}).get('direction')}"


def _memories(final: Json, analysts: Mapping[str, Json], context: EquitiesContext, events: Sequence[Event]) -> list[Memory]:
    """Return what the run leaves for later ones. A run made from another on the same inputs leaves nothing: it is a second opinion."""
    origin = context.request.origin
    if origin is not None and not origin.fresh:
        return []
    left = [
        counted_memory(Memory.model_validate(each), key, record, context, events)
        for key, record in analysts.items()
        for each in record.get("memories", ())
    ]
    if not final["is_valid"]:
        return left
    said = shortened(str(final.get("final_trade_decision") or final.get("strategy_report") or ""), _LONGEST_REASON)
    body = {
        "trade_date": final["trade_date"],
        "trading_session": final["trading_session"],
        "action": final["trader_action"],
        "price": final["current_price"],
        "order": final["order"],
        "reason": said,
        "source": source_of(context),
    }
    return [*left, Memory(flow=FLOW, subject=context.snapshot.listing.symbol, name=DECISION, body=body, dated=context.dated)]
