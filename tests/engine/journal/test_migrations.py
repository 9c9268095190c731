"""The schema of a journal: one of another version is refused and left as it is; steps are taken once, all of them or none."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection

from engine.domain.errors import StoreError
from engine.journal import migrations
from engine.journal.store import open_journal
from tests.processes import Process

OPEN = """
import sys
from pathlib import Path
from engine.journal import migrations
from engine.journal.store import open_journal

def step(connection):
    connection.exec_driver_sql("ALTER TABLE runs ADD COLUMN mood TEXT")

migrations.STEPS = (*migrations.STEPS, ("9001", step))
open_journal(Path(sys.argv[1]), None).close()
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    open_journal(tmp_path / "home", None).close()
    return tmp_path / "home"


def dump(home: Path) -> list[str]:
    with closing(sqlite3.connect(home / "tribunal.db")) as database:
        return list(database.iterdump())


def run_sql(home: Path, statement: str) -> None:
    with closing(sqlite3.connect(home / "tribunal.db")) as database, database:
        database.execute(statement)


def add_mood(connection: Connection) -> None:
    connection.exec_driver_sql("ALTER TABLE runs ADD COLUMN mood TEXT")


def break_off(connection: Connection) -> None:
    connection.exec_driver_sql("ALTER TABLE runs ADD COLUMN weather TEXT")
    raise StoreError("the power went")


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE alembic_version SET version_num = '0004'", "earlier version"),
        ("DROP TABLE alembic_version", "earlier version"),
        ("UPDATE alembic_version SET version_num = '9999'", "later version"),
    ],
)
def test_a_journal_of_another_schema_is_refused_and_not_changed(home: Path, statement: str, words: str) -> None:
    run_sql(home, statement)
    before, files = dump(home), {path.name for path in home.iterdir()}
    with pytest.raises(StoreError, match=words) as refused:
        open_journal(home, None)
    assert str(home / "tribunal.db") in str(refused.value)
    assert dump(home) == before
    assert {path.name for path in home.iterdir()} == files


def test_steps_that_break_off_leave_the_journal_as_it_was(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = dump(home)
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "STEPS", (*migrations.STEPS, ("9001", add_mood), ("9002", break_off)))
        with pytest.raises(StoreError, match="the power went"):
            open_journal(home, None)
    assert dump(home) == before
    open_journal(home, None).close()


@pytest.mark.full
def test_a_step_is_taken_once_however_many_processes_want_it(home: Path) -> None:
    starts = [Process("-c", OPEN, str(home)) for _ in range(8)]
    told = [process.communicate(timeout=60)[1] for process in starts]
    assert [process.returncode for process in starts] == [0] * 8, told
    with closing(sqlite3.connect(home / "tribunal.db")) as database:
        assert database.execute("SELECT version_num FROM alembic_version").fetchall() == [("9001",)]
        columns = [row[1] for row in database.execute("PRAGMA table_info(runs)")]
    assert columns.count("mood") == 1
    with pytest.raises(StoreError, match="later version"):
        open_journal(home, None)
