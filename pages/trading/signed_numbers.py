"""The numbers above a signature: what would be signed now, what was decided small beside it; after the fill, what was filled. HTML,
without streamlit."""

from collections.abc import Callable

from markupsafe import Markup

from engine.api import FillSummary
from engine.domain.proposal import Figures, OrderPlan, Proposal
from pages.frame import numbers
from pages.frame.cards import level
from pages.frame.show import Show
from pages.trading.proposal_state import NOT_PREVIEWED, PreviewState, base_unit, locked_by, quote_unit


def signed_numbers(
    proposal: Proposal,
    show: Show,
    plan: OrderPlan | None = None,
    preview_state: PreviewState = NOT_PREVIEWED,
    filled: FillSummary | None = None,
) -> list[Markup]:
    """Levels, ratio, money and size, after costs.

    plan, preview_state: the values in the form, and what it would mean now; without a preview what was decided or signed. filled: as
    the order was filled, in place of both.
    """
    plan = plan or proposal.plan
    if filled is not None:
        return _numbers(proposal, plan, filled.figures, show, None, filled)
    locked = preview_state.halted or bool(locked_by(preview_state, show.say))
    quiet = proposal.state == "blocked" or (proposal.is_waiting and locked)
    if preview_state.preview is not None:
        return _numbers(proposal, plan, preview_state.preview.figures, show, proposal.machine_figures, None, quiet=quiet)
    return _numbers(proposal, plan, proposal.figures, show, None, None, quiet=quiet)


def _numbers(
    proposal: Proposal,
    plan: OrderPlan,
    made: Figures,
    show: Show,
    decided: Figures | None,
    filled: FillSummary | None,
    *,
    quiet: bool = False,
) -> list[Markup]:
    """quiet: nothing can be signed, so no ratio stands out."""
    say, unit, step = show.say, quote_unit(proposal), float(proposal.basis.terms.price_step)
    price = float(made.price)
    amount = plan.amount if filled is None else filled.report.filled
    part = "" if amount == plan.amount else say("of_amount", n=f"{plan.amount:f}")
    size = level(say("size"), f"{amount:f} {base_unit(proposal, say)}", f"{numbers.number(float(made.notional))} {unit}", then=part)
    if plan.reduce_only:
        return [
            _entry(proposal, plan, made, show, decided, filled),
            size,
            level(say("costs_row"), f"{numbers.number(_costs(made), 1)} {unit}"),
        ]
    stop, target = (float(value) if value is not None else None for value in (plan.stop, plan.target))
    unprotected = filled is not None and filled.report.protected is False
    return [
        _entry(proposal, plan, made, show, decided, filled),
        level(
            say("stop"),
            numbers.price(stop, step),
            say("stop_not_known") if unprotected else away(proposal, stop, price, show),
            bad=unprotected,
        ),
        level(say("target"), numbers.price(target, step), away(proposal, target, price, show)),
        _ratio(made, decided, show, proposal.basis.risk.min_risk_reward_after_costs, quiet=quiet),
        level(say("loss_gain"), _loss_gain(made), say("costs_in", unit=unit), then=_then(_loss_gain(made), decided, _loss_gain, show)),
        size,
    ]


def _entry(proposal: Proposal, plan: OrderPlan, made: Figures, show: Show, decided: Figures | None, filled: FillSummary | None) -> Markup:
    say, step, unit = show.say, float(proposal.basis.terms.price_step), quote_unit(proposal)
    price = numbers.price(float(made.price), step)
    if filled is not None:
        worse = numbers.signed(-float(filled.slipped), 2)
        signed = say("slipped", money=f"{worse} {unit}", price=numbers.price(float(proposal.figures.price), step))
        return level(say("filled_at"), price, signed, then=say("fee_paid", money=f"{numbers.number(float(filled.report.fee), 2)} {unit}"))
    if decided is None and plan.limit is not None:
        return level(say("eq_limit"), price, say("limit_of_day"))
    if decided is None:
        when = "when_changed" if proposal.is_edited else "when_decided"
        return level(say("entry"), price, say(when if proposal.is_waiting or not proposal.signatures else "when_signed"))
    was = numbers.price(float(decided.price), step)
    if plan.limit is not None:
        return level(say("eq_limit"), price, say("limit_of_day"), then=say("decided_was", x=was) if was != price else "")
    here = say("price_of_now" if proposal.basis.market_clock is None else "when_decided")
    return level(say("entry"), price, here, then=say("decided_was", x=was) if was != price else "")


def _ratio(made: Figures, decided: Figures | None, show: Show, least: float, *, quiet: bool) -> Markup:
    """After costs first: a plan below the limit is warned of."""
    net = numbers.number(made.reward_risk_net, 2)
    gross = show.say("after_and_before", x=numbers.number(made.reward_risk, 2))
    bad = made.reward_risk_net is not None and made.reward_risk_net < least
    then = _then(net, decided, lambda each: numbers.number(each.reward_risk_net, 2), show)
    return level(show.say("reward_risk"), net, gross, then=then, bad=bad, quiet=quiet)


def _then(now: str, decided: Figures | None, written: Callable[[Figures], str], show: Show) -> str:
    """Return `decided 1.61`, where it was another."""
    was = written(decided) if decided is not None else now
    return show.say("decided_was", x=was) if was != now else ""


def _costs(made: Figures) -> float:
    return float(made.fees + made.slippage)


def _loss_gain(made: Figures) -> str:
    loss = numbers.signed(-float(made.loss_at_stop), 1) if made.loss_at_stop is not None else numbers.DASH
    gain = numbers.signed(float(made.gain_at_target), 1) if made.gain_at_target is not None else numbers.DASH
    return f"{loss} / {gain}"


def away(proposal: Proposal, level_: float | None, price: float, show: Show) -> str:
    """Return `+0.19 % · 1.6 ATR`: how far a level is from the price."""
    if level_ is None or not price:
        return ""
    pct = numbers.signed_percent((level_ / price - 1) * 100)
    atr = proposal.basis.atr
    return show.say("distance_atr", pct=pct, atr=numbers.number(abs(level_ - price) / atr, 1)) if atr else pct
