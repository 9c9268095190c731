"""A plan and what a person makes of it, side by side: what each loses, gains and costs. HTML, without streamlit."""

from decimal import Decimal

from engine.domain.proposal import Figures, Proposal
from engine.domain.risk import LimitCheck
from pages.parts import figures
from pages.parts.escape import plain
from pages.parts.panel_frame import cell, level, table
from pages.parts.panel_scores import limit_line
from pages.parts.proposal_state import base_unit, breached, quote_unit
from pages.parts.showing import Show

Measured = tuple[Figures, tuple[LimitCheck, ...]]
"""What a plan comes to, and its limits."""


def change_table(proposal: Proposal, machine: Measured, yours: Measured, show: Show) -> str:
    """machine / yours / change, a row each; only what the plan has."""
    say, unit = show.say, quote_unit(proposal)
    rows = [
        _money("loss_at_stop", machine[0].loss_at_stop, yours[0].loss_at_stop, unit, show, sign=-1),
        _money("gain_at_target", machine[0].gain_at_target, yours[0].gain_at_target, unit, show, sign=1),
        _ratio(machine[0], yours[0], show),
        _liquidation(proposal, machine[0], yours[0], show),
        _money("notional_row", machine[0].notional, yours[0].notional, unit, show, sign=0),
        _money("costs_row", _costs(machine[0]), _costs(yours[0]), unit, show, sign=0),
        _limits(machine[1], yours[1], show),
    ]
    heads = (("", False), (say("machine"), True), (say("yours"), True), (say("change"), True))
    broken = "".join(f'<p class="tb-bad">✕ {plain(limit_line(check, show))}</p>' for check in breached(yours[1]))
    return f'<div class="tb tb-change">{table(heads, [row for row in rows if row])}{broken}</div>'


def _row(name: str, machine: str, yours: str, change: str) -> list[str]:
    return [cell(plain(name)), cell(plain(machine), "r"), cell(f"<b>{plain(yours)}</b>", "r"), cell(plain(change), "r")]


def _money(name: str, machine: Decimal | None, yours: Decimal | None, unit: str, show: Show, *, sign: int) -> list[str]:
    """sign: +1 a gain, -1 a loss, 0 neither; a loss is shown as what it takes away."""
    if machine is None and yours is None:
        return []
    old, new = (float(value) * (sign or 1) if value is not None else None for value in (machine, yours))
    write = figures.signed if sign else figures.number
    change = new - old if old is not None and new is not None else None
    return _row(show.say(name), f"{write(old, 1)} {unit}", f"{write(new, 1)} {unit}", figures.signed(change))


def _ratio(machine: Figures, yours: Figures, show: Show) -> list[str]:
    if machine.reward_risk is None and yours.reward_risk is None:
        return []

    def told(each: Figures) -> str:
        return f"{figures.number(each.reward_risk, 2)} ({figures.number(each.reward_risk_net, 2)})"

    known = machine.reward_risk is not None and yours.reward_risk is not None
    change = figures.signed((yours.reward_risk or 0) - (machine.reward_risk or 0), 2) if known else figures.DASH
    return _row(show.say("reward_risk_net"), told(machine), told(yours), change)


def _liquidation(proposal: Proposal, machine: Figures, yours: Figures, show: Show) -> list[str]:
    if machine.liquidation is None and yours.liquidation is None:
        return []
    step = float(proposal.basis.terms.price_step)

    def told(each: Figures) -> str:
        if each.liquidation is None:
            return figures.DASH
        return f"{figures.price(float(each.liquidation), step)} · {figures.percent(each.liquidation_distance_pct, 1)}"

    old, new = machine.liquidation, yours.liquidation
    change = figures.signed_price(float(new - old), step) if old is not None and new is not None else figures.DASH
    return _row(show.say("liquidation"), told(machine), told(yours), change)


def _costs(each: Figures) -> Decimal:
    return each.fees + each.slippage


def _limits(machine: tuple[LimitCheck, ...], yours: tuple[LimitCheck, ...], show: Show) -> list[str]:
    if not machine and not yours:
        return []

    def told(checks: tuple[LimitCheck, ...]) -> str:
        passed = sum(check.passed for check in checks)
        return f"{'✓' if passed == len(checks) else '✕'} {passed} / {len(checks)}"

    return _row(show.say("limits_row"), told(machine), told(yours), "")


def signed_numbers(proposal: Proposal, show: Show) -> list[str]:
    """The numbers of the verdict bar that a signature stands under: levels, ratio, money, size, all after costs."""
    say, plan, made = show.say, proposal.plan, proposal.figures
    step, unit = float(proposal.basis.terms.price_step), quote_unit(proposal)
    price = float(made.price)
    size = level(say("size"), f"{plan.amount:f} {base_unit(proposal)}", f"{figures.number(float(made.notional))} {unit}")
    entry = level(say("entry"), figures.price(price, step), say("at_market"))
    if plan.reduce_only:
        costs = level(say("costs_row"), f"{figures.number(float(_costs(made)), 1)} {unit}", "")
        return [entry, size, costs]
    stop, target = (float(value) if value is not None else None for value in (plan.stop, plan.target))
    return [
        entry,
        level(say("stop"), figures.price(stop, step), away(proposal, stop, price, show)),
        level(say("target"), figures.price(target, step), away(proposal, target, price, show)),
        level(say("reward_risk"), figures.number(made.reward_risk, 2), say("after_costs", x=figures.number(made.reward_risk_net, 2))),
        level(say("loss_gain"), _loss_gain(made), say("costs_in", unit=unit)),
        size,
    ]


def _loss_gain(made: Figures) -> str:
    loss = figures.signed(-float(made.loss_at_stop), 1) if made.loss_at_stop is not None else figures.DASH
    gain = figures.signed(float(made.gain_at_target), 1) if made.gain_at_target is not None else figures.DASH
    return f"{loss} / {gain}"


def away(proposal: Proposal, level_: float | None, price: float, show: Show) -> str:
    """`+0.19 % · 1.6 ATR`: how far a level is from the price."""
    if level_ is None or not price:
        return ""
    pct = figures.signed_percent((level_ / price - 1) * 100)
    atr = proposal.basis.atr
    return show.say("distance_atr", pct=pct, atr=figures.number(abs(level_ - price) / atr, 1)) if atr else pct
