"""The audit chain: whatever is done to rows behind its back is noticed, and the first bad row is named."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.domain.errors import StoreError
from engine.domain.ledger import LedgerEntry
from engine.domain.orders import Order, OrderReport
from engine.journal.store import Journal, open_journal

COLUMNS = "at, who, kind, subject, why, data, digest, before, seal"
AT = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """A journal in which somebody has traded: ten rows of the chain."""
    made = open_journal(tmp_path, None)
    for number in range(3):
        made.audit.switch("halt", f"person {number}", "to see")
        made.audit.switch("unhalt", f"person {number}", "seen")
    order = Order(client_id="tb-12345678", symbol="BTC/USDT:USDT", side="buy", amount="0.1")
    made.proposal_store.write_order(order, "paper:simulated:0", "p-1", "somebody")
    made.proposal_store.report(OrderReport(client_id=order.client_id, state="filled", at=AT, filled="0.1", price="100"))
    assert made.ledger.append("paper:simulated:0", 0, [LedgerEntry(kind="deposit", at=AT, cash="100")])
    assert made.ledger.append("paper:simulated:0", 1, [LedgerEntry(kind="deposit", at=AT, cash="50")])
    yield made
    made.close()


def do(folder: Path, *statements: str) -> None:
    """What somebody with the file at hand does."""
    with closing(sqlite3.connect(folder / "tribunal.db")) as connection:
        for statement in statements:
            assert connection.execute(statement).rowcount != 0
        connection.commit()


@pytest.mark.parametrize(
    ("statements", "names"),
    [
        (["UPDATE audit SET who = 'another' WHERE seq = 4"], "row 4 "),
        (["DELETE FROM audit WHERE seq = 3"], "row 3 is missing"),
        ([f"UPDATE audit SET seq = {to} WHERE seq = {at}" for at, to in ((5, 99), (6, 5), (99, 6))], "row 5 "),
        (["DELETE FROM audit WHERE seq >= 9"], "row 9 is missing"),
        (["UPDATE orders SET body = replace(body, '0.1', '9.1')"], "row 7 "),
        (["INSERT INTO orders SELECT 'tb-87654321', account, subject, written_at, body, report FROM orders"], "tb-87654321"),
        (["UPDATE paper_ledger SET body = replace(body, '50', '5000') WHERE seq = 2"], "row 10 "),
    ],
)  # fmt: skip
def test_what_was_done_behind_its_back_is_named(journal: Journal, tmp_path: Path, statements: list[str], names: str) -> None:
    do(tmp_path, *statements)
    found = journal.audit.faults()
    assert found
    assert names in found[0]


def test_a_chain_that_was_written_anew_as_a_whole_is_noticed(journal: Journal, tmp_path: Path) -> None:
    """All seals agree with one another, but the secret that signs the end is another one."""
    elsewhere = open_journal(tmp_path / "elsewhere", None)
    elsewhere.audit.switch("halt", "nobody", "")
    elsewhere.close()
    with closing(sqlite3.connect(tmp_path / "tribunal.db")) as connection:
        connection.execute("ATTACH ? AS other", (str(tmp_path / "elsewhere" / "tribunal.db"),))
        for table in ("audit", "audit_head", "orders", "paper_ledger"):
            connection.execute(f"DELETE FROM {table}")
            connection.execute(f"INSERT INTO {table} SELECT * FROM other.{table}")
        connection.commit()
    assert "not signed" in journal.audit.faults()[0] or "cut off" in journal.audit.faults()[0]


def test_what_was_done_to_it_is_not_made_good_by_writing_on(journal: Journal, tmp_path: Path) -> None:
    """To a chain that does not end as it was signed nothing is written, and it stays accused; the kill switch works beside it."""
    do(tmp_path, "DELETE FROM audit WHERE seq = 10", "UPDATE audit_head SET seq = 9, seal = (SELECT seal FROM audit WHERE seq = 9)")
    with pytest.raises(StoreError, match="verify"):
        journal.audit.note("note", "somebody", "something", "")
    with pytest.raises(StoreError, match="verify"):
        journal.ledger.append("paper:simulated:0", 2, [LedgerEntry(kind="deposit", at=AT, cash="1")])
    rows = len(journal.audit.history())
    journal.audit.switch("halt", "somebody", "something is wrong")
    assert journal.audit.halted() is not None
    assert journal.audit.faults()
    assert len(journal.audit.history()) == rows


def test_the_kept_end_is_missed(journal: Journal, tmp_path: Path) -> None:
    (tmp_path / "audit.head").unlink()
    assert "end of the audit chain is missing" in journal.audit.faults()[0]
    with pytest.raises(StoreError, match="verify"):
        journal.audit.note("note", "somebody", "something", "")


def test_a_journal_brought_back_from_an_older_day_is_noticed(journal: Journal, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "tribunal.db")) as now, closing(sqlite3.connect(tmp_path / "old.db")) as old:
        now.backup(old)
        journal.audit.switch("halt", "somebody", "since then")
        old.backup(now)
    assert "row 11 is missing" in journal.audit.faults()[0]


def put_back(home: Path, older: Path) -> None:
    """What somebody does who brings a whole home back."""
    shutil.rmtree(home)
    shutil.copytree(older, home)


def of_a_day(home: Path) -> None:
    """A journal in which trading was halted and allowed again."""
    with closing(open_journal(home, None)) as journal:
        journal.audit.switch("halt", "somebody", "for the night")
        journal.audit.switch("unhalt", "somebody", "a new day")


@pytest.mark.parametrize("how", ["put back and written on", "emptied"])
def test_a_home_that_was_put_back_or_emptied_as_a_whole_is_noticed(tmp_path: Path, caplog: pytest.LogCaptureFixture, how: str) -> None:
    """With its secret and both ends of its chain: everything in it agrees with itself."""
    home, older = tmp_path / "home", tmp_path / "older"
    of_a_day(home)
    shutil.copytree(home, older)
    of_a_day(home)
    assert caplog.text == ""
    if how.startswith("emptied"):
        shutil.rmtree(home)
    else:
        put_back(home, older)
    if how.endswith("written on"):
        for _ in range(3):
            of_a_day(home)
    caplog.clear()
    with closing(open_journal(home, None)) as journal:
        (fault,) = journal.audit.faults()
        assert "row 4 (" in fault
        assert "put back to an earlier day, emptied or written anew" in caplog.text, "said at the start"
        assert journal.trouble() == "", "it is said, and nothing else: to begin anew is everybody's right"
        file = Path(fault.partition("noted in ")[2].partition(";")[0])
        file.unlink()
        assert journal.audit.faults() == []
        journal.audit.note("note", "somebody", "something", "")
        assert file.exists(), "from here on it is noted again"
    other = tmp_path / "other"
    of_a_day(other)
    with closing(open_journal(other, None)) as journal:
        assert journal.audit.faults() == [], "of another home nothing is said"


@pytest.mark.parametrize("place", ["a file", "relative"])
def test_without_a_state_folder_the_journal_works_and_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, place: str
) -> None:
    state = tmp_path / "state"
    if place == "a file":
        state.write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(state) if place != "relative" else "state")
    monkeypatch.setenv("HOME", "/proc/1/nowhere")
    of_a_day(tmp_path / "home")
    with closing(open_journal(tmp_path / "home", None)) as journal:
        assert journal.audit.faults() == []
    assert caplog.text.count("cannot be noted outside TRIBUNAL_HOME") == 1


def test_the_secret_is_its_owners_and_different_everywhere(tmp_path: Path) -> None:
    one, other = (open_journal(tmp_path / name, None) for name in ("one", "other"))
    secrets = [(tmp_path / name / "secret").read_text() for name in ("one", "other")]
    assert secrets[0] != secrets[1]
    assert (tmp_path / "one" / "secret").stat().st_mode & 0o777 == 0o600
    for each in (one, other):
        each.close()
    (tmp_path / "one" / "secret").chmod(0o644)
    with pytest.raises(StoreError, match="0600"):
        open_journal(tmp_path / "one", None)


def test_writers_of_several_processes_stand_in_line(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    journals = [open_journal(tmp_path, None) for _ in range(4)]

    def write(number: int) -> None:
        journals[number % 4].audit.switch("halt" if number % 2 else "unhalt", f"person {number}", "")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(60)))
    rows = journals[0].audit.history(limit=100)
    assert sorted(row.seq for row in rows) == list(range(1, 61))
    assert journals[0].audit.faults() == []
    for each in journals:
        each.close()


def test_one_account_has_one_history(journal: Journal) -> None:
    """Of two that append behind the same entry one is told that it was too late."""
    entry = LedgerEntry(kind="deposit", at=AT, cash="1")
    assert journal.ledger.append("paper:simulated:0", 2, [entry])
    assert not journal.ledger.append("paper:simulated:0", 2, [entry])
    assert journal.audit.faults() == []


def test_a_halt_that_could_not_be_written_is_in_the_chain_before_what_ends_it(journal: Journal, tmp_path: Path) -> None:
    head = tmp_path / "audit.head"
    kept = head.read_text()
    head.write_text("")
    journal.audit.switch("halt", "somebody", "something is wrong")
    with pytest.raises(StoreError):
        journal.audit.switch("unhalt", "somebody", "")
    assert journal.audit.halted() is not None
    head.write_text(kept)
    assert journal.audit.halted() is not None
    journal.audit.switch("unhalt", "somebody", "")
    assert journal.audit.halted() is None
    assert [(row.kind, row.why) for row in journal.audit.history(limit=2)] == [("unhalt", ""), ("halt", "something is wrong")]
    assert journal.audit.faults() == []
