"""Numbers that a person gives for a plan, read as what a market knows."""

from decimal import Decimal
from typing import Final

from engine.domain.errors import BadInput
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.text.reason import Reason

_MOST: Final = 1e15


def above_zero(name: str, value: float) -> Decimal:
    """Return a number that a person gave for a plan. Raises BadInput for one that no market knows."""
    if not 0 < value < _MOST:
        raise BadInput(Reason("is_not_number_above_zero", name=name, value=f"{value!r}"))
    return exact(value)


def level_of(name: str, value: float, terms: MarketTerms) -> Decimal:
    """Return a price that a person gave for a stop or a target, on the market's grid. Raises BadInput for one that no market knows."""
    level = terms.price(above_zero(name, value))
    if level <= 0:
        raise BadInput(Reason("is_below_smallest_price_of_this_market", name=name, value=f"{value!r}", price_step=f"{terms.price_step:f}"))
    return level
