"""What a plan costs and risks, in money. Pure, in Decimal.

Costs are those of a market order in and out, as paper orders pay them: the fee of the market's terms on both, slippage as estimated below
on the market's next step, and funding at the last known rate for as long as the way to the target usually takes. Every number that a page
or a limit states after costs comes from here. Estimates are called so wherever they are shown.
"""

from decimal import Context, Decimal
from typing import Any, Final

from engine.domain.holding import Holding
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.market.timeframe import Timeframe
from engine.domain.proposal import Basis, Figures, OrderPlan
from engine.trading.sizing import liquidation_price, risk_reward_ratio

SLIPPAGE: Final = Decimal("0.0002")  # of the price, each way: what paper orders pay, and what is expected of real ones
_FUNDING_S: Final = 8 * 3600
_MONEY: Final = Decimal("0.00000001")
_WIDE: Final = Context(prec=200)  # a person may try any target, and what the way to it would cost in funding is a long number


def market_fill(price: Decimal, terms: MarketTerms, *, buys: bool) -> Decimal:
    """Return the price a market order is filled at: worse by `SLIPPAGE`, on the market's next step."""
    return terms.price_towards(price * (1 + SLIPPAGE if buys else 1 - SLIPPAGE), 1 if buys else -1)


def round_trip_cost_pct(price: float, terms: MarketTerms, amount: Decimal = Decimal(1)) -> float:
    """Return what it costs to enter and leave an amount at a price, percent of its value: fees and slippage of both ways. amount: base
    units or shares; it matters where there is a least fee."""
    here = exact(price)
    bought, sold = (market_fill(here, terms, buys=buys) for buys in (True, False))
    fees = _fee(amount, bought, terms, buys=True) + _fee(amount, sold, terms, buys=False)
    return float((bought - sold + fees / amount) / here * 100)


def plan_figures(plan: OrderPlan, basis: Basis, price: float, *, paid: Decimal | None = None) -> Figures:
    """Return what a plan costs and risks at a price. paid: the fee of the entry where it was filled at that price; None for one that is
    still to be filled."""
    if plan.protects and basis.holding is not None:
        return protection_figures(plan, price, basis.terms, basis.holding)
    bar_s = Timeframe.parse(basis.timeframe).ms / 1000
    return figures_of(
        plan, price, basis.terms, holding=basis.holding, atr=basis.atr, bar_s=bar_s, funding_rate=basis.funding_rate, paid=paid
    )


def figures_of(
    plan: OrderPlan,
    price: float,
    terms: MarketTerms,
    *,
    holding: Holding | None = None,
    atr: float | None = None,
    bar_s: float = 0.0,
    funding_rate: float | None = None,
    paid: Decimal | None = None,
) -> Figures:
    """Measure an order at a price, or at its own limit. holding: the position it changes; what a larger one may lose and win is said of all
    of it, its ratios of what is added. atr, bar_s: average range of a bar and its length in seconds, for how long the target takes.
    funding_rate: fraction per eight hours; None counts as none. paid: see `plan_figures`.

    Shares are paid in cash, which `margin` says; they have no funding and no liquidation.
    """
    here = plan.limit if plan.limit is not None else exact(price)
    buys, is_shares = plan.side == "buy", terms.shares is not None
    sign = 1 if buys else -1
    got = here if plan.limit is not None or paid is not None else market_fill(here, terms, buys=buys)
    fee = paid if paid is not None else _fee(plan.amount, got, terms, buys=buys)
    notional, slippage = plan.amount * here, plan.amount * abs(got - here)
    if plan.reduce_only:
        return Figures(
            price=here, notional=_money(notional), margin=Decimal(0), fees=_money(fee), slippage=_money(slippage), funding=Decimal(0)
        )
    leverage = exact(1 if is_shares else plan.leverage or (holding.leverage if holding else 1))
    funding = Decimal(0) if is_shares else _funding(notional, sign, here, plan.target, atr, bar_s, funding_rate)
    held = exact(holding.size) if holding is not None else Decimal(0)
    size = held + plan.amount  # what is held afterwards, at its average entry
    before = held * exact(holding.entry_price) if holding is not None else Decimal(0)
    out = market_fill(here, terms, buys=not buys)

    def lost(of: Decimal, entry: Decimal) -> Decimal | None:
        won = _closing(of, entry, plan.stop, here, terms, sign, loses=True)
        return fee + max(funding, Decimal(0)) - won if won is not None else None

    def gained(of: Decimal, entry: Decimal) -> Decimal | None:
        won = _closing(of, entry, plan.target, here, terms, sign, loses=False)
        return won - fee - funding if won is not None else None

    loss, gain = (find(size, (before + plan.amount * got) / size) for find in (lost, gained))
    return Figures(
        price=here,
        notional=_money(notional),
        margin=_money(notional / leverage),
        fees=_money(fee + _fee(size, out, terms, buys=not buys)),
        slippage=_money(slippage + size * abs(out - here)),
        funding=_money(funding),
        loss_at_stop=_money(loss) if loss is not None else None,
        gain_at_target=_money(gain) if gain is not None else None,
        reward_risk=_gross(plan, here, sign),
        reward_risk_net=_ratio(gained(plan.amount, got), lost(plan.amount, got)),
        **_liquidation(here, (before + plan.amount * here) / size, float(leverage), sign, terms),
    )


