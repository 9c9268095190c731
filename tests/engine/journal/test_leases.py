"""Leases: one process holds a run, and of two that want it only one gets it."""

import os
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.domain.errors import StoreError
from engine.domain.run import DecideRequest, RunRecord
from engine.journal.process import is_dead, this_process
from engine.journal.store import Journal, open_journal
from engine.runs.leasing import is_free

NOW = datetime(2026, 5, 17, 9, tzinfo=UTC)
LATER = NOW + timedelta(seconds=30)


@pytest.fixture
def journal(tmp_path: Path, each_database: str | None) -> Journal:
    journal = open_journal(tmp_path / "home", each_database)
    request = DecideRequest(symbol="BTC/USDT:USDT", feed="simulated")
    journal.add_run(RunRecord(run_id="r-1", created_at=NOW, status="starting", request=request), "a:1:", LATER)
    return journal


def test_of_many_that_want_a_run_one_gets_it(journal: Journal) -> None:
    seen = journal.leases.of("r-1")
    assert seen is not None
    got: list[str] = []

    def want(owner: str) -> None:
        if journal.leases.claim(seen, owner, LATER):
            got.append(owner)

    threads = [threading.Thread(target=want, args=(f"b:{number}:",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    held = journal.leases.of("r-1")
    assert held is not None
    assert got == [held.owner]
    journal.close()


def test_a_lease_is_renewed_by_its_owner_only(journal: Journal) -> None:
    much_later = LATER + timedelta(hours=1)
    assert journal.leases.renew("b:2:", LATER + timedelta(days=9), ["r-1"]) == {"r-1"}, "it is another's"
    assert journal.leases.renew("a:1:", much_later, ["r-1"]) == set()
    held = journal.leases.of("r-1")
    assert held is not None
    assert held.until == much_later
    journal.close()


def test_who_is_not_the_owner_cannot_end_a_run(journal: Journal) -> None:
    record = journal.run("r-1")
    assert record is not None
    failed = record.model_copy(update={"status": "failed", "finished_at": NOW, "error": "no"})
    with pytest.raises(StoreError, match="taken over"):
        journal.end_run(failed, "b:2:")
    assert journal.run("r-1") == record
    journal.end_run(failed, "a:1:")
    assert journal.leases.unfinished() == []
    journal.close()


def test_a_run_is_free_when_its_process_is_gone_or_silent(journal: Journal) -> None:
    journal.leases.renew("a:1:", LATER, [])
    lease = journal.leases.of("r-1")
    assert lease is not None
    assert not is_free(lease, NOW), "another machine's, and its lease runs"
    assert is_free(lease, LATER)
    host, number, begun = this_process().split(":")
    mine = type(lease)("r-1", "running", this_process(), LATER)
    assert not is_free(mine, NOW)
    assert is_free(type(lease)("r-1", "running", f"{host}:{number}:{int(begun or 0) + 1}", LATER), NOW) == bool(begun), (
        "a number used again"
    )
    journal.leases.release("r-1", "a:1:", NOW)
    released = journal.leases.of("r-1")
    assert released is not None
    assert is_free(released, NOW)
    journal.close()


def test_a_process_that_was_killed_is_dead_before_anybody_asks_for_its_exit_code() -> None:
    child = subprocess.Popen([sys.executable, "-c", "print('up', flush=True); input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with child:
        assert child.stdout is not None
        child.stdout.readline()
        host, _, _ = this_process().partition(":")
        owner = f"{host}:{child.pid}:"
        assert not is_dead(owner)
        child.kill()
        child.stdout.read()  # ends with it
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert is_dead(owner)
