"""The terms of a listed share: its lot and steps from its listing, and what an order costs in its market. Pure.

The fees are this program's assumptions of a retail broker in each market, beside what the market itself takes.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from engine.domain.equity.listing import Listing, ListingMarket
from engine.domain.errors import BadInput
from engine.domain.market.share_terms import ShareFees, ShareTerms
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.text.reason import Reason

SHARE_FEES: Final[Mapping[ListingMarket, ShareFees]] = {
    # half a cent a share, a dollar at least; the regulator takes 27.80 dollars of a million sold
    "US": ShareFees(per_share=Decimal("0.005"), least=Decimal(1), on_sales=Decimal("0.0000278")),
    # commission 0.025 percent, 5 yuan at least; transfer fee 0.001 percent; stamp duty 0.05 percent of sales
    "CN": ShareFees(commission=Decimal("0.00025"), least=Decimal(5), both_sides=Decimal("0.00001"), on_sales=Decimal("0.0005")),
    # commission 0.03 percent, 3 dollars at least; stamp duty 0.1 percent, levies and settlement 0.0127 percent, both ways
    "HK": ShareFees(commission=Decimal("0.0003"), least=Decimal(3), both_sides=Decimal("0.001127")),
}
_CENT: Final = Decimal("0.01")


def share_terms(listing: Listing) -> MarketTerms:
    """Return how a share is traded. Where the exchange makes the step follow the price, it is a cent: a step taken from today's price would
    tell a decision about the past how the price went. Raises BadInput for an index, which no one can buy."""
    if not listing.is_tradable:
        raise BadInput(Reason("is_index_it_cannot_be_ordered_order", symbol=listing.symbol))
    fees = SHARE_FEES[listing.market]
    limit = exact(listing.price_limit_pct) if listing.price_limit_pct is not None else None
    return MarketTerms(
        price_step=listing.price_step or _CENT,
        amount_step=Decimal(listing.lot),
        min_amount=Decimal(listing.min_order),
        min_cost=Decimal(0),
        taker_fee=fees.commission,
        maker_fee=fees.commission,
        maintenance_margin=Decimal(0),
        max_leverage=1,
        assumed=True,
        shares=ShareTerms(
            currency=listing.currency, sessions_until_sellable=min(1, listing.sessions_until_sellable), price_limit_pct=limit, fees=fees
        ),
    )
