"""How a run of the desk ends: every field of the state, strict JSON. Pure.

Whatever did not end as a sound decision ends here in the safe outcome, hold without an order, with `is_valid: false` and a reason in
`errors`. What was said, corrected and spent is read out of the events: debates leave nothing else behind.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.agents.attached import EVIDENCE_FIELDS, evidence_fields
from engine.agents.reader_nodes import ROLE as READER
from engine.agents.reader_nodes import is_reader
from engine.agents.recording import recorded
from engine.domain.ended import Ended, Memory
from engine.domain.events import Event, NodeFailed
from engine.domain.model_faults import model_faults
from engine.domain.opinion import Usage
from engine.flows.fusion.answers import TradeAction
from engine.flows.fusion.context import FusionContext
from engine.flows.fusion.memory.controller import FLOW
from engine.flows.fusion.reasons import reason
from engine.flows.fusion.report import grounding_fields, planted_lies
from engine.flows.fusion.state import Json
from engine.flows.protocol import Failure

_ANALYST_FIELDS = ("status", "tool_calls", "breaker", "attempts", "report", "view")
_SHARED = (
    "company_of_interest", "trade_date", "trade_timestamp", "trading_session", "preset", "research_summary", "risk_summary",
    "investment_plan", "trader_investment_plan", "final_trade_decision", "account_cash", "account_total_value", "current_price",
    "previous_close", "portfolio_positions", "max_drawdown", "largest_allowed_order",
)  # fmt: skip
_SHOWN = ("trader_action", "order", "is_valid", "errors", "warnings", "metrics")
DECISION = "decision"


def first_state(context: FusionContext, symbol: str) -> Json:
    """Return the state before anybody speaks: whom it is about, when, and how the account stands."""
    snapshot, account, moment = context.snapshot, context.account, context.snapshot.moment
    return {
        "company_of_interest": snapshot.listing.symbol or symbol,
        "trade_date": str(moment.trade_date),
        "trade_timestamp": context.request.timestamp,
        "trading_session": moment.trading_session,
        "preset": context.preset.name,
        "created_at": context.now(),
        "analysts": {},
        **account.state_fields(),
        "current_price": snapshot.current_price,
        "previous_close": snapshot.previous_close,
        "largest_allowed_order": context.sheet.number("largest_allowed_order") or 0.0,
    }


def ended(state: Mapping[str, Any], context: FusionContext, events: Sequence[Event], failure: Failure | None = None) -> Ended:
    """Return how a run ended. state: what the graph left. events: of the run."""
    cut = list(failure.inside.values()) if failure is not None else []
    analysts = {key: value for private in cut for key, value in (private.get("analysts") or {}).items()} | dict(state.get("analysts") or {})
    final = _concluded({**state, "analysts": analysts}, context, events, failure)
    return Ended(
        state=final,
        headline=_headline(final, analysts, context),
        is_valid=final["is_valid"],
        duration_ms=final["metrics"]["total_duration_ms"],
        tokens=final["metrics"]["total_tokens"],
        cost=final["total_cost"],
        shown={key: final[key] for key in (*_SHOWN, *EVIDENCE_FIELDS) if key in final},
        memories=_memories(final, analysts, context),
        confidence=(state.get("trade") or {}).get("confidence") if final["is_valid"] else None,
        claims=final["total_claims"],
        false_claims=final["false_claims"],
    )


def _concluded(state: Mapping[str, Any], context: FusionContext, events: Sequence[Event], failure: Failure | None) -> Json:
    language, analysts = context.language, state["analysts"]
    trade: Mapping[str, Any] = state.get("trade") or {}
    errors = [*_why(state, failure, context), *trade.get("errors", ())]
    final: Json = {
        "flow": FLOW,
        "run_id": context.run_id,
        **{field: state.get(field) for field in _SHARED},
        **_of_preset(analysts, state, context),
    }
    sound = not errors and _is_whole(final, analysts, context)
    order = trade.get("order") if sound else None
    shown = {key: {field: record.get(field) for field in _ANALYST_FIELDS} for key, record in sorted(analysts.items(), key=_by(context))}
    spent = [answer.usage for answer in recorded(events).answers.values()]
    found, faults = grounding_fields(events, context), model_faults(events)
    warnings = _warnings(analysts, trade, context)
    if faults.refused and not faults.answered:
        errors = [faults.refused, *(each for each in errors if faults.refused not in each)]
        warnings = [each for each in warnings if faults.refused not in each]
    lost = (event.data.reason for event in events if isinstance(event.data, NodeFailed) and is_reader(event.node or ""))
    warnings += [reason("no_answer", language, role=READER, reason=why) for why in lost]
    if faults.ignored:
        warnings.append(reason("format", language, n=faults.ignored, of=faults.asked))
    final |= {
        "trader_action": (trade.get("action") or TradeAction.HOLD.value).lower() if sound else "hold",
        "order": order,
        "execution_record": None,
        "proposal_id": None,
        "analysts": shown,
        "is_valid": sound,
        "errors": errors or ([] if sound else [reason("unfinished", language)]),
        "warnings": warnings,
        "limits": list(trade.get("limits", ())),
        "inputs_hash": context.inputs.hash,
        "missing": dict(context.snapshot.missing),
        "notes": [*context.snapshot.notes, *context.account.notes],
        "created_at": state["created_at"],
        "completed_at": context.now(),
        "total_cost": _cost(spent),
        **found,
        "planted": planted_lies(events, found["false_claim_details"]),
        **(evidence_fields(events, context.inputs.evidence) if context.inputs.evidence else {}),
    }
    return final | {"metrics": _metrics(spent, final, context.since(str(state["created_at"])))}


def _why(state: Mapping[str, Any], failure: Failure | None, context: FusionContext) -> list[str]:
    """Return why the graph itself came to no decision."""
    if failure is not None and failure.kind == "deadline":
        return [reason("deadline", context.language, seconds=failure.detail)]
    if failure is not None:
        return [reason("broke", context.language, reason=failure.detail)]
    return [state["halted"]] if state.get("halted") else []


def _is_whole(final: Json, analysts: Mapping[str, Json], context: FusionContext) -> bool:
    """Return whether everything that the preset is meant to give is there."""
    if context.preset.advisor is not None:
        return (analysts.get(context.preset.advisor.key) or {}).get("report") is not None
    return final["final_trade_decision"] is not None and final["trader_investment_plan"] is not None


def _of_preset(analysts: Mapping[str, Json], state: Mapping[str, Any], context: FusionContext) -> Json:
    """Return the fields that one preset has and the other has not."""
    if context.preset.debates:
        keys = [f"{analyst.key}_analyst_summary" for analyst in context.preset.analysts]
        return {key: state.get(key) for key in keys}
    listing = context.snapshot.listing
    info = {"symbol": listing.symbol, "name": listing.name, "market": listing.market, "session_close": context.snapshot.current_price}
    return {"index_info": info} | {f"{each.key}_report": (analysts.get(each.key) or {}).get("report") for each in context.preset.everybody}


def _warnings(analysts: Mapping[str, Json], trade: Mapping[str, Any], context: FusionContext) -> list[str]:
    language, said = context.language, list[str]()
    for key, record in sorted(analysts.items(), key=_by(context)):
        if record["status"] == "degraded":
            said.append(reason("degraded", language, role=key, attempts=record["attempts"], reason=record["reason"]))
        elif record["breaker"]:
            said.append(reason("breaker", language, role=key, calls=record["tool_calls"]))
    return [*said, *trade.get("warnings", ())]


def _by(context: FusionContext) -> Any:
    order = [analyst.key for analyst in context.preset.everybody]
    return lambda item: order.index(item[0]) if item[0] in order else len(order)


def _metrics(spent: Sequence[Usage], final: Json, duration_ms: float) -> Json:
    return {
        "llm_calls_count": sum(usage.requests for usage in spent),
        "failed_llm_calls": sum(usage.failed for usage in spent),
        "tool_calls_count": sum(record["tool_calls"] for record in final["analysts"].values()),
        "total_duration_ms": duration_ms,
        "total_tokens": sum(usage.prompt_tokens + usage.completion_tokens for usage in spent),
        "prompt_tokens": sum(usage.prompt_tokens for usage in spent),
        "completion_tokens": sum(usage.completion_tokens for usage in spent),
    }


def _cost(spent: Sequence[Usage]) -> float | None:
    """Return what the run cost in money; None when a model that was asked has no price."""
    costs = [usage.cost for usage in spent]
    return None if None in costs else round(sum(cost for cost in costs if cost is not None), 6)


def _headline(final: Json, analysts: Mapping[str, Json], context: FusionContext) -> str:
    if context.preset.advisor is None or not final["is_valid"]:
        return str(final["trader_action"])
    view = (analysts.get(context.preset.advisor.key) or {}).get("view") or {}
    return f"{final['trader_action']}: {view.get('direction')}"


def _memories(final: Json, analysts: Mapping[str, Json], context: FusionContext) -> list[Memory]:
    """Return what the run leaves for later ones. A run made from another on the same inputs leaves nothing: it is a second opinion."""
    origin = context.request.origin
    if origin is not None and not origin.fresh:
        return []
    left = [Memory.model_validate(each) for record in analysts.values() for each in record.get("memories", ())]
    if not final["is_valid"]:
        return left
    said = str(final.get("final_trade_decision") or final.get("strategy_report") or "")[:400]
    body = {
        "trade_date": final["trade_date"],
        "trading_session": final["trading_session"],
        "action": final["trader_action"],
        "price": final["current_price"],
        "order": final["order"],
        "reason": said,
    }
    return [*left, Memory(flow=FLOW, subject=context.snapshot.listing.symbol, name=DECISION, body=body, dated=context.dated)]
