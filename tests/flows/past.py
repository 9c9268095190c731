"""Earlier decisions, written straight into a journal: entries that are over, with what they came to and what they taught."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Past:
    """ended: when its position was closed; machine: when the machine's plan was over, where a person changed it. lesson: its words, known
    at `lesson_at`."""

    run_id: str
    decided: datetime
    ended: datetime
    machine: datetime | None = None
    pnl: float = 9.0
    confidence: float = 70.0
    model: str = "loopback"
    features: Mapping[str, float] | None = None
    lesson: str = ""
    flow: str = "decision"
    subject: str = "BTC/USDT:USDT"
    timeframe: str = "15m"
    feed: str = "recorded"
    action: str = "signal_entry_long"
    lesson_at: datetime | None = None

    def rows(self) -> dict[str, dict[str, Any]]:
        """Table -> its row."""
        came: dict[str, Any] = {
            "exit_reason": "target" if self.pnl > 0 else "stop", "pnl_pct": self.pnl, "r": self.pnl, "ended_at": self.ended.isoformat(),
        }  # fmt: skip
        machine = came | {"ended_at": self.machine.isoformat()} if self.machine is not None else None
        about: dict[str, Any] = {"run_id": self.run_id, "flow": self.flow, "subject": self.subject}
        body = {
            "run_id": self.run_id, "decided_at": self.decided.isoformat(), "action": self.action, "followed": "order",
            "came": came, "machine": machine, "is_final": True, "is_entry": True,
        }  # fmt: skip
        known = max(each for each in (self.ended, self.machine) if each is not None)
        found = {
            "outcomes": about | {
                "created_at": utc(self.decided), "model": self.model, "timeframe": self.timeframe, "action": self.action, "feed": self.feed,
                "confidence": self.confidence, "is_original": 1, "is_final": 1, "is_entry": 1, "decided_at": utc(self.decided),
                "ended_at": utc(self.ended), "known_at": utc(known), "followed": "order", "exit_reason": came["exit_reason"],
                "pnl_pct": self.pnl, "r": self.pnl, "machine_pnl_pct": self.pnl if machine else None,
                "machine_r": self.pnl if machine else None, "body": json.dumps(body, separators=(",", ":")),
                "features": json.dumps(dict(self.features)) if self.features else None,
            }
        }  # fmt: skip
        if self.lesson:
            at = self.lesson_at or known
            lesson = about | {"action": self.action, "kind": "refuted", "text": self.lesson, "known_at": at.isoformat()}
            own = {"known_at": utc(at), "kind": "refuted", "about": "", "body": json.dumps(lesson)}
            found["lessons"] = about | own
        return found


def plant(journal: Path, *past: Past) -> None:
    """Write them. journal: the file of an open journal."""
    with closing(sqlite3.connect(journal)) as database, database:
        for each in past:
            for table, row in each.rows().items():
                marks = ",".join("?" * len(row))
                names = ",".join(row)
                database.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))


def utc(at: datetime) -> str:
    """As the journal writes an instant."""
    return at.astimezone(UTC).isoformat()
