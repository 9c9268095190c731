"""How much of a venue's position our own orders made. Pure: by the sequence of our orders and of the venue's fills, never by a clock.

A venue keeps one position per market, whoever ordered it. Ours is what our reports leave, as long as the position was never flat since, and
less what our stop, target and exits have filled. What somebody else adds is theirs; what somebody else closes is taken from theirs first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from engine.domain.holding import Side
from engine.domain.orders import Position


@dataclass(frozen=True)
class SignedLevels:
    """The levels a position should have. client_id: of the last order of ours that was filled in the market; protective orders are named
    after it, so that two processes that place the same one place it once."""

    client_id: str
    stop: Decimal | None
    target: Decimal | None


@dataclass(frozen=True)
class OwnClaim:
    """What the reports of our orders leave in a market.

    size: base units. orders: client ids of the orders that made or changed it, oldest first; its protective orders are named after them.
    closes: ids of closing orders that `size` is without. unreported: of those that have no final report yet. venue_ids: the venue's ids of
    our orders, the first one's in `opening`. opens: the market was flat before that one; else a stranger's position may have been held.
    opened_at: report of the opening order, for venues that list fills by time only. through: number of the last audit row about these
    orders; a row that says that the position is gone names it.
    """

    side: Side
    size: Decimal
    levels: SignedLevels
    orders: tuple[str, ...]
    through: int
    opened_at: datetime
    opening: str | None = None
    opens: bool = True
    venue_ids: frozenset[str] = frozenset()
    closes: frozenset[str] = frozenset()
    unreported: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fate:
    """What became of an order of ours that closes. filled: base units, None where it was filled and the venue does not say how much.
    order_id: the venue's id of its fills."""

    client_id: str
    is_working: bool = False
    filled: Decimal | None = Decimal(0)
    order_id: str | None = None


@dataclass(frozen=True)
class Fill:
    """A fill of the account in the market. amount: base units, negative = sold."""

    order_id: str
    amount: Decimal


@dataclass(frozen=True)
class Evidence:
    """What the venue says about a claim. fates: of our protective orders and of unreported ones. fills: of everybody on the account, from
    our opening order on, in the venue's order; None where they cannot be had. doubt: why some fates are missing."""

    fates: tuple[Fate, ...] = ()
    fills: Sequence[Fill] | None = None
    doubt: str = ""


@dataclass(frozen=True)
class Ownership:
    """ours, theirs: base units of the venue's position. gone: why a position that our reports leave is over. unknown: why it cannot be said
    whose it is; `ours` is then what surely is ours, `theirs` the rest."""

    ours: Decimal = Decimal(0)
    theirs: Decimal = Decimal(0)
    gone: str = ""
    unknown: str = ""

    @property
    def is_alone(self) -> bool:
        """Whether all of the position is ours."""
        return self.ours > 0 and self.theirs == 0


def ownership(claim: OwnClaim | None, held: Position | None, evidence: Evidence) -> Ownership:
    """Return whose a position is. claim: what our reports leave, None = nothing. held: what the venue holds, None = flat."""
    if claim is None or held is None or held.side != claim.side:
        instead = "the venue or another hand has closed it" if held is None else f"the venue holds a {held.side} position in its place"
        return Ownership(theirs=held.size if held is not None else Decimal(0), gone=instead if claim is not None else "")
    closed = [each.filled for each in evidence.fates]
    left = claim.size - sum((each for each in closed if each is not None), Decimal(0))
    if None in closed or left <= 0:
        return Ownership(theirs=held.size, gone="its stop, its target or its exit was filled at the venue")
    replayed = _replayed(claim, held, evidence)
    if replayed is None:
        return _by_orders(held.size, left, evidence)
    least, most = (min(each, left, held.size) for each in replayed)
    if evidence.doubt and least != most:
        return Ownership(least, held.size - least, unknown=f"{most:f} of it may be ours: {evidence.doubt}")
    return Ownership(most, held.size - most, gone="" if most > 0 else "another hand has closed it")


def _by_orders(size: Decimal, left: Decimal, evidence: Evidence) -> Ownership:
    """Return whose a position is where the fills cannot be had. left: what our reports leave, less what our protective orders closed."""
    doubt = evidence.doubt
    if size > left and not any(each.is_working for each in evidence.fates):
        doubt = doubt or f"our orders made {left:f}, and neither its stop nor the venue's fills say whether it is still there"
    ours = Decimal(0) if doubt else min(size, left)
    return Ownership(ours, size - ours, unknown=doubt)


def _replayed(claim: OwnClaim, held: Position, evidence: Evidence) -> tuple[Decimal, Decimal] | None:
    """Return how much is ours by the fills, at least and at most; None without fills that lead to what is held. At least: closing fills of
    others may be those of a protective order of ours that the venue does not name."""
    ours = claim.venue_ids | {each.order_id for each in evidence.fates if each.order_id is not None}
    fills = evidence.fills or ()
    total = held.size - sum((fill.amount for fill in fills), Decimal(0)) * held.sign  # what was held before the first of them
    if evidence.fills is None or total < 0 or (claim.opens and total > 0):
        return None
    least = most = Decimal(0)
    for fill in fills:
        amount = fill.amount * held.sign
        total += amount
        if fill.order_id in ours:
            least, most = least + amount, most + amount
        elif amount < 0:
            least += amount
        least, most = _within(least, total), _within(most, total)
    return least, most


def _within(size: Decimal, total: Decimal) -> Decimal:
    return max(Decimal(0), min(size, total))
