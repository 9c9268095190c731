"""Equity of accounts over time, for those whose broker does not keep that. Blocking. Raises StoreError."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime

from sqlalchemy import Connection, insert, select, update

from engine.journal.tables import EQUITIES


class Equities:
    """Over the journal's database. talking: opens a transaction (`Journal`)."""

    def __init__(self, talking: Callable[[str], AbstractContextManager[Connection]]) -> None:
        self._talking = talking

    def history(self, account: str) -> list[tuple[datetime, float]]:
        """Return every point of an account, oldest first: (aware UTC, quote units)."""
        query = select(EQUITIES.c.at, EQUITIES.c.equity).where(EQUITIES.c.account == account).order_by(EQUITIES.c.at)
        with self._talking("read equities from") as connection:
            return [(datetime.fromisoformat(at), equity) for at, equity in connection.execute(query)]

    def record(self, account: str, at: datetime, equity: float) -> None:
        """One more point, at most one a minute: the highest of a minute stays, since drawdown is measured from it."""
        minute = at.astimezone(UTC).replace(second=0, microsecond=0).isoformat()
        same = (EQUITIES.c.account == account, EQUITIES.c.at == minute)
        with self._talking("write equities to") as connection:
            lower = connection.execute(update(EQUITIES).where(*same, EQUITIES.c.equity < equity).values(equity=equity)).rowcount
            if lower == 0 and connection.execute(select(EQUITIES.c.at).where(*same)).first() is None:
                connection.execute(insert(EQUITIES).values(account=account, at=minute, equity=equity))
