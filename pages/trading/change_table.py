"""A plan and what a person makes of it, side by side: what each loses, gains and costs. HTML, without streamlit."""

from decimal import Decimal

from markupsafe import Markup

from engine.api import Preview
from engine.domain.proposal import Figures, OrderPlan, Proposal
from engine.domain.risk import LimitCheck
from pages.frame import numbers
from pages.frame.cards import cell, table
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show
from pages.trading.limits import limits_count
from pages.trading.proposal_state import breached, judged_line, quote_unit, warnings_of

_SIDES = {
    ("stop", True): "stop_above",
    ("stop", False): "stop_below",
    ("target", True): "target_above",
    ("target", False): "target_below",
}
Measured = tuple[Figures, tuple[LimitCheck, ...]]
"""What a plan comes to, and its limits."""


def change_table(proposal: Proposal, machine: Measured | None, yours: Measured, show: Show, measured_at: str = "") -> Markup:
    """machine / yours / change, a row each; only what the plan has. machine: None where nothing was changed: one column is enough then.
    measured_at: at which price, as a sentence (`price_sentence`); "" where
    that is said elsewhere."""
    say, unit, is_alone = show.say, quote_unit(proposal), machine is None
    machine = machine or yours
    rows = [
        _money("loss_at_stop", machine[0].loss_at_stop, yours[0].loss_at_stop, unit, show, sign=-1),
        _money("gain_at_target", machine[0].gain_at_target, yours[0].gain_at_target, unit, show, sign=1),
        _ratio("min_risk_reward_after_costs", machine[0].reward_risk_net, yours[0].reward_risk_net, show),
        _ratio("min_risk_reward_ratio", machine[0].reward_risk, yours[0].reward_risk, show),
        _liquidation(proposal, machine[0], yours[0], show),
        _money("notional_row", machine[0].notional, yours[0].notional, unit, show, sign=0),
        _money("costs_row", _costs(machine[0]), _costs(yours[0]), unit, show, sign=0),
        _limits(() if proposal.plan.protects else machine[1], yours[1], show),
    ]
    before = say("levels_now" if proposal.plan.protects else "machine")
    heads: tuple[tuple[str, bool], ...] = ((say("figure"), False), (before, True), (say("yours"), True), (say("change"), True))
    if is_alone:
        heads, rows = ((say("figure"), False), (say("now_signed"), True)), [[row[0], row[2]] for row in rows if row]
    below = markup('<p class="tb-muted">{}</p>', measured_at) if measured_at else Markup()
    return table(heads, [row for row in rows if row]) + below


def change_faults(proposal: Proposal, yours: Measured, show: Show, plan: OrderPlan, preview: Preview | None = None) -> Markup:
    """Return what keeps a plan from being signed, and what its signer should know; "" where there is neither. preview: where it has been
    looked at."""
    broken = joined(markup('<p class="tb-bad">✕ {}</p>', line) for line in _broken(proposal, plan, yours, preview, show))
    warned = joined(markup('<p class="tb-warned">! {}</p>', line) for line in warnings_of(proposal, preview, show)) if preview else ""
    return broken + warned


def _broken(proposal: Proposal, plan: OrderPlan, yours: Measured, preview: Preview | None, show: Show) -> list[str]:
    """Return what keeps it from being signed: a level on the wrong side before the limits that cannot be measured because of it."""
    wrong = wrong_sides(proposal, plan, yours[0], show)
    as_decided = preview.as_decided if preview is not None else frozenset()
    checks = [check for check in breached(yours[1]) if check.measured is not None or not wrong]
    return wrong + [judged_line(proposal, check, as_decided, show) for check in checks]


def wrong_sides(proposal: Proposal, plan: OrderPlan, made: Figures, show: Show) -> list[str]:
    """Return `For a short the stop stands above the price, 85,887.0`, for every level that does not."""
    if plan.reduce_only:
        return []
    sign = 1 if plan.side == "buy" else -1
    found = []
    for name, direction in (("stop", -sign), ("target", sign)):
        value = getattr(plan, name)
        if value is not None and (value - made.price) * direction <= 0:
            found.append(wrong_side(proposal, plan, name, made, show))
    return found


def wrong_side(proposal: Proposal, plan: OrderPlan, name: str, made: Figures, show: Show) -> str:
    """Return on which side of the price a level belongs. name: `stop` or `target`."""
    sign, side = (1, "LONG") if plan.side == "buy" else (-1, "SHORT")
    price = numbers.price(float(made.price), float(proposal.basis.terms.price_step))
    return show.say(_SIDES[name, sign * (-1 if name == "stop" else 1) > 0], side=show.say(side).lower(), price=price)


def _row(name: str, machine: str, yours: str, change: str) -> list[Markup]:
    return [cell(plain(name)), cell(plain(machine), "r"), cell(markup("<b>{}</b>", yours), "r"), cell(plain(change), "r")]


def _money(name: str, machine: Decimal | None, yours: Decimal | None, unit: str, show: Show, *, sign: int) -> list[Markup]:
    """sign: +1 a gain, -1 a loss, 0 neither; a loss is shown as what it takes away."""
    if machine is None and yours is None:
        return []
    old, new = (float(value) * (sign or 1) if value is not None else None for value in (machine, yours))
    write = numbers.signed if sign else numbers.number
    first, second = (f"{write(value, 1)} {unit}" if value is not None else numbers.DASH for value in (old, new))
    change = new - old if old is not None and new is not None else None
    return _row(show.say(name), first, second, numbers.signed(change))


def _ratio(name: str, machine: float | None, yours: float | None, show: Show) -> list[Markup]:
    if machine is None and yours is None:
        return []
    change = numbers.signed(yours - machine, 2) if machine is not None and yours is not None else numbers.DASH
    return _row(show.say(name), numbers.number(machine, 2), numbers.number(yours, 2), change)


def _liquidation(proposal: Proposal, machine: Figures, yours: Figures, show: Show) -> list[Markup]:
    if machine.liquidation is None and yours.liquidation is None:
        return []
    step = float(proposal.basis.terms.price_step)

    def shown(each: Figures) -> str:
        if each.liquidation is None:
            return numbers.DASH
        return f"{numbers.price(float(each.liquidation), step)} · {numbers.percent(each.liquidation_distance_pct, 1)}"

    old, new = machine.liquidation, yours.liquidation
    change = numbers.signed_price(float(new - old), step) if old is not None and new is not None else numbers.DASH
    return _row(show.say("liquidation"), shown(machine), shown(yours), change)


def _costs(each: Figures) -> Decimal:
    return each.fees + each.slippage


def _limits(machine: tuple[LimitCheck, ...], yours: tuple[LimitCheck, ...], show: Show) -> list[Markup]:
    if not machine and not yours:
        return []

    def shown(checks: tuple[LimitCheck, ...]) -> str:
        return f"{'✓' if all(check.passed for check in checks) else '✕'} {limits_count(checks, show)}" if checks else numbers.DASH

    return _row(show.say("limits_row"), shown(machine), shown(yours), "")
