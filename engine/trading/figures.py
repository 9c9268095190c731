"""What a plan costs and risks, in money. Pure, in Decimal.

Costs are those of a market order in and out: the taker's fee on both, slippage as estimated below, and funding at the last known rate for
as long as the way to the target usually takes. Estimates are called so wherever they are shown.
"""

from decimal import Context, Decimal
from typing import Final

from engine.domain.holding import Holding
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.proposal import Figures, OrderPlan
from engine.trading.sizing import liquidation_price, risk_reward_ratio

SLIPPAGE: Final = Decimal("0.0002")  # of the price, each way: what paper orders pay, and what is expected of real ones
_FUNDING_S: Final = 8 * 3600
_MONEY: Final = Decimal("0.00000001")
_WIDE: Final = Context(prec=200)  # a person may try any target, and what the way to it would cost in funding is a long number


def slipped(price: Decimal, buys: bool) -> Decimal:
    """Return the price a market order is expected to get: worse by `SLIPPAGE`."""
    return price * (1 + SLIPPAGE if buys else 1 - SLIPPAGE)


def figures_of(
    plan: OrderPlan,
    price: float,
    terms: MarketTerms,
    *,
    holding: Holding | None = None,
    atr: float | None = None,
    bar_s: float = 0.0,
    funding_rate: float | None = None,
) -> Figures:
    """Measure a plan at a price. holding: the position it changes; what a larger one may lose and win is said of all of it. atr, bar_s:
    average range of a bar and its length in seconds, for how long the target takes. funding_rate: fraction per eight hours; None counts
    as none."""
    here = exact(price)
    sign = 1 if plan.side == "buy" else -1
    notional = plan.amount * here
    leverage = exact(plan.leverage or (holding.leverage if holding else 1))
    slippage = notional * SLIPPAGE * (1 if plan.reduce_only else 2)
    fees = notional * terms.taker_fee * (1 if plan.reduce_only else 2)
    if plan.reduce_only:
        return Figures(price=here, notional=notional, margin=Decimal(0), fees=_money(fees), slippage=_money(slippage), funding=Decimal(0))
    funding = _funding(notional, sign, here, plan.target, atr, bar_s, funding_rate)
    held = exact(holding.size) if holding is not None else Decimal(0)
    size = held + plan.amount  # what stands afterwards, at its average entry
    entry = (held * exact(holding.entry_price) + plan.amount * here) / size if holding is not None else here
    liquidated = liquidation_price(entry, float(leverage), sign, terms.maintenance_margin)
    costs = fees + slippage
    loses = plan.stop is not None and (here - plan.stop) * sign > 0
    wins = plan.target is not None and (plan.target - here) * sign > 0
    loss = size * (entry - plan.stop) * sign + costs + max(funding, Decimal(0)) if loses and plan.stop is not None else None
    gain = size * (plan.target - entry) * sign - costs - funding if wins and plan.target is not None else None
    stop, target = (float(level) if level is not None else None for level in (plan.stop, plan.target))
    return Figures(
        price=here,
        notional=_money(notional),
        margin=_money(notional / leverage),
        fees=_money(fees),
        slippage=_money(slippage),
        funding=_money(funding),
        loss_at_stop=_money(loss) if loss is not None else None,
        gain_at_target=_money(gain) if gain is not None else None,
        reward_risk=risk_reward_ratio(price, stop, target, sign),
        reward_risk_net=float(gain / loss) if loss is not None and gain is not None and loss > 0 else None,
        liquidation=terms.price(liquidated) if liquidated is not None else None,
        liquidation_distance_pct=float(abs(here - liquidated) / here * 100) if liquidated is not None else None,
    )


