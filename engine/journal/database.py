"""The database behind the journal: opened for its owner only, and missed when its file is taken away while it is in use.

Failure contract: StoreError with one clear line. A transaction that ended without one is in the file that has the journal's name.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from engine.domain.errors import AlreadyKept, StoreError
from engine.domain.text.reason import Reason
from engine.journal.migrations import bring_up_to_date
from engine.journal.private_files import close_to_others, make_private

BUSY_MS = 10_000  # how long a lock of another process is waited for


class Database:
    """The tables of one journal. Safe to use from several threads. url: as it was given; nothing is opened before `open`."""

    def __init__(self, url: URL) -> None:
        self.where = url.set(query={}).render_as_string(hide_password=True)  # a query may hold a password too
        self.file = file_of(url)
        self._engine = _connecting(url, self.file)
        self._opened: tuple[int, int] | None = None
        self._unopened: StoreError | None = None

    def open(self, refused: str = "") -> None:
        """Make what is not there yet. refused: why it must not be opened. Raises StoreError, now and at every use."""
        try:
            if refused:
                raise StoreError(refused)
            self._make_file()
            with self.talking("open") as connection:
                bring_up_to_date(connection, self.where)
            self._opened = self._identity()
            for suffix in ("", "-wal", "-shm") if self.file is not None else ():
                close_to_others(Path(f"{self.file}{suffix}"))
        except StoreError as problem:
            self._unopened = problem
            self.close()
            raise

    @contextmanager
    def talking(self, doing: str) -> Iterator[Connection]:
        """Open a transaction; trouble with the database becomes a StoreError of one clear line. doing: the verb of that line."""
        self._must_be_there()
        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as problem:
            reason = str(getattr(problem, "orig", None) or problem).splitlines()[0]
            kind = AlreadyKept if isinstance(problem, IntegrityError) else StoreError
            raise kind(Reason("cannot_journal_at", doing=doing, where=self.where, reason=reason)) from problem
        self._must_be_there()  # else what was written went with the file

    def vacuum(self) -> None:
        """Give unused room back to the disk. Raises SQLAlchemyError when someone reads."""
        with self._engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT").execute(text("VACUUM"))

    def close(self) -> None:
        """Release the connections."""
        self._engine.dispose()

    def _must_be_there(self) -> None:
        """Require a journal that is open and whose file is still the one that was opened. Raises StoreError."""
        if self._unopened is not None:
            raise StoreError(str(self._unopened))
        if self._opened is not None and self._identity() != self._opened:
            raise StoreError(Reason("journal_was_deleted_or_replaced_while", file=self.file))

    def _identity(self) -> tuple[int, int] | None:
        if self.file is None:
            return None
        try:
            found = self.file.stat()
        except OSError:
            return 0, 0
        return found.st_dev, found.st_ino

    def _make_file(self) -> None:
        if self.file is None:
            return
        try:
            make_private(self.file)
        except OSError as problem:
            if not self.file.exists():
                raise StoreError(Reason("cannot_open_journal_at", where=self.where, strerror=problem.strerror)) from problem


def file_of(url: URL) -> Path | None:
    """Return the file of a database of SQLite's; None for any other, and for one in memory."""
    name = url.database or ""
    if url.get_backend_name() != "sqlite" or name in {"", ":memory:"}:
        return None
    if name.startswith("file:"):
        name = unquote(name.removeprefix("file:").partition("?")[0])
        if name in {"", ":memory:"} or url.query.get("mode") == "memory":
            return None
    return Path(name).absolute()


def _connecting(url: URL, file: Path | None) -> Engine:
    if file is not None and not (url.database or "").startswith("file:"):
        url = url.set(database=f"file:{quote(str(file))}", query={**url.query, "mode": "rw", "uri": "true"})
    is_file = url.get_backend_name() == "sqlite"
    engine = create_engine(url, pool_pre_ping=not is_file)  # a server may have been restarted since
    if is_file:
        event.listen(engine, "connect", _tune_sqlite)
    return engine


def _tune_sqlite(connection: Any, _record: Any) -> None:
    """Set SQLite up: readers never wait for the writer, a commit survives a crash of the process, and a lock is waited for."""
    cursor = connection.cursor()
    for pragma in (f"busy_timeout={BUSY_MS}", "journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
