"""What takes risk away works while the journal cannot be written, binds every process, and is in the journal once it can be again."""

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from engine.api import WantedLevels
from engine.domain.clock import utc_now
from engine.domain.errors import NotAllowed, StoreError
from engine.domain.orders import Order
from engine.domain.proposal import Proposal
from engine.journal import close_orders, database, halt_flag, private_files
from engine.journal.chain import Chain
from engine.journal.close_orders import CloseOrders
from engine.journal.halt_flag import HaltFlag
from engine.journal.secret import id_of
from engine.journal.spare_folder import fallback_folder
from engine.journal.store import open_journal
from tests.flows.answers import executor
from tests.flows.desk import SYMBOL, Desk, fills_in
from tests.flows.shop import Shop
from tests.flows.test_resume import Shell
from tests.processes import Completed
from tests.servers.exchange import LoopbackExchange

Undo = Callable[[], None]


@pytest.fixture
def shell(desk: Desk) -> Iterator[Shell]:
    yield Shell(desk.home, desk.server)
    shutil.rmtree(fallback_folder(desk.home), ignore_errors=True)


def emptied_head(home: Path) -> Undo:
    kept = (home / "audit.head").read_text()
    (home / "audit.head").write_text("")
    return lambda: (home / "audit.head").write_text(kept) and None


def lost_secret(home: Path) -> Undo:
    kept = (home / "secret").read_text()
    (home / "secret").unlink()
    return lambda: (home / "secret").write_text(kept) and None


def open_secret(home: Path) -> Undo:
    (home / "secret").chmod(0o644)
    return lambda: (home / "secret").chmod(0o600)


def kinds(home: Path) -> Counter[str]:
    """How many rows of a kind the chain has."""
    with closing(sqlite3.connect(home / "tribunal.db")) as connection:
        return Counter(kind for (kind,) in connection.execute("SELECT kind FROM audit"))


def held_position(desk: Desk) -> Proposal:
    """A position stands; gives another proposal that waits."""
    desk.trading.approve(desk.propose().id, "somebody")
    return desk.propose(executor("SCALE_IN", adjustment=30, stop=98, target=106), risk={"max_position_pct": 60.0})


def halt_and_look(run: Callable[..., Completed], desk: Desk) -> None:
    """Trading is halted, the account is read, and nothing is done to it that could not be written down."""
    listed = run("positions", "--json")
    assert listed.returncode == 0, listed.stderr
    (position,) = json.loads(listed.stdout)
    assert position["symbol"] == SYMBOL
    halted = run("halt", "--why", "something is wrong", "--json")
    assert halted.returncode == 0, halted.stderr
    assert json.loads(halted.stdout)["halted"]
    found = desk.trading.halted()
    assert found is not None, "it binds a process that has been running for long"
    assert found.why == "something is wrong"
    for command in (["close", SYMBOL], ["unhalt"]):
        refused = run(*command)
        assert refused.returncode == 1
        assert refused.stderr.strip()
        assert "Traceback" not in refused.stderr
    assert desk.trading.halted() is not None
    assert json.loads(run("positions", "--json").stdout) == [position]


def check_recovered(shell: Shell, home: Path, before: Counter[str]) -> None:
    """Nothing was doubled, the position is closed once, and the halt is in the chain before what ends it."""
    fills = fills_in(home)
    closed = shell.run("close", SYMBOL, "--json")
    assert closed.returncode == 0, closed.stderr
    assert fills_in(home) == [*fills, json.loads(closed.stdout)["client_id"]]
    assert shell.run("close", SYMBOL).returncode == 1
    assert json.loads(shell.run("positions", "--json").stdout) == []
    assert open_journal_halted(home) == "something is wrong"
    assert shell.run("unhalt").returncode == 0
    assert open_journal_halted(home) is None
    gained = kinds(home) - before
    assert (gained["halt"], gained["unhalt"], gained["order.written"], gained["order.filled"]) == (1, 1, 1, 1)
    assert not list(home.glob("halted*"))
    verified = shell.run("verify")
    assert verified.returncode == 0, verified.stderr


def open_journal_halted(home: Path) -> str | None:
    with closing(open_journal(home, None)) as journal:
        row = journal.audit.halted()
    return row.why if row is not None else None