def share_figures_of(plan: OrderPlan, price: float, terms: MarketTerms, *, holding: Holding | None = None) -> Figures:
    """Measure an order for shares at a price, or at its own limit. All of its value is paid in cash, which `margin` says; there is no
    funding and no liquidation. holding: the position it enlarges; what the whole of it may lose and win is said."""
    assert terms.shares is not None
    fees_of, here = terms.shares.fees, plan.limit if plan.limit is not None else exact(price)
    value = plan.amount * here
    slippage = Decimal(0) if plan.limit is not None else value * SLIPPAGE
    if plan.side == "sell":
        paid = fees_of.fee(plan.amount, here, buys=False)
        return Figures(price=here, notional=_money(value), margin=Decimal(0), fees=paid, slippage=_money(slippage), funding=Decimal(0))
    held = exact(holding.size) if holding is not None else Decimal(0)
    size = held + plan.amount
    entry = (held * exact(holding.entry_price) + value) / size if holding is not None else here
    paid = fees_of.fee(plan.amount, here, buys=True) + fees_of.fee(plan.amount, here, buys=False)
    slippage += value * SLIPPAGE
    costs = paid + slippage
    loss = size * (entry - plan.stop) + costs if plan.stop is not None and plan.stop < here else None
    gain = size * (plan.target - entry) - costs if plan.target is not None and plan.target > here else None
    stop, target = (float(level) if level is not None else None for level in (plan.stop, plan.target))
    return Figures(
        price=here,
        notional=_money(value),
        margin=_money(value),
        fees=_money(paid),
        slippage=_money(slippage),
        funding=Decimal(0),
        loss_at_stop=_money(loss) if loss is not None else None,
        gain_at_target=_money(gain) if gain is not None else None,
        reward_risk=risk_reward_ratio(float(here), stop, target, 1),
        reward_risk_net=float(gain / loss) if loss is not None and gain is not None and loss > 0 else None,
    )


def protection_figures(plan: OrderPlan, price: float, terms: MarketTerms, holding: Holding) -> Figures:
    """Measure new levels of a position that is held: what it comes to at its stop and at its target, from its average entry, after the way
    out. A stop at a gain has a loss below 0. stop, target of the plan: None = it has none. reward_risk: what is left, from the price."""
    here, entry, sign = exact(price), exact(holding.entry_price), holding.sign()
    size = plan.amount

    def costs(level: Decimal) -> Decimal:
        fee = terms.shares.fees.fee(size, level, buys=False) if terms.shares is not None else size * level * terms.taker_fee
        return fee + size * level * SLIPPAGE

    stop, target = plan.stop, plan.target
    loses = stop is not None and (here - stop) * sign > 0
    wins = target is not None and (target - here) * sign > 0
    loss = size * (entry - stop) * sign + costs(stop) if loses and stop is not None else None
    gain = size * (target - entry) * sign - costs(target) if wins and target is not None else None
    liquidated = None if terms.shares is not None else liquidation_price(entry, holding.leverage, sign, terms.maintenance_margin)
    way_out = costs(here)
    slippage = size * here * SLIPPAGE
    below, above = (float(level) if level is not None else None for level in (stop, target))
    return Figures(
        price=here,
        notional=_money(size * here),
        margin=Decimal(0),
        fees=_money(way_out - slippage),
        slippage=_money(slippage),
        funding=Decimal(0),
        loss_at_stop=_money(loss) if loss is not None else None,
        gain_at_target=_money(gain) if gain is not None else None,
        reward_risk=risk_reward_ratio(price, below, above, sign),
        reward_risk_net=float(gain / loss) if loss is not None and gain is not None and loss > 0 else None,
        liquidation=terms.price(liquidated) if liquidated is not None else None,
        liquidation_distance_pct=float(abs(here - liquidated) / here * 100) if liquidated is not None else None,
    )


def as_filled(measured: Figures, fee: Decimal, *, reduce_only: bool) -> Figures:
    """Return the figures of what was filled. measured: of the filled amount at the price it got, in which the slippage of the entry is
    already. fee: what was paid for it, quote units. The way out is estimated as before."""
    if reduce_only:
        return measured.model_copy(update={"fees": _money(fee), "slippage": Decimal(0)})
    fees, slippage = fee + measured.fees / 2, measured.slippage / 2
    saved = measured.fees + measured.slippage - fees - slippage
    loss = measured.loss_at_stop - saved if measured.loss_at_stop is not None else None
    gain = measured.gain_at_target + saved if measured.gain_at_target is not None else None
    net = float(gain / loss) if loss is not None and gain is not None and loss > 0 else None
    at_levels = {"loss_at_stop": loss, "gain_at_target": gain, "reward_risk_net": net}
    return measured.model_copy(update={"fees": _money(fees), "slippage": _money(slippage), **at_levels})


def _funding(
    notional: Decimal, sign: int, price: Decimal, target: Decimal | None, atr: float | None, bar_s: float, rate: float | None
) -> Decimal:
    """Return the funding expected until the target, quote units: a price that wanders covers n ATR in about n squared bars."""
    if rate is None or target is None or not atr or bar_s <= 0:
        return Decimal(0)
    bars = (abs(float(target - price)) / atr) ** 2
    return notional * sign * exact(rate) * exact(round(bars * bar_s / _FUNDING_S, 6))


def _money(value: Decimal) -> Decimal:
    return value.quantize(_MONEY, context=_WIDE)
