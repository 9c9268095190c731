"""The risk debate: risky, safe and neutral over as many rounds as were asked for, then the judge. It sees the plan that research decided,
the account and the dated evidence of the run; it is sealed from reports and from the research talk."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from engine.agents.attached import evidence_block
from engine.agents.debate import Schemas
from engine.agents.limit_texts import OF_ACCOUNT, OF_ORDER, limit_lines, standing_lines
from engine.desks.equities.answers import TradeBlock, prose, read_trade
from engine.desks.equities.context import EquitiesContext
from engine.desks.equities.debates.research import heading
from engine.desks.equities.debates.room import ClosedRoom
from engine.desks.equities.largest_order import shares_for
from engine.desks.equities.sheet import account_lines, market_lines, portfolio_lines
from engine.desks.equities.state import Json, RiskDebateInput, RiskDebateOutput, RiskDebateState
from engine.domain.text.word_files import read_paragraphs
from engine.outcomes.similar import precedent_block
from engine.prompts.paragraphs import FACTS
from engine.prompts.render import quoted, render
from engine.trading.figures import round_trip_cost_pct
from engine.trading.share_terms import share_terms

_TEXTS = read_paragraphs(Path(__file__).parent, "risk")
_LIMITS = (
    *OF_ORDER,
    "max_notional",
    "max_exposure_pct",
    "max_open_positions",
    "max_daily_loss_pct",
    "max_drawdown_pct",
    "cooldown_minutes",
    "max_orders_per_hour",
)
"""Of `instruments/share_limits.py`, in its order."""
_CALLED = {"max_drawdown_pct": "drawdown_limit_pct"}
"""`max_drawdown_pct` is a fact of the account: how far it fell at worst."""


def account_rules(context: EquitiesContext) -> str:
    """Return what code allows, in figures, as the risk debate and the trader read it: the limits too that bind once the order is filed."""
    listing, risk, account = context.snapshot.listing, context.request.risk, context.account
    holding = account.held(listing.symbol)
    now = {
        "max_drawdown_pct": account.drawdown_pct,
        "max_open_positions": float(len({*account.positions, *account.waiting}) + account.contracts),
    }
    now |= {"max_exposure_pct": account.exposure / account.total_value * 100} if account.total_value > 0 else {}
    rules = render(
        _TEXTS["rules"][context.language],
        **{name: f"{value:.2f}" for name, value in context.bounds.to_json().items()},
        lot=str(listing.lot),
        sellable=f"{holding.sellable if holding is not None else 0:g}",
    )
    others = standing_lines(risk, context.since_previous, halted=account.halted)
    return "\n".join([rules, *limit_lines(risk, _LIMITS, now, _CALLED), *others, OF_ACCOUNT[context.language]])


def account_briefing(context: EquitiesContext) -> str:
    """Return the market's and the account's measured lines, the largest order in shares and lots and what it costs, every position, and
    the rules."""
    listing, price = context.snapshot.listing, context.snapshot.current_price
    shares = shares_for(context.sheet.number("largest_allowed_order") or 0.0, price, listing)
    size = shares or listing.min_order
    cost = round_trip_cost_pct(price, share_terms(listing), Decimal(size))
    order = [f"largest_allowed_shares = {shares}", f"round_trip_cost_pct = {cost:.2g} ({size} shares in and out)"]
    if listing.lot > 1:
        order += [
            f"largest_allowed_lots = {shares // listing.lot}",
            f"one_lot = {listing.lot * price:.2f} {listing.currency} ({listing.lot} shares)",
        ]
    held = portfolio_lines(context.account, listing.currency, context.language)
    lines = [market_lines(context.sheet, context.snapshot), account_lines(context.sheet, listing.currency), *order, held]
    return "\n".join([FACTS[context.language], *lines, "", account_rules(context)])


def _briefing(state: Mapping[str, Any], context: EquitiesContext) -> str:
    summary = state.get("research_summary") or {}
    about = {"action": str(summary.get("action")), "confidence": f"{summary.get('confidence', 0):g}"}
    plan = render(_TEXTS["plan"][context.language], **about)
    evidence = evidence_block(context.inputs.evidence, context.language)
    precedents = precedent_block(context.precedents, context.language)
    ruled = quoted("research manager", prose(str(state.get("investment_plan") or "")))
    return "\n\n".join(filter(None, [heading(context), account_briefing(context), evidence, precedents, plan, ruled]))


def _outcome(ruling: TradeBlock, text: str, state: Mapping[str, Any], context: EquitiesContext) -> Json:
    summary = {**ruling.model_dump(mode="json"), "rounds": state.get("turn", 0) // 3, **context.bounds.ruling()}
    return {"final_trade_decision": text, "risk_summary": summary}


RISK = ClosedRoom(
    name="risk",
    schemas=Schemas(RiskDebateState, RiskDebateInput, RiskDebateOutput, EquitiesContext),
    speakers=("risky", "safe", "neutral"),
    judge="risk_judge",
    briefing=_briefing,
    read=read_trade,
    outcome=_outcome,
)