@pytest.mark.full
@pytest.mark.parametrize("damage", [emptied_head, lost_secret, open_secret])
def test_trading_is_halted_without_a_chain(desk: Desk, shell: Shell, damage: Callable[[Path], Undo]) -> None:
    waiting, before = held_position(desk), kinds(desk.home)
    undo = damage(desk.home)
    halt_and_look(shell.run, desk)
    assert kinds(desk.home) == before, "nothing is written to a chain that cannot be signed"
    with pytest.raises(NotAllowed, match="halted"):
        desk.trading.approve(waiting.id, "somebody")
    approved = shell.run("approve", waiting.id)
    assert approved.returncode == 1
    undo()
    check_recovered(shell, desk.home, before)


def test_trading_is_halted_on_a_full_disk(desk: Desk, shell: Shell) -> None:
    held_position(desk)
    before = kinds(desk.home)
    with closing(open_journal(desk.home, None)):  # somebody else has it open, as a server has: what grows is its log
        halt_and_look(lambda *arguments: shell.run(*arguments, file_size=8 * 1024), desk)
        assert kinds(desk.home) == before
    check_recovered(shell, desk.home, before)


@pytest.mark.full
def test_trading_is_halted_while_somebody_holds_the_journal(desk: Desk, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    held_position(desk)
    before = kinds(desk.home)
    monkeypatch.setattr(database, "BUSY_MS", 100)
    hasty = desk.another()
    with closing(sqlite3.connect(desk.home / "tribunal.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        hasty.trading.halt("somebody", "something is wrong")
        assert desk.trading.halted() is not None
        assert [each.position.symbol for each in hasty.trading.positions()] == [SYMBOL]
        with pytest.raises(StoreError):
            hasty.trading.close_position(SYMBOL, "somebody")
        with pytest.raises(StoreError):
            hasty.trading.unhalt("somebody")
        other.execute("ROLLBACK")
    check_recovered(shell, desk.home, before)


def test_an_exchange_position_is_closed_on_a_full_disk(shop: Shop, venue: LoopbackExchange, tmp_path: Path) -> None:
    """Beside a stranger's part: what was closed is ours, and nothing of theirs is taken for ours later."""
    assert shop.run("approve", shop.propose()).returncode == 0
    account, home = venue.account, tmp_path / "home"
    ours = account.positions["BTCUSDT"].amount
    account.trade("BTCUSDT", "BUY", "0.5")
    with closing(open_journal(home, None)):
        closed = shop.run("close", SYMBOL, "--ours", "--json", file_size=8 * 1024)
        assert closed.returncode == 0, closed.stderr
        told = json.loads(closed.stdout)
        assert (told["state"], told["filled"]) == ("filled", float(ours))
        assert f"order {told['client_id']} is sent all the same" in closed.stderr
        assert kinds(home)["order.written"] == 1, "the entry's"
        (note,) = home.glob("unrecorded/*.json")
        again = shop.run("close", SYMBOL, "--ours", "--json", file_size=8 * 1024)
        assert (again.returncode, "none of the 0.5 BTC/USDT:USDT is ours" in again.stderr) == (2, True), again.stderr
        assert (oct(note.stat().st_mode & 0o777), oct(note.parent.stat().st_mode & 0o777)) == ("0o600", "0o700")
    ordered = len(account.orders)
    guarded = shop.run("guard", "--once")
    assert "the position is not ours and was left alone" in guarded.stderr
    refused = shop.run("close", SYMBOL)
    assert (refused.returncode, "none of the 0.5 BTC/USDT:USDT is ours" in refused.stderr) == (2, True), refused.stderr
    assert (account.positions["BTCUSDT"].amount, len(account.orders), account.open_algos()) == (Decimal("0.5"), ordered, [])
    with closing(sqlite3.connect(home / "tribunal.db")) as connection:
        ((report,),) = connection.execute("SELECT report FROM orders WHERE client_id = ?", (told["client_id"],)).fetchall()
    assert json.loads(report)["state"] == "filled", "the venue said what became of it"
    assert not list(home.glob("unrecorded/*"))
    assert shop.run("verify").returncode == 0


@pytest.mark.full
@pytest.mark.parametrize(
    ("commits", "words", "orders"),
    [
        (1, "is approved, but its order has not been sent", 0),
        (2, "its outcome is not known yet", 0),
        (3, "filled, 50 at 100.02", 1),
        (4, "filled, 50 at 100.02", 1),
        (5, "", 1),
    ],
)
def test_who_approves_is_told_what_was_ordered_when_somebody_takes_the_journal_meanwhile(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, commits: int, words: str, orders: int
) -> None:
    """commits: of the approval, after which it is taken. Nothing is ordered twice, and it is found out in the end."""
    proposal, seen = desk.propose(), [0]
    monkeypatch.setattr(database, "BUSY_MS", 50)  # a run, whose threads wait for one another, is over by now
    hasty = desk.another().trading
    with closing(sqlite3.connect(desk.home / "tribunal.db", isolation_level=None, check_same_thread=False)) as other:
        keep = Chain.keep_head

        def kept(*given: Any) -> None:
            keep(*given)
            seen[0] += 1
            if seen[0] == commits:
                other.execute("BEGIN IMMEDIATE")

        monkeypatch.setattr(Chain, "keep_head", kept)
        if words:
            with pytest.raises(StoreError, match=words) as told:
                hasty.approve(proposal.id, "somebody")
            assert proposal.id in str(told.value)
        else:
            assert hasty.approve(proposal.id, "somebody").state == "filled"
        assert len(hasty.positions()) == orders
        if words and orders:
            with pytest.raises(NotAllowed, match="the outcome of an order in"):  # and not that it was opened elsewhere
                hasty.propose_levels(WantedLevels(SYMBOL, 99.0), "somebody")
        other.execute("ROLLBACK")
    monkeypatch.setattr(Chain, "keep_head", keep)
    hasty.recover()
    assert desk.trading.proposal(proposal.id).state == "filled"
    assert len(desk.fills()) == 1
    assert desk.trading.faults() == []


@pytest.mark.full
def test_a_halt_finds_room_where_nothing_else_does(desk: Desk, shell: Shell) -> None:
    """No file may have a single byte."""
    waiting = desk.propose()
    halted = shell.run("halt", file_size=0)
    assert halted.returncode == 0, halted.stderr
    assert (desk.home / "halted").stat().st_size == 0
    with pytest.raises(NotAllowed, match="halted"):
        desk.trading.approve(waiting.id, "somebody")
    desk.trading.unhalt("somebody")
    assert desk.trading.approve(waiting.id, "somebody").state == "filled"


@pytest.mark.full
def test_a_halt_that_the_journal_lost_binds_all_the_same(desk: Desk, shell: Shell) -> None:
    """It is read back before it is said: a database that takes a row and does not keep it has not halted anything."""
    waiting = desk.propose()
    with closing(sqlite3.connect(desk.home / "tribunal.db")) as journal:
        journal.execute("CREATE TRIGGER lost AFTER INSERT ON audit WHEN NEW.kind = 'halt' BEGIN DELETE FROM audit WHERE seq = NEW.seq; END")
    halted = shell.run("halt", "--why", "something is wrong")
    assert halted.returncode == 0, halted.stderr
    assert "cannot be read back" in halted.stderr
    assert (desk.home / "halted").exists()
    with pytest.raises(NotAllowed, match="halted"):
        desk.trading.approve(waiting.id, "somebody")


def test_a_halt_that_can_stand_nowhere_says_so(desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("engine.journal.spare_folder.SPARE", tmp_path / "nowhere")
    emptied_head(desk.home)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("engine.journal.halt_flag.make_private", full)
    with pytest.raises(StoreError, match="halted in this process only"):
        desk.trading.halt("somebody", "why")
    assert desk.trading.halted() is not None


CLOSES = Order(client_id="tb-close-0001", symbol=SYMBOL, side="sell", amount=Decimal("0.1"), reduce_only=True)
ACCOUNT = "exchange:binanceusdm:sandbox"


@pytest.mark.full
def test_a_home_that_takes_nothing_has_a_spare_place(desk: Desk, shell: Shell) -> None:
    held_position(desk)
    before, undo = kinds(desk.home), emptied_head(desk.home)

    def refuses(there: Callable[..., Any]) -> Callable[..., Any]:
        def tried(path: Path, *given: Any) -> Any:
            if path.is_relative_to(desk.home):
                raise OSError(30, "Read-only file system")
            return there(path, *given)

        return tried

    journal = desk.engine._container.journal
    with pytest.MonkeyPatch.context() as patched:
        for room, name in ((close_orders, "make_whole"), (halt_flag, "make_private")):
            patched.setattr(room, name, refuses(getattr(private_files, name)))
        desk.trading.halt("somebody", "something is wrong")
        assert journal.close_orders.write(CLOSES, ACCOUNT, f"close {SYMBOL}", "somebody")
        assert not journal.close_orders.write(CLOSES, ACCOUNT, f"close {SYMBOL}", "somebody"), "once, whoever asks"
    spare, journal_id = fallback_folder(desk.home), id_of(bytes.fromhex((desk.home / "secret").read_text()))
    named = {f"unrecorded.{journal_id}": "0o700", f"halted.{journal_id}": "0o600"}
    assert oct(spare.stat().st_mode & 0o777) == "0o700"
    assert {path.name: oct(path.stat().st_mode & 0o777) for path in spare.iterdir()} == named
    assert shell.run("unhalt").returncode == 1
    undo()
    assert journal.audit.halted() is not None
    assert shell.run("unhalt").returncode == 0
    assert list(spare.glob("*/*")) == []
    assert journal.audit.halted() is None
    assert not journal.close_orders.has_notes
    found = journal.proposal_store.order(CLOSES.client_id)
    assert found is not None
    assert found[0] == CLOSES
    assert (kinds(desk.home) - before)["halt"] == 1
    assert shell.run("verify").returncode == 0


@pytest.mark.parametrize("with_secret", [True, False])
def test_what_waits_in_the_spare_place_is_of_one_journal_and_not_of_whatever_has_its_path(tmp_path: Path, with_secret: bool) -> None:
    home = tmp_path / "home"
    open_journal(home, None).close()
    if not with_secret:
        lost_secret(home)
    spare = fallback_folder(home)
    spare.mkdir(mode=0o700)
    journal_id = id_of(bytes.fromhex((home / "secret").read_text()) if with_secret else None)
    try:
        with pytest.MonkeyPatch.context() as patch, closing(open_journal(home, None, degraded=True)) as same:
            emptied_head(home)
            patch.setattr(close_orders, "usable_folders", lambda _home, *, make: [spare])
            patch.setattr(halt_flag, "usable_folders", lambda _home, *, make: [spare])
            notes = CloseOrders(same.proposal_store, home, "", journal_id, utc_now)
            assert notes.write(CLOSES, ACCOUNT, f"close {SYMBOL}", "somebody")
            assert HaltFlag(home, "", journal_id).raise_flag(utc_now(), "somebody", "")
        with closing(open_journal(home, None, degraded=True)) as same:
            assert same.audit.halted() is not None, "whoever cannot read the secret heeds whatever is there"
        shutil.rmtree(home)
        with closing(open_journal(home, None)) as another:
            halted = another.audit.halted()
            assert (halted is None) == with_secret, "of a halt whose journal is not known it is not known either: it binds"
            assert not another.close_orders.has_notes
        if with_secret:
            assert len(list(spare.iterdir())) == 2, "they wait for their own"
    finally:
        shutil.rmtree(spare)


def test_a_death_between_the_journal_and_the_note_writes_nothing_twice(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with closing(open_journal(home, None)) as journal:
        undo = emptied_head(home)
        assert journal.close_orders.write(CLOSES, ACCOUNT, f"close {SYMBOL}", "somebody")
        (note,) = home.glob("unrecorded/*.json")
        kept = note.read_bytes()
        with pytest.raises(StoreError):
            journal.close_orders.take_in()
        assert journal.close_orders.has_notes
        undo()
        assert journal.close_orders.take_in() == 1
        note.write_bytes(kept)
        assert "has not been taken into it yet" in journal.trouble()
        assert journal.close_orders.take_in() == 1
        assert journal.trouble() == ""
        assert not journal.close_orders.write(CLOSES, ACCOUNT, f"close {SYMBOL}", "somebody")
        assert journal.audit.faults() == []
    assert kinds(home)["order.written"] == 1


@pytest.mark.full
@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_journal_taken_away_under_a_running_desk_orders_nothing(desk: Desk, how: str) -> None:
    waiting, file = desk.propose(), desk.home / "tribunal.db"
    with closing(open_journal(desk.home.parent / "other", None)):
        pass
    if how == "replaced":
        (desk.home.parent / "other" / "tribunal.db").replace(file)
    else:
        file.unlink()
    assert "deleted or replaced" in desk.trading.journal_trouble()
    requests: list[Callable[[], Any]] = [
        lambda: desk.trading.approve(waiting.id, "somebody"),
        desk.decide,
        lambda: desk.trading.unhalt("somebody"),
    ]
    for act in requests:
        with pytest.raises(StoreError, match="deleted or replaced"):
            act()
    desk.trading.halt("somebody", "the journal is gone")
    assert desk.trading.halted() is not None
    assert file.exists() == (how == "replaced"), "it is not made anew"


def test_what_adds_risk_is_never_noted(desk: Desk) -> None:
    emptied_head(desk.home)
    order = Order(client_id="tb-12345678", symbol=SYMBOL, side="buy", amount=Decimal("0.1"))
    with closing(open_journal(desk.home, None)) as journal, pytest.raises(ValueError, match="adds risk"):
        journal.close_orders.write(order, ACCOUNT, f"close {SYMBOL}", "somebody")
    assert "audit.head is missing or damaged" in desk.trading.journal_trouble()
