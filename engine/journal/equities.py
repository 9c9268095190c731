"""How accounts stood over time, for those whose broker does not keep that. Blocking. Raises StoreError."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, insert, select

from engine.journal.tables import EQUITIES


class Equities:
    """Over the journal's database. talking: opens a transaction (`Journal`)."""

    def __init__(self, talking: Callable[[str], AbstractContextManager[Connection]]) -> None:
        self._talking = talking

    def history(self, account: str) -> list[tuple[datetime, float]]:
        """Every point of an account, oldest first: (aware UTC, quote units)."""
        query = select(EQUITIES.c.at, EQUITIES.c.equity).where(EQUITIES.c.account == account).order_by(EQUITIES.c.at)
        with self._talking("read equities from") as connection:
            return [(datetime.fromisoformat(at), equity) for at, equity in connection.execute(query)]

    def remember(self, account: str, at: datetime, equity: float) -> None:
        """One more point, at most one a minute: the last one of a minute stays."""
        minute = at.astimezone(UTC).replace(second=0, microsecond=0).isoformat()
        with self._talking("write equities to") as connection:
            connection.execute(delete(EQUITIES).where(EQUITIES.c.account == account, EQUITIES.c.at == minute))
            connection.execute(insert(EQUITIES).values(account=account, at=minute, equity=equity))
