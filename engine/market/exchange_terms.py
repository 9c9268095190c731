"""The terms of a market as ccxt tells them. A venue that leaves one out is taken to be like a large one; steps are never assumed."""

from decimal import Decimal
from typing import Any

from engine.domain.errors import BadMarketData
from engine.domain.market.instrument import Market
from engine.domain.market.terms import MarketTerms, exact

_TAKER, _MAKER = Decimal("0.0005"), Decimal("0.0002")


def listed_terms(entry: dict[str, Any], market: Market) -> MarketTerms:
    """entry: the market in ccxt's table, with precision as step sizes. Raises BadMarketData when its steps are not told."""
    price_step, amount_step = _step(entry, "price"), _step(entry, "amount")
    if price_step is None or amount_step is None:
        raise BadMarketData(f"the venue does not say in what steps {market.symbol} is traded: it cannot be sized")
    limits: dict[str, Any] = entry.get("limits") or {}
    contract = _positive(entry.get("contractSize")) or Decimal(1)  # where amounts are counted in contracts: base units of one
    fees = (_positive(entry.get("taker")), _positive(entry.get("maker")))
    leverage = _positive((limits.get("leverage") or {}).get("max"))
    return MarketTerms(
        price_step=price_step,
        amount_step=amount_step * contract,
        min_amount=(_positive((limits.get("amount") or {}).get("min")) or amount_step) * contract,
        min_cost=_positive((limits.get("cost") or {}).get("min")) or Decimal(0),
        taker_fee=fees[0] if fees[0] is not None else _TAKER,
        maker_fee=fees[1] if fees[1] is not None else _MAKER,
        max_leverage=int(leverage) if leverage is not None and leverage >= 1 else 125 if market.kind == "perp" else 1,
        assumed=None in fees,
    )


def _step(entry: dict[str, Any], what: str) -> Decimal | None:
    return _positive((entry.get("precision") or {}).get(what))


def _positive(value: Any) -> Decimal | None:
    if value is None or isinstance(value, bool):
        return None
    try:
        number = exact(float(value))
    except (TypeError, ValueError):
        return None
    return number if number.is_finite() and number > 0 else None
