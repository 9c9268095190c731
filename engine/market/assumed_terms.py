"""Terms of a market whose source does not state them: those of a large venue for perpetuals, with steps that fit the price."""

from decimal import Decimal
from math import floor, log10

from engine.domain.market.instrument import Market
from engine.domain.market.terms import MarketTerms, exact

_PRICE_DIGITS = 6  # significant ones that a price is quoted in
_STEP_WORTH = 50  # quote units that one step of the amount is worth at most
_MIN_COST = Decimal(5)
_FEES = {"perp": (Decimal("0.0005"), Decimal("0.0002")), "spot": (Decimal("0.001"), Decimal("0.001"))}  # taker, maker


def assumed_terms(market: Market, price: float) -> MarketTerms:
    """Return the terms assumed of a market that trades near a price (quote units, > 0)."""
    magnitude = floor(log10(price))
    amount_step = Decimal(1).scaleb(floor(log10(_STEP_WORTH / price)))
    step = market.price_step
    taker, maker = _FEES[market.kind]
    return MarketTerms(
        price_step=exact(round(step, 12)) if step is not None else Decimal(1).scaleb(magnitude - _PRICE_DIGITS + 1),
        amount_step=amount_step,
        min_amount=amount_step,
        min_cost=_MIN_COST,
        taker_fee=taker,
        maker_fee=maker,
        max_leverage=125 if market.kind == "perp" else 1,
        assumed=True,
    )
