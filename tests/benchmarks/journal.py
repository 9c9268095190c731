"""What the journal costs: its page with 20,000 decisions, to the same page with 200, as it opens and sorted by result.

Decisions and their outcomes are written straight into the journal, from a fixed seed; the page is run without a browser, whose part does
not depend on how many there are: it is sent fifty lines. Each run finds Streamlit's cache empty, as whoever opens the page does.
"""

import json
import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.benchmarks.measured import Measured
from tests.conftest import ROOT

FEW, MANY, ROUNDS = 200, 20_000, 15
SORTS = {"newest": "the journal's page with 20,000 decisions", "best": "the same, sorted by result"}
START = datetime(2026, 1, 1, tzinfo=UTC)
_OPENED = """
import sys, time
import streamlit as st
from streamlit.testing.v1 import AppTest
from engine.api import Engine

Engine.watch_over = lambda engine: None  # what a server does in the background meanwhile is not the page's
page = AppTest.from_file("pages/views/journal.py", default_timeout=120)
for line in sys.stdin:
    page.query_params["sort"] = line.strip()
    st.cache_data.clear()
    begun, worked = time.perf_counter(), time.process_time()
    page.run()
    print(time.perf_counter() - begun, time.process_time() - worked, flush=True)
    assert not page.exception, page.exception
"""


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


def measure(folder: Path) -> Iterator[Measured]:
    """folder: a place of its own."""
    with ExitStack() as stack:
        pages = {count: stack.enter_context(_page(folder / f"journal-{count}", count)) for count in (FEW, MANY)}
        for sort, words in SORTS.items():
            for page in pages.values():
                _opened(page, sort)  # the first one imports
            took, shares = [], []
            for _ in range(ROUNDS):  # in turns: whatever else the machine does slows down both
                (_, few), (wall, many) = _opened(pages[FEW], sort), _opened(pages[MANY], sort)
                took.append(wall)
                shares.append(many / few)
            yield Measured(f"{words}, run without a browser", "s", took)
            yield Measured(f"{words}, processor time to that of the page with 200", "x", shares, 1.5)


@contextmanager
def _page(home: Path, count: int) -> Iterator["subprocess.Popen[str]"]:
    """The page of a journal with so many decisions, in a process that runs it whenever it is told to."""
    home.mkdir()
    fill(home, count)
    environment = {**os.environ, "TRIBUNAL_HOME": str(home), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "ignore", "-c", _OPENED]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=ROOT, env=environment, text=True, **pipes) as page:  # type: ignore[call-overload]
        yield page
        page.kill()


def _opened(page: "subprocess.Popen[str]", sort: str) -> tuple[float, float]:
    """Run the page once. Returns how long it took, and how long a processor worked for it, seconds."""
    assert page.stdin is not None
    assert page.stdout is not None
    page.stdin.write(f"{sort}\n")
    page.stdin.flush()
    wall, worked = page.stdout.readline().split()
    return float(wall), float(worked)


if __name__ == "__main__":
    begun = time.perf_counter()
    fill(Path(sys.argv[1]), int(sys.argv[2]))
    print(f"{time.perf_counter() - begun:.1f} s", os.getpid())
