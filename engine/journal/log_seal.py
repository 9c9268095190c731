"""The seal of a run's event log: what the log held when a proposal was filed on it, so that an event that is changed, deleted or added
later is named.

Its text is kept in the proposal's row: eight hexadecimal digits for each event, in order. The audit chain holds the hash of the whole log.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, select

from engine.domain.text.reason import Reason
from engine.journal.tables import EVENTS

_DIGITS: Final = 8
_MOST_NAMED: Final = 5


@dataclass(frozen=True)
class LogSeal:
    """hash: of every event as it is stored, in order; sha256, hexadecimal. text: the first digits of the hash of each event."""

    hash: str
    text: str


def seal_of(connection: Connection, run_id: str) -> LogSeal:
    """Return the seal of a run's log as it is now."""
    return _seal(_rows(connection, run_id))


def log_fault(connection: Connection, run_id: str, text: str, log_hash: str) -> str:
    """Return which events of a run are not those of a seal; "" where all are. text, log_hash: as they were kept."""
    rows = _rows(connection, run_id)
    found = _seal(rows)
    if found.hash == log_hash:
        return "" if found.text == text else Reason("seal_was_changed")
    there = {row.seq: _digits(row) for row in rows}
    sealed = {number: text[start : start + _DIGITS] for number, start in enumerate(range(0, len(text), _DIGITS), 1)}
    kinds = {row.seq: row.kind for row in rows}
    named = [
        *(Reason("event_was_deleted", seq=seq) for seq in sealed if seq not in there),
        *(Reason("event_was_changed", seq=seq, kind=kinds[seq]) for seq in sealed if seq in there and there[seq] != sealed[seq]),
        *(Reason("event_was_added", seq=seq, kind=kinds[seq]) for seq in there if seq not in sealed),
    ]
    more = [Reason("and_more", n=len(named) - _MOST_NAMED)] if len(named) > _MOST_NAMED else []
    return Reason.listed([*named[:_MOST_NAMED], *more]) or Reason("events_were_changed")


def _rows(connection: Connection, run_id: str) -> list[Row[Any]]:
    return list(connection.execute(select(EVENTS).where(EVENTS.c.run_id == run_id).order_by(EVENTS.c.seq)))


def _seal(rows: list[Row[Any]]) -> LogSeal:
    whole = hashlib.sha256()
    for row in rows:
        whole.update(_line(row))
    return LogSeal(whole.hexdigest(), "".join(_digits(row) for row in rows))


def _digits(row: Row[Any]) -> str:
    return hashlib.sha256(_line(row)).hexdigest()[:_DIGITS]


def _line(row: Row[Any]) -> bytes:
    return json.dumps([row.seq, row.at, row.kind, row.node, row.data], ensure_ascii=False).encode() + b"\n"
