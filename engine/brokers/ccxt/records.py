"""What the journal knows and an exchange does not: which orders are ours, which levels were signed, the equity so far.

Every function may block (it is called in a thread) and may raise StoreError.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.brokers.ccxt.closing_fills import Closings
from engine.domain.orders import Order, OrderReport
from engine.domain.position_record import PositionRecord
from engine.trading.history.ownership import OwnClaim, Ownership

Points = Sequence[tuple[datetime, float]]


@dataclass(frozen=True)
class AccountRecords:
    """ours: whether the journal holds an order of this client id. opened: when the position in a market was opened, None = not known.
    claim: what our orders leave in a market, None = nothing.

    gone: writes down that what was claimed of a market is over, and why; with an alert where the venue holds something else there.

    exit: writes an order down that gets out of a position, before it is sent; False where it is written already. reported: writes down
    its outcome. has_ended: whether the end of an order of this client id is written down.

    under_way: whether an order of ours in a market was written down, and its outcome is not known yet. sent_entry: the entry that
    has left among these, None where there is no such entry.

    history: equities of an account that were recorded, oldest first. record_equity: writes the equity of now. recent: of an account since
    an instant, when orders left, and (instant, net in quote units) of closed trades.

    positions: every position that our orders of an account have made; with the fills that closed them at the venue, where they are known.
    venue_ids: the venue's own ids of our orders of an account.

    unprotected_since: since when positions have no stop, by market, as any process saw them. mark, unmark: that a position has none, or has
    one again, and why; written down once, with an alert.
    """

    ours: Callable[[str], bool]
    opened: Callable[[str], datetime | None]
    claim: Callable[[str], OwnClaim | None]
    gone: Callable[[str, OwnClaim, Ownership], None]
    exit: Callable[[Order], bool]
    reported: Callable[[OrderReport], None]
    has_ended: Callable[[str], bool]
    under_way: Callable[[str], bool]
    sent_entry: Callable[[str], Order | None]
    history: Callable[[str], Points]
    record_equity: Callable[[str, datetime, float], None]
    positions: Callable[[str, Closings], Sequence[PositionRecord]]
    venue_ids: Callable[[str], frozenset[str]]
    recent: Callable[[str, datetime], tuple[Sequence[datetime], Points]]
    unprotected_since: Callable[[], Mapping[str, datetime]]
    mark: Callable[[str, str], None]
    unmark: Callable[[str, str], None]
