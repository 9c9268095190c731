"""How much of a venue's position our own orders made. Pure: by the sequence of our orders and of the venue's fills, never by a clock.

A venue keeps one position per market, for all traders. Ours is what our reports leave, as long as the position was never flat since, and
less what our stop, target and exits have filled. What someone else adds is theirs; what someone else closes is taken from theirs first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from engine.domain.holding import Side
from engine.domain.orders import Position
from engine.domain.text.reason import Reason


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
    """The outcome of an order of ours that closes. filled: base units, None where it was filled and the venue does not say how much.
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
    our opening order on, in the venue's order; None where they cannot be had. The newest ones may be younger than the position, but only
    where the claim `opens`: else they fit more than one beginning. doubt: why some of it is missing."""

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
        instead = Reason("closed_elsewhere") if held is None else Reason("other_position_instead", side=held.side)
        return Ownership(theirs=held.size if held is not None else Decimal(0), gone=instead if claim is not None else "")
    closed = [each.filled for each in evidence.fates]
    left = claim.size - sum((each for each in closed if each is not None), Decimal(0))
    if None in closed or left <= 0:
        return Ownership(theirs=held.size, gone=Reason("its_own_orders_closed_it"))
    replayed = _replayed(claim, held, evidence)
    if replayed is None:
        elsewhere = Reason("fills_lead_elsewhere") if _before(held, evidence.fills or ()) < 0 else ""
        return _by_orders(held.size, left, replace(evidence, doubt=evidence.doubt or elsewhere))
    least, most = (min(each, left, held.size) for each in replayed)
    if evidence.doubt and least != most:
        return Ownership(least, held.size - least, unknown=Reason("part_may_be_ours", most=f"{most:f}", doubt=evidence.doubt))
    return Ownership(most, held.size - most, gone="" if most > 0 else Reason("closed_by_another"))


def _by_orders(size: Decimal, left: Decimal, evidence: Evidence) -> Ownership:
    """Return whose a position is where the fills cannot be had. left: what our reports leave, less what our protective orders closed."""
    doubt = evidence.doubt
    if size > left and not any(each.is_working for each in evidence.fates):
        doubt = doubt or Reason("part_may_be_gone", left=f"{left:f}")
    ours = Decimal(0) if doubt else min(size, left)
    return Ownership(ours, size - ours, unknown=doubt)


def _replayed(claim: OwnClaim, held: Position, evidence: Evidence) -> tuple[Decimal, Decimal] | None:
    """Return how much is ours by the fills, at least and at most; None without fills that lead to what is held. At least: closing fills of
    others may be those of a protective order of ours that the venue does not name."""
    found = _leading_to(held, claim, evidence.fills or ())
    if found is None:
        return None
    ours = claim.venue_ids | {each.order_id for each in evidence.fates if each.order_id is not None}
    total, fills = found
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


def _leading_to(held: Position, claim: OwnClaim, fills: Sequence[Fill]) -> tuple[Decimal, Sequence[Fill]] | None:
    """Return what was held before the first fill, and the fills that lead from there to what is held; None where none do. The newest ones
    may be younger than the position, which is read before them."""
    before = _before(held, fills)
    for count in range(len(fills), 0, -1):
        if before == 0 or (before > 0 and not claim.opens):
            return before, fills[:count]
        before += fills[count - 1].amount * held.sign
    return None


def _before(held: Position, fills: Sequence[Fill]) -> Decimal:
    """Return what was held before all of the fills, on the side that is held now."""
    return held.size - sum((fill.amount for fill in fills), Decimal(0)) * held.sign


def _within(size: Decimal, total: Decimal) -> Decimal:
    return max(Decimal(0), min(size, total))
