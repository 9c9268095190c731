"""The home of an installation: begun by several at once, readable by its owner only, and missed when it is taken away."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from engine.domain.errors import StoreError
from engine.journal.store import open_journal
from tests.processes import PIPE, Process

OPENS = """
import sys
from pathlib import Path
from engine.journal.store import open_journal
print("ready", flush=True)
sys.stdin.readline()
journal = open_journal(Path(sys.argv[1]), None)
journal.audit.note("started", sys.argv[2], "test", "")
journal.close()
"""


def ended(process: Process) -> str:
    """What a process wrote to stderr, when it failed."""
    _, told = process.communicate(timeout=60)
    return told if process.returncode else ""


def test_eight_first_starts_at_once_all_work(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    with ExitStack() as stack:
        started = [stack.enter_context(Process("-c", OPENS, str(home), str(number), stdin=PIPE)) for number in range(8)]
        for each in started:
            assert each.stdout is not None
            assert each.stdout.readline() == "ready\n"
        for each in started:
            assert each.stdin is not None
            each.stdin.write("go\n")
            each.stdin.flush()
        assert [ended(each) for each in started] == [""] * 8
    with closing(open_journal(home, None)) as journal:
        assert journal.audit.faults() == []
        assert len(journal.audit.history()) == 8


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def modes(home: Path) -> dict[str, str]:
    return {path.name: oct(path.stat().st_mode & 0o777) for path in home.iterdir() if path.is_file()}


def test_what_is_kept_is_for_its_owner_only(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    with umask(0o000), closing(open_journal(home, None)) as journal:
        journal.audit.note("note", "somebody", "something", "")
        found = modes(home)
        assert {"tribunal.db", "tribunal.db-wal", "tribunal.db-shm", "secret", "audit.head"} <= found.keys()
        assert set(found.values()) == {"0o600"}


def test_a_home_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path, None)) as first:
        first.audit.note("note", "somebody", "something", "")
        for name in ("tribunal.db", "tribunal.db-wal", "tribunal.db-shm", "audit.head"):
            (tmp_path / name).chmod(0o644)
        with closing(open_journal(tmp_path, None)) as journal:
            journal.audit.note("note", "somebody", "something", "")
            assert set(modes(tmp_path).values()) == {"0o600"}


def test_a_death_between_the_first_writes_leaves_a_home_that_can_be_used(tmp_path: Path) -> None:
    """The end of the empty chain is kept in its file, and the journal never got it."""
    open_journal(tmp_path, None).close()
    with closing(sqlite3.connect(tmp_path / "tribunal.db")) as database:
        database.execute("DELETE FROM audit_head")
        database.commit()
    with closing(open_journal(tmp_path, None)) as journal:
        journal.audit.note("note", "somebody", "something", "")
        assert journal.audit.faults() == []


@pytest.mark.parametrize("how", ["replaced", "moved"])
def test_a_journal_that_is_taken_away_is_missed_and_not_made_anew(tmp_path: Path, how: str) -> None:
    file = tmp_path / "tribunal.db"
    with closing(open_journal(tmp_path, None)) as journal:
        journal.audit.note("note", "somebody", "something", "")
        if how == "moved":
            file.rename(tmp_path / "elsewhere.db")
        else:
            with closing(sqlite3.connect(tmp_path / "other.db")) as other:
                other.execute("CREATE TABLE another (a)")
            (tmp_path / "other.db").replace(file)
        before = file.stat() if file.exists() else None
        for act in (lambda: journal.audit.note("note", "somebody", "something", ""), journal.runs, journal.proposal_store.proposals):
            with pytest.raises(StoreError, match=r"tribunal\.db.*deleted or replaced"):
                act()
        assert (file.stat() if file.exists() else None) == before
        if how == "moved":
            (tmp_path / "elsewhere.db").rename(file)
            journal.audit.note("note", "somebody", "it is back", "")


def test_a_journal_that_is_gone_at_the_start_is_not_made_anew(tmp_path: Path) -> None:
    open_journal(tmp_path, None).close()
    for path in tmp_path.glob("tribunal.db*"):
        path.unlink()
    with pytest.raises(StoreError, match=r"tribunal\.db is gone"):
        open_journal(tmp_path, None)
    assert not (tmp_path / "tribunal.db").exists()


def test_a_write_that_went_into_a_deleted_file_is_not_called_written(tmp_path: Path) -> None:
    """It was deleted in the middle of the transaction."""
    with (
        closing(open_journal(tmp_path, None)) as journal,
        pytest.raises(StoreError, match="deleted or replaced"),
        journal._database.talking("write to"),
    ):
        (tmp_path / "tribunal.db").unlink()
