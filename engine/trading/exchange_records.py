"""What the journal knows and an exchange does not tell: which orders are ours, what was wanted, how the account stood before.

Every function may block (it is called in a thread) and may raise StoreError.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

Points = Sequence[tuple[datetime, float]]


@dataclass(frozen=True)
class SignedLevels:
    """The levels a position should have. client_id: of the last order of ours that was filled in the market; protective orders are named
    after it, so that two processes that place the same one place it once."""

    client_id: str
    stop: Decimal | None
    target: Decimal | None


@dataclass(frozen=True)
class AccountRecords:
    """ours: whether the journal holds an order of this client id. opened: when the position in a market was opened, None = not known.
    wanted: what the position in a market should have, None = we hold none there.

    under_way: whether an order of ours in a market was written down, and nobody knows yet what became of it.

    history: equities of an account that were remembered, oldest first. remember: an equity of now. recent: of an account since an instant,
    when orders left, and (instant, net in quote units) of closed trades.

    bare: since when positions stand without a stop, by market, as any process saw them. mark, unmark: that a position does, or does so no
    longer, and why; written down once, and told to whoever is to be alerted.
    """

    ours: Callable[[str], bool]
    opened: Callable[[str], datetime | None]
    signed_levels: Callable[[str], SignedLevels | None]
    under_way: Callable[[str], bool]
    history: Callable[[str], Points]
    record_equity: Callable[[str, datetime, float], None]
    recent: Callable[[str, datetime], tuple[Sequence[datetime], Points]]
    unprotected_since: Callable[[], Mapping[str, datetime]]
    mark: Callable[[str, str], None]
    unmark: Callable[[str, str], None]