def protection_figures(plan: OrderPlan, price: float, terms: MarketTerms, holding: Holding) -> Figures:
    """Measure new levels of a position that is held: what it comes to at its stop and at its target, from its average entry, after the way
    out. A stop at a gain has a loss below 0. stop, target of the plan: None = it has none. reward_risk: what is left, from the price."""
    here, entry, sign, size = exact(price), exact(holding.entry_price), holding.sign(), plan.amount
    out = market_fill(here, terms, buys=sign < 0)
    at_stop = _closing(size, entry, plan.stop, here, terms, sign, loses=True)
    loss = -at_stop if at_stop is not None else None
    gain = _closing(size, entry, plan.target, here, terms, sign, loses=False)
    return Figures(
        price=here,
        notional=_money(size * here),
        margin=Decimal(0),
        fees=_money(_fee(size, out, terms, buys=sign < 0)),
        slippage=_money(size * abs(out - here)),
        funding=Decimal(0),
        loss_at_stop=_money(loss) if loss is not None else None,
        gain_at_target=_money(gain) if gain is not None else None,
        reward_risk=_gross(plan, here, sign),
        reward_risk_net=_ratio(gain, loss),
        **_liquidation(here, entry, holding.leverage, sign, terms),
    )


def _closing(
    size: Decimal, entry: Decimal, level: Decimal | None, price: Decimal, terms: MarketTerms, sign: int, *, loses: bool
) -> Decimal | None:
    """Return what closing at a level brings after the costs of the way out, quote units. loses: whether it is a stop. None without the
    level, or with it on the wrong side of the price."""
    if level is None or (price - level) * sign * (1 if loses else -1) <= 0:
        return None
    got = market_fill(level, terms, buys=sign < 0)
    return size * (got - entry) * sign - _fee(size, got, terms, buys=sign < 0)


def _fee(amount: Decimal, price: Decimal, terms: MarketTerms, *, buys: bool) -> Decimal:
    return terms.shares.fees.fee(amount, price, buys=buys) if terms.shares is not None else amount * price * terms.taker_fee


def _gross(plan: OrderPlan, price: Decimal, sign: int) -> float | None:
    stop, target = (float(level) if level is not None else None for level in (plan.stop, plan.target))
    return risk_reward_ratio(float(price), stop, target, sign)


def _ratio(gain: Decimal | None, loss: Decimal | None) -> float | None:
    return float(gain / loss) if gain is not None and loss is not None and loss > 0 else None


def _liquidation(price: Decimal, entry: Decimal, leverage: float, sign: int, terms: MarketTerms) -> dict[str, Any]:
    """Return where a contract is liquidated and how far that is from the price; nothing for shares."""
    liquidated = None if terms.shares is not None else liquidation_price(entry, leverage, sign, terms.maintenance_margin)
    if liquidated is None:
        return {}
    return {"liquidation": terms.price(liquidated), "liquidation_distance_pct": float(abs(price - liquidated) / price * 100)}


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
