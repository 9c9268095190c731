"""Answers of services, kept for some hours in one SQLite file that several processes share; and the addresses that searches gave.

Only answers that could be read are kept, never a failure. A cache that cannot be used is as good as none: everything is asked anew, and it
is logged once.
"""

import hashlib
import json
import logging
import os
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeVar

from engine.domain.clock import Clock, utc_now
from engine.search.private_folder import make_private_folder

_LOG: Final = logging.getLogger(__name__)
_GIVEN_DAYS: Final = 90  # a run that is continued later may still download what its search found
_PATIENCE_S: Final = 2.0
_TABLES: Final = (
    "create table if not exists answers (request text primary key, at real not null, answer text not null)",
    "create table if not exists given (address text primary key, at real not null)",
)
_KEEP_ANSWER: Final = "insert into answers values (?, ?, ?) on conflict do update set at = excluded.at, answer = excluded.answer"
_KEEP_GIVEN: Final = "insert into given values (?, ?) on conflict do update set at = excluded.at"

T = TypeVar("T")


class AnswerCache:
    """path: of the file. keep_s: age at which an answer is asked for anew, 0 = nothing is kept."""

    def __init__(self, path: Path, keep_s: float, clock: Clock = utc_now) -> None:
        self._path, self._keep_s, self._clock = path, keep_s, clock
        self._given: set[str] = set()  # of this process: it knows them even where no file can be written
        self._is_broken = False

    def get(self, request: object) -> Any:
        """Return the answer to a request, None where there is none that is young enough. Blocking, a millisecond."""
        if self._keep_s <= 0:
            return None
        now = self._clock().timestamp()
        query = "select answer from answers where request = ? and at > ? and at <= ?"
        row = self._use(lambda db: db.execute(query, (_digest(request), now - self._keep_s, now)).fetchone())
        return None if row is None else json.loads(row[0])

    def put(self, request: object, answer: Any) -> None:
        """Keep an answer, forget the expired ones. Blocking, a few milliseconds."""
        if self._keep_s <= 0:
            return
        now = self._clock().timestamp()

        def keep(db: sqlite3.Connection) -> None:
            db.execute("delete from answers where at <= ?", (now - self._keep_s,))
            db.execute(_KEEP_ANSWER, (_digest(request), now, json.dumps(answer)))

        self._use(keep)

    def give(self, source: str, addresses: Iterable[str]) -> None:
        """Remember addresses that a source's search gave. Blocking, a few milliseconds."""
        keys = [_digest([source, address]) for address in addresses if address]
        if not keys or self._given.issuperset(keys):
            return
        self._given.update(keys)
        now = self._clock().timestamp()

        def keep(db: sqlite3.Connection) -> None:
            db.execute("delete from given where at <= ?", (now - _GIVEN_DAYS * 86_400,))
            db.executemany(_KEEP_GIVEN, [(key, now) for key in keys])

        self._use(keep)

    def was_given(self, source: str, address: str) -> bool:
        """Return whether a search of the source gave this address, here or in another process of this home. Blocking, a millisecond."""
        key = _digest([source, address])
        if key in self._given:
            return True
        return self._use(lambda db: db.execute("select 1 from given where address = ?", (key,)).fetchone()) is not None

    def _use(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        try:
            make_private_folder(self._path.parent)
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
            with closing(sqlite3.connect(self._path, timeout=_PATIENCE_S)) as db:
                for table in _TABLES:
                    db.execute(table)
                found = work(db)
                db.commit()
                return found
        except (OSError, sqlite3.Error, ValueError) as error:
            if not self._is_broken:
                _LOG.warning("the cache of searches cannot be used, everything is asked anew: %s: %s", self._path, error)
            self._is_broken = True
            return None


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=True).encode()).hexdigest()
