"""What an exchange account has lost, out of what is known of it: pure.

Known are its equity now, the equities this program has seen, and, where the venue reports it, every change of the balance (its ledger).
Money that was paid in or out is no result: past equities are moved by it before they are compared. What is dated later than now, by a
clock that was ahead or beside one that is behind, has happened all the same and counts as if it were of now.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from engine.brokers.ccxt.orders import UnreadableReply, instant, number
from engine.domain.risk import RiskConfig
from engine.domain.text.reason import Reason

Point = tuple[datetime, float]
_TRANSFERS = {"transfer", "deposit", "withdrawal"}
_SPLIT = timedelta(seconds=60)  # fills of one market so near to each other are one trade


@dataclass(frozen=True)
class BalanceChange:
    """One change of the balance. kind: as ccxt calls it. amount: quote units, negative = out."""

    at: datetime
    symbol: str
    kind: str
    amount: float

    @property
    def is_transfer(self) -> bool:
        """Whether money was paid in or out."""
        return self.kind in _TRANSFERS


def changes_of(rows: Any) -> list[BalanceChange]:
    """Return the rows of a ledger as ccxt gives them, oldest first. Raises UnreadableReply."""
    if not isinstance(rows, list):
        raise UnreadableReply(Reason("venue_ledger_cannot_be_read"))
    found = []
    for row in rows:
        at, amount = instant(row.get("timestamp")), number(row, "amount")
        if at is None or amount is None:
            raise UnreadableReply(Reason("venue_ledger_holds_row_that_cannot"))
        signed = -abs(float(amount)) if row.get("direction") == "out" else float(amount)
        symbol = str((row.get("info") or {}).get("symbol") or "")
        found.append(BalanceChange(at, symbol, str(row.get("type")), signed))
    return sorted(found, key=lambda change: change.at)


def adjusted(history: Sequence[Point], changes: Sequence[BalanceChange]) -> list[Point]:
    """Return past equities as they would be with the money that is in the account now: payments in and out are no result."""
    moved = [change for change in changes if change.is_transfer]
    return sorted((at, equity + sum(change.amount for change in moved if change.at > at)) for at, equity in history)


def day_loss_pct(history: Sequence[Point], changes: Sequence[BalanceChange], equity: float, now: datetime) -> float:
    """Return percent lost since 00:00 UTC. history: adjusted.

    The equity at midnight is not known for certain: the last equity seen before may be days old, the first of today hours late,
    and the ledger knows nothing of what is not realised. The worst of them counts.
    """
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    before = [each for at, each in history if at < midnight][-1:]
    first = [each for at, each in history if midnight <= at][:1]
    result = sum(change.amount for change in changes if midnight <= change.at and not change.is_transfer)
    return max(_lost_pct(each, equity) for each in (*before, *first, equity - result))


def drawdown_pct(history: Sequence[Point], equity: float) -> float:
    """Return percent lost since the highest equity. history: adjusted."""
    return _lost_pct(max((each for _, each in history), default=equity), equity)


def cooldown_left_min(trades: Sequence[Point], changes: Sequence[BalanceChange], risk: RiskConfig, equity: float, now: datetime) -> float:
    """Return minutes until a new position may be opened. trades: closed ones this program knows, with their net; a stop that the venue
    filled is in the ledger only."""
    lost = [min(at, now) for at, net in (*trades, *realised(changes)) if net <= -risk.cooldown_loss_pct / 100 * equity]
    return max(0.0, risk.cooldown_minutes - (now - max(lost)).total_seconds() / 60) if lost else 0.0


def realised(changes: Sequence[BalanceChange]) -> list[Point]:
    """Return the closed trades of a ledger (instant, quote units): results of fills of one market within a minute are one trade."""
    trades: dict[str, list[Point]] = {}
    for change in changes:
        if change.kind != "trade":
            continue
        known = trades.setdefault(change.symbol, [])
        if known and change.at - known[-1][0] <= _SPLIT:
            known[-1] = (change.at, known[-1][1] + change.amount)
        else:
            known.append((change.at, change.amount))
    return [trade for known in trades.values() for trade in known]


def _lost_pct(before: float, now: float) -> float:
    return max(0.0, (before - now) / before * 100) if before > 0 else 0.0
