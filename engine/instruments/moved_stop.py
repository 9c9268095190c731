"""What must hold when the stop of an open position is moved: nothing where risk goes, the limits where risk comes. Pure.

A stop that is moved towards the price, or set where there was none, takes risk away: there are no checks. One that is moved away adds it,
and the limits of an entry apply, measured on the position as it is. In this order:

- `kill_switch`, `max_price_gap_pct` (contracts), `allowed_symbols`
- `min_risk_reward_ratio`        of the position as it would be entered today with these levels: from its average entry; left out where the
                                 stop is at a gain, or there is no target
- `min_risk_reward_after_costs`  the same, of what the position comes to at these levels after the way out
- `max_stop_distance_pct`        from the price or from the entry, whichever is farther: a stop does not walk away in small steps
- `max_stop_to_liquidation_pct`  of a contract: how far on the way from the price to the liquidation
- `risk_per_trade_pct`           of shares: what the position loses at the stop, percent of the account's value
- what the account has lost and ordered lately

Fails closed like `limits`: what cannot be measured is a breach. A target may be anywhere on its side: it adds no risk.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from engine.domain.holding import Holding, InstrumentKind
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.orders import AccountView
from engine.domain.proposal import Figures, OrderPlan
from engine.domain.risk import LimitCheck, RiskConfig
from engine.instruments.limits import account_checks, after_costs, at_least, at_most
from engine.trading.figures import protection_figures
from engine.trading.sizing import liquidation_distance_pct, positive, risk_reward_ratio, stop_distance_pct


def takes_risk_away(stop: Decimal | None, current: Decimal | None, sign: int) -> bool:
    """Return whether a new stop leaves no more risk than the current one. stop: None = it stays. current: None if missing.
    sign: +1 long, -1 short."""
    return stop is None or current is None or (stop - current) * sign >= 0


@dataclass(frozen=True)
class HeldMarket:
    """The market and the account that a stop is moved in. price: last one, quote units. price_gap_pct: last price against the last closed
    candle, None = not known."""

    symbol: str
    instrument: InstrumentKind
    price: float
    price_gap_pct: float | None
    account: AccountView
    terms: MarketTerms


def check_moved_stop(
    stop: Decimal | None, target: Decimal | None, current: Decimal | None, holding: Holding, risk: RiskConfig, around: HeldMarket
) -> tuple[LimitCheck, ...]:
    """Measure a new stop of an open position against every limit; empty when it takes risk away. stop: None = it stays as it is. target:
    the one the position has then, None = none. current: the stop as it is, or None."""
    if stop is None or takes_risk_away(stop, current, holding.sign()):
        return ()
    return tuple(_checks(float(stop), float(target) if target is not None else None, holding, risk, around))


def _checks(stop: float, target: float | None, holding: Holding, risk: RiskConfig, around: HeldMarket) -> Iterator[LimitCheck]:
    sign, shares = holding.sign(), around.instrument == "shares"
    yield at_most("kill_switch", float(around.account.halted), 0.0)
    if not shares:
        yield at_most("max_price_gap_pct", around.price_gap_pct, risk.max_price_gap_pct)
    yield at_most("allowed_symbols", float(bool(risk.allowed_symbols) and around.symbol not in risk.allowed_symbols), 0.0)
    at_a_loss = (holding.entry_price - stop) * sign > 0
    if at_a_loss and target is not None:
        ratio = risk_reward_ratio(holding.entry_price, stop, target, sign)
        yield at_least("min_risk_reward_ratio", ratio, risk.min_risk_reward_ratio)
        yield after_costs(_figures(stop, target, holding, around), risk)
    yield at_most("max_stop_distance_pct", _distance_pct(stop, holding, around.price, at_a_loss=at_a_loss), risk.max_stop_distance_pct)
    if shares:
        lost = max(0.0, (holding.entry_price - stop) * sign * holding.size)
        yield at_most("risk_per_trade_pct", lost / around.account.equity * 100.0, risk.risk_per_trade_pct)
    else:
        yield at_most("max_stop_to_liquidation_pct", _to_liquidation_pct(stop, holding, around), risk.max_stop_to_liquidation_pct)
    yield from account_checks(risk, around.account)


def _figures(stop: float, target: float, holding: Holding, around: HeldMarket) -> Figures | None:
    if positive(around.price) is None:
        return None
    side = "buy" if holding.sign() > 0 else "sell"
    plan = OrderPlan(side=side, amount=exact(holding.size), stop=exact(stop), target=exact(target), protects=True)
    return protection_figures(plan, around.price, around.terms, holding)


def _distance_pct(stop: float, holding: Holding, price: float, *, at_a_loss: bool) -> float | None:
    """Return how far the stop is from the price or from the entry, percent; None where it is on the wrong side of the price."""
    from_price = stop_distance_pct(price, stop, holding.sign())
    from_entry = stop_distance_pct(holding.entry_price, stop, holding.sign()) if at_a_loss else 0.0
    return max(from_price, from_entry) if from_price is not None and from_entry is not None else None


def _to_liquidation_pct(stop: float, holding: Holding, around: HeldMarket) -> float | None:
    """Return how far the stop is on the way from the price to the liquidation, percent; None where one of them is on the wrong side."""
    room, sign = liquidation_distance_pct(holding.leverage, holding.sign(), float(around.terms.maintenance_margin)), holding.sign()
    if room is None:
        return None
    liquidated = holding.entry_price * (1 - sign * room / 100.0)
    to_stop, to_liquidation = positive((around.price - stop) * sign), positive((around.price - liquidated) * sign)
    return to_stop / to_liquidation * 100.0 if to_stop is not None and to_liquidation is not None else None
