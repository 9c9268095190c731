"""The numbers above a signature: what would be signed now, what was decided small beside it; after the fill, what was filled; and the clock
that runs until then. HTML, without streamlit.
"""

from collections.abc import Callable
from datetime import datetime

from markupsafe import Markup

from engine.api import Engine, FillSummary
from engine.domain.proposal import Figures, OrderPlan, Proposal
from engine.domain.shown_state import state_of_proposal
from pages.frame import numbers
from pages.frame.cards import level, share
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.trading.answered import answered_by
from pages.trading.levels import number
from pages.trading.limits import limits_count
from pages.trading.live_price import live_rows
from pages.trading.proposal_state import (
    NOT_PREVIEWED,
    PreviewState,
    base_unit,
    chip_of,
    countdown,
    is_late,
    left_pct,
    locked_by,
    quote_unit,
)


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
    say, unit, step = show.say, quote_unit(proposal), float(proposal.basis.terms.price_step)
    plan, made, decided = plan or proposal.plan, proposal.figures, None
    if filled is not None:
        made = filled.figures
    elif preview_state.preview is not None:
        made, decided = preview_state.preview.figures, proposal.machine_figures

    def then(written: Callable[[Figures], str]) -> str:
        """Return `decided 1.61`, where it was another."""
        was = written(decided or made)
        return say("decided_was", x=was) if was != written(made) else ""

    entry = _entry(proposal, plan, made, show, then(lambda each: numbers.price(float(each.price), step)), decided, filled)
    amount = plan.amount if filled is None else filled.report.filled
    part = "" if amount == plan.amount else say("of_amount", n=f"{plan.amount:f}")
    size = level(say("size"), f"{amount:f} {base_unit(proposal, say)}", f"{numbers.number(float(made.notional))} {unit}", then=part)
    if plan.reduce_only:
        return [entry, size, level(say("costs_row"), f"{numbers.number(float(made.fees + made.slippage), 1)} {unit}")]
    price, stop, target = float(made.price), number(plan.stop), number(plan.target)
    unprotected = filled is not None and filled.report.protected is False
    beside = say("stop_not_known") if unprotected else away(proposal, stop, price, show)
    locked = preview_state.halted or bool(locked_by(preview_state, say))
    below = made.reward_risk_net is not None and made.reward_risk_net < proposal.basis.risk.min_risk_reward_after_costs
    return [
        entry,
        level(say("stop"), numbers.price(stop, step), beside, bad=unprotected),
        level(say("target"), numbers.price(target, step), away(proposal, target, price, show)),
        level(
            say("reward_risk"),
            numbers.number(made.reward_risk_net, 2),
            say("after_and_before", x=numbers.number(made.reward_risk, 2)),
            then=then(lambda each: numbers.number(each.reward_risk_net, 2)),
            bad=below,
            quiet=filled is None and (proposal.state == "blocked" or (proposal.is_waiting and locked)),  # nothing can be signed
        ),
        level(say("loss_gain"), _loss_gain(made), say("costs_in", unit=unit), then=then(_loss_gain)),
        size,
    ]


def _entry(
    proposal: Proposal, plan: OrderPlan, made: Figures, show: Show, then: str, decided: Figures | None, filled: FillSummary | None
) -> Markup:
    """Return the price it is measured at. then: the one it was decided at, where it was another."""
    say, step, unit = show.say, float(proposal.basis.terms.price_step), quote_unit(proposal)
    price = numbers.price(float(made.price), step)
    if filled is not None:
        worse = numbers.signed(-float(filled.slipped), 2)
        signed = say("slipped", money=f"{worse} {unit}", price=numbers.price(float(proposal.figures.price), step))
        return level(say("filled_at"), price, signed, then=say("fee_paid", money=f"{numbers.number(float(filled.report.fee), 2)} {unit}"))
    if plan.limit is not None:
        return level(say("eq_limit"), price, say("limit_of_day"), then=then)
    if decided is not None:
        return level(say("entry"), price, say("price_of_now" if proposal.basis.market_clock is None else "when_decided"), then=then)
    when = "when_changed" if proposal.is_edited else "when_decided"
    return level(say("entry"), price, say(when if proposal.is_waiting or not proposal.signatures else "when_signed"))


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


def result_so_far(engine: Engine, proposal: Proposal, show: Show) -> Markup:
    """Return what came of an order of an account for practice so far; a dash once that account has begun anew."""
    record = engine.trading.take_further(proposal, proposal.basis.snapshot_at)
    outcome = engine.trading.outcome(proposal.id) if record is not None else None
    if record is None or outcome is None:
        return level(show.say("demo_so_far"), numbers.DASH)
    in_r = record.in_r(outcome.result)
    money = f"{numbers.signed(float(outcome.result), 2)} {quote_unit(proposal)}"
    return level(show.say("demo_so_far"), money, f"{numbers.signed(in_r, 1)} R" if in_r is not None else "")


def limits_now(preview_state: PreviewState, show: Show) -> str:
    """Return `1 of 16 limits breached`, as they are now, and how many are judged at the price of the decision; nothing before a first
    look."""
    if preview_state.preview is None or not preview_state.preview.limits:
        return ""
    text, then = limits_count(preview_state.preview.limits, show), preview_state.preview.as_decided
    return f"{text} ({show.say('some_decided', n=len(then))})" if then else text


def sign_clock(proposal: Proposal, preview_state: PreviewState, show: Show, now: datetime) -> Markup:
    """Clock, drift and price while it waits, the state where it is more than that; who answered once it is answered."""
    say = show.say
    chip = chip_of(proposal, preview_state, say).html()
    if not proposal.is_waiting:
        return markup('<div class="tb tb-clock answered" role="status">{}<span>{}</span></div>', chip, answered_by(proposal))
    left = markup('<span><span class="w">{} </span><b>{}</b></span>', say("expires_in"), countdown(proposal, now))
    plain = state_of_proposal(proposal, halted=preview_state.halted, locked=bool(locked_by(preview_state, say))) == "waits"
    says_more = not plain or proposal.signers_needed > 1 or preview_state.refused is not None
    bar = markup(
        '<div class="tb-bar" aria-hidden="true"><span{} style="width:{}%"></span></div>',
        Markup(' class="late"') if is_late(proposal, now) else "",
        share(left_pct(proposal, now)),
    )
    rows = live_rows(proposal, preview_state, show, left, chip if says_more else "")
    return markup('<div class="tb"><div class="tb-live-rows">{}</div>{}</div>', rows, bar)
