"""Another clock in place of the system's holds for every thread and for objects made before, and goes when its block ends."""

import threading
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import make_url

from engine.domain.clock import use_clock, utc_now
from engine.journal.store import Journal

NEW_YEAR = datetime(2026, 12, 31, 23, 59, 30, tzinfo=UTC)
LEAP_DAY = datetime(2028, 2, 29, 23, 59, 30, tzinfo=UTC)


def test_another_clock_holds_in_every_thread_and_for_what_was_made_before(tmp_path: Path) -> None:
    journal = Journal(make_url(f"sqlite:///{tmp_path / 'journal.sqlite'}"), tmp_path)
    said: list[datetime] = []
    with use_clock(lambda: NEW_YEAR):
        thread = threading.Thread(target=lambda: said.append(utc_now()))
        thread.start()
        thread.join()
        with use_clock(lambda: LEAP_DAY):
            said.append(utc_now())
        journal.audit.note("halt", "tester", "trading", "the year ends")
    assert said == [NEW_YEAR, LEAP_DAY]
    assert journal.audit.history("trading")[0].at == NEW_YEAR
