"""How large an entry is, and what it pays for its risk.

Given a price, its levels and the risk configuration, gives ratios and percentages. Pure arithmetic on what it is given; None wherever an
input is not a positive finite number or a level is on the wrong side, so that nothing is ever sized from a mistake.
"""

import math
from decimal import Decimal
from typing import Final

from engine.domain.errors import TribunalError
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.orders import AccountView
from engine.domain.risk import RiskConfig
from engine.domain.text.reason import Reason

LONG: Final = 1
SHORT: Final = -1
COSTS_ROOM: Final = 0.005  # of the caps: what other orders may cost the account until this one is approved
MAINTENANCE_MARGIN: Final = 0.005  # fraction of the notional; what a market asks where its feed does not say


class TooSmall(TribunalError):
    """No order can be made of it: the message says what the market's smallest is, and what would be needed."""


def positive(value: float | None) -> float | None:
    """Return the value when it is a finite number above zero, else None."""
    if value is None or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value > 0 else None


def sized_by(risk: RiskConfig, confidence: float | None, calibrated: float | None) -> RiskConfig:
    """Return the configuration that an entry is sized by. confidence: 0-100, as it was stated. calibrated: percent of earlier decisions of
    that confidence that gained, None where sizing does not use it. Where fewer gained than was stated, `risk_per_trade_pct` is cut by the
    same share; where more did, it stays."""
    stated = positive(confidence)
    if calibrated is None or stated is None or calibrated >= stated:
        return risk
    return risk.model_copy(update={"risk_per_trade_pct": risk.risk_per_trade_pct * max(0.0, calibrated) / stated})


def stop_distance_pct(price: float | None, stop: float | None, sign: int) -> float | None:
    """Return distance to the stop as percent of the price; None unless the stop is on the losing side. sign: +1 long, -1 short."""
    here, there = positive(price), positive(stop)
    if here is None or there is None or sign not in {LONG, SHORT}:
        return None
    return positive(sign * (here - there) / here * 100.0)


def risk_reward_ratio(price: float | None, stop: float | None, target: float | None, sign: int) -> float | None:
    """Reward per unit of risk, measured from the price; None unless stop and target are on their sides. sign: +1 long, -1 short."""
    risk = stop_distance_pct(price, stop, sign)
    reward = stop_distance_pct(price, target, -sign)
    return positive(reward / risk) if risk is not None and reward is not None else None


def full_margin_pct(price: float | None, stop: float | None, sign: int, leverage: float | None, risk: RiskConfig) -> float | None:
    """Return margin, as percent of equity, of the position that loses exactly `risk_per_trade_pct` of equity at the stop, before any cap.

    The loss at the stop is notional * distance, so notional = risk_per_trade_pct / distance, and margin = notional / leverage.
    """
    distance, times = stop_distance_pct(price, stop, sign), positive(leverage)
    if distance is None or times is None:
        return None
    return positive(risk.risk_per_trade_pct / distance * 100.0 / times)


def planned_margin_pct(
    price: float | None,
    stop: float | None,
    sign: int,
    leverage: float | None,
    risk: RiskConfig,
    account: AccountView | None = None,
    *,
    headroom: float = 0.0,
) -> float | None:
    """Return margin of the entry as it would be placed, percent of equity: `full_margin_pct`, cut to what the configuration and the
    account allow.

    headroom: fraction of the caps that is left free, for a price that may still rise. A cap that leaves no room allows no entry and
    therefore cuts nothing: the uncut margin is what a limit then refuses.
    """
    margin, times = full_margin_pct(price, stop, sign, leverage, risk), positive(leverage)
    if margin is None or times is None:
        return None
    caps = [risk.max_position_pct]
    if account is not None:
        caps.append((risk.max_exposure_pct - account.exposure() / account.equity * 100.0) / times)
        caps += [risk.max_notional / account.equity * 100.0 / times] if risk.max_notional is not None else []
    return min([margin, *(cap / (1 + headroom) for cap in caps if cap > 0)])


def held_margin_pct(size: float | None, price: float | None, leverage: float | None, equity: float | None) -> float | None:
    """Return margin of a position at this price, percent of equity. size: base units. equity: quote units."""
    amount, here, times, own = positive(size), positive(price), positive(leverage), positive(equity)
    if amount is None or here is None or times is None or own is None:
        return None
    return positive(amount * here / times / own * 100.0)


def liquidation_distance_pct(leverage: float | None, sign: int, maintenance_margin: float = MAINTENANCE_MARGIN) -> float | None:
    """Return how far the price may go against an isolated position before it is liquidated, percent of its entry. sign: +1 long, -1 short.

    Margin is notional / leverage; the position is liquidated where margin and result are down to maintenance_margin of its value there. At
    most 100 for a long, and above 100 where a fall to zero would not be enough (leverage 1).
    """
    times = positive(leverage)
    if times is None or sign not in {LONG, SHORT} or not 0 <= maintenance_margin < 1:
        return None
    left = (1 - sign / times) / (1 - sign * maintenance_margin)  # of the entry price
    return positive(sign * (1 - left) * 100.0)


def liquidation_price(entry: Decimal, leverage: float, sign: int, maintenance_margin: Decimal) -> Decimal | None:
    """Return where an isolated position is liquidated (see `liquidation_distance_pct`); None for a long whose price would have to be
    zero."""
    price = entry * (1 - sign / exact(leverage)) / (1 - sign * maintenance_margin)
    return price if price > 0 else None


def entry_amount(
    price: float,
    stop: float,
    sign: int,
    leverage: float,
    risk: RiskConfig,
    account: AccountView,
    terms: MarketTerms,
    *,
    atr: float | None = None,
) -> Decimal:
    """Return base units of an entry: what loses `risk_per_trade_pct` of equity at the stop, within every cap, in whole steps of the market.

    atr: until it is approved the price may move by `max_drift_atr` of it, and the order must still be within every cap then.
    Raises TooSmall when the market takes no order of that size, or when the numbers allow none.
    """
    headroom = risk.max_drift_atr * (positive(atr) or 0.0) / price + COSTS_ROOM if positive(price) else 0.0
    margin = planned_margin_pct(price, stop, sign, leverage, risk, account, headroom=headroom)
    if margin is None:  # limits refuse such numbers too; sizing does not rely on it
        raise TooSmall(Reason("order_cannot_be_sized"))
    notional = exact(margin) / 100 * exact(account.equity) * exact(leverage)
    return whole_steps(notional / exact(price), exact(price), terms)


def whole_steps(amount: Decimal, price: Decimal, terms: MarketTerms) -> Decimal:
    """Return the amount in whole steps of the market. Raises TooSmall below the market's smallest order."""
    whole = terms.amount(amount)
    if terms.is_too_small(whole, price):
        least = Reason("amount_and_worth", min_amount=f"{terms.min_amount:f}", min_cost=f"{terms.min_cost:f}")
        raise TooSmall(Reason("order_of_worth_is_below_market_smallest", whole=f"{whole:f}", whole2=f"{whole * price:.2f}", least=least))
    return whole
