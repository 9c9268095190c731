"""A journal of many decisions, written straight into it from a fixed seed."""

import json
import random
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

START = datetime(2026, 1, 1, tzinfo=UTC)


def fill(home: Path, count: int, every: timedelta = timedelta(minutes=20), feed: str = "simulated") -> None:
    """Write so many decisions with outcomes into a journal: a third wait, every tenth is open, the others gained or lost."""
    from engine.journal.store import open_journal

    open_journal(home, None).close()
    draw = random.Random(7)
    rows = [_row(number, START + every * number, draw, feed) for number in range(count)]
    names = list(rows[0])
    with closing(sqlite3.connect(home / "tribunal.db")) as database, database:
        marks = ",".join("?" * len(names))
        database.executemany(f"INSERT INTO outcomes ({','.join(names)}) VALUES ({marks})", [tuple(row.values()) for row in rows])


def _row(number: int, at: datetime, draw: random.Random, feed: str) -> dict[str, object]:
    run_id = f"{at:%Y%m%d-%H%M%S}-{number:06x}{feed[0]}"
    waits, is_open = number % 3 == 0, number % 10 == 1
    confidence = round(draw.uniform(50, 90))
    r = None if waits else round(draw.choice((-1.05, -1.05, 1.7)) + draw.uniform(-0.1, 0.1), 3)
    came = {
        "exit_reason": None if waits else "open" if is_open else "target" if (r or 0) > 0 else "stop",
        "pnl_pct": r, "r": r, "mfe_pct": None if waits else 1.0, "mae_pct": None if waits else -0.5, "bars": None if waits else 7,
        "buy_and_hold_pct": None if waits else 0.2, "opened_at": at.isoformat(), "ended_at": (at + timedelta(hours=2)).isoformat(),
    }  # fmt: skip
    side, way = draw.choice(("long", "short")), draw.choice(("order", "shadow"))
    action, followed = ("signal_wait", "none") if waits else (f"signal_entry_{side}", way)
    symbol = draw.choice(("BTC/USDT:USDT", "ETH/USDT:USDT", "SOL/USDT:USDT"))
    answer = None if waits else "filled" if followed == "order" else draw.choice(("rejected", "expired", "blocked"))
    body = {"run_id": run_id, "decided_at": at.isoformat(), "action": action, "followed": followed, "came": came, "is_final": not is_open}
    return {
        "run_id": run_id, "created_at": at.isoformat(), "flow": "decision", "subject": symbol,
        "model": draw.choice(("gpt-4o-mini", "qwen2.5-7b")), "timeframe": "15m", "action": action, "confidence": confidence, "feed": feed,
        "is_original": 1,
        "is_final": int(waits or not is_open), "is_entry": int(not waits), "decided_at": at.isoformat(), "as_of": None,
        "ended_at": None if waits or is_open else came["ended_at"], "followed": followed, "exit_reason": came["exit_reason"],
        "pnl_pct": r, "r": r, "machine_pnl_pct": None, "machine_r": None, "answer": answer, "planned": None, "body": json.dumps(body),
    }  # fmt: skip
