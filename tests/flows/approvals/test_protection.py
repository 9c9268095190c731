"""No position stands without its stop, and somebody is told: processes that die between fill and stop, stops and closes that are refused,
fills that come late, parts that stay open. Real processes over the loopback exchange."""

import json
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from engine.journal.store import open_journal
from tests.browser.conftest import Server
from tests.flows.shop import SYMBOL, Shop
from tests.processes import Process
from tests.servers.exchange import LoopbackExchange
from tests.servers.exchange_account import ExchangeAccount

THE_STOP, READS_ORDER = "type=STOP_MARKET", "GET /fapi/v1/order?"
DIES = """
import os, signal, sys
from engine.brokers.ccxt.guard import Guard


async def die(self, *given, **more):
    os.kill(os.getpid(), signal.SIGKILL)


Guard.ensure = die
from engine.cli.main import main
sys.exit(main(["approve", sys.argv[1]]))
"""


def comes_true(true: Callable[[], bool], within_s: float) -> bool:
    """Whether something of another process comes true."""
    until = time.monotonic() + within_s
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


@pytest.fixture
def bare(shop: Shop, venue: LoopbackExchange) -> ExchangeAccount:
    """An account whose position has lost its process between fill and stop."""
    killed = shop.python("-c", DIES, shop.propose())
    assert killed.returncode == -9
    assert (len(venue.account.positions), venue.account.stops("BTCUSDT")) == (1, 0)
    return venue.account


@pytest.mark.full
def test_a_server_that_is_started_again_protects_without_a_page(shop: Shop, bare: ExchangeAccount, tmp_path: Path) -> None:
    settings = {name: value for name, value in shop.environment.items() if name.startswith(("TRIBUNAL_", "OPENAI_"))}
    with Server(tmp_path, **settings) as server:
        assert server.home == tmp_path / "home"
        assert comes_true(lambda: bare.stops("BTCUSDT") == 1, 30), server.log.read_text(encoding="utf-8")
        bare.lose_algo(next(each["clientAlgoId"] for each in bare.open_algos() if each["orderType"] == "STOP_MARKET"))
        assert comes_true(lambda: bare.stops("BTCUSDT") == 1, 60), "and it goes on"
    assert "Traceback" not in server.log.read_text(encoding="utf-8")
    assert len(bare.orders) == 1


SLEEPS = """
import signal, sys, threading
from engine.brokers.ccxt.guard import Guard
ensure = Guard.ensure


async def sleep(self, *given, **more):
    Guard.ensure = ensure
    signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)  # this very thread, at once
    return await ensure(self, *given, **more)


Guard.ensure = sleep
from engine.cli.main import main
sys.exit(main(["approve", sys.argv[1], "--json"]))
"""


@pytest.mark.full
@pytest.mark.parametrize("stopped_out", [False, True])
def test_a_suspended_approval_is_protected_by_whoever_watches_and_doubles_nothing(
    shop: Shop, venue: LoopbackExchange, stopped_out: bool
) -> None:
    """It is suspended between the fill and the stop. What it finds when it goes on is its own stop, or that it was reached meanwhile."""
    held = venue.account
    with Process("-c", SLEEPS, shop.propose(), environment=shop.environment) as approving:
        suspended = psutil.Process(approving.pid)
        assert comes_true(lambda: suspended.status() == psutil.STATUS_STOPPED, 60)
        assert len(held.positions) == 1
        began = time.monotonic()
        guarded = shop.run("guard", "--once")
        assert time.monotonic() - began < 60, "far sooner than after the two minutes in which its process counts as gone"
        assert guarded.returncode == 0, guarded.stderr
        (stop,) = [each for each in held.open_algos() if each["orderType"] == "STOP_MARKET"]
        kinds = [json.loads(line)["alert"] for line in guarded.stderr.splitlines() if line.startswith('{"alert"')]
        assert kinds == ["no_stop", "stopped"], guarded
        if stopped_out:
            before = held.prices["BTCUSDT"]
            held.move("BTCUSDT", stop["triggerPrice"])
            held.move("BTCUSDT", str(before))
            assert held.positions == {}
        approving.send_signal(signal.SIGCONT)
        out, err = approving.communicate(timeout=60)
        assert approving.returncode == 0, err
        assert json.loads(out)["state"] == "filled"
    assert len([each for each in held.orders if not each["reduceOnly"]]) == 1
    assert len([each for each in held.algos if each["orderType"] == "STOP_MARKET"]) == (1 if not stopped_out else 2)
    assert (held.stops("BTCUSDT"), len(held.open_algos())) == ((0, 0) if stopped_out else (1, 2))
    assert shop.run("verify").returncode == 0


def test_to_be_asked_to_end_is_the_normal_end_of_guard(shop: Shop, venue: LoopbackExchange) -> None:
    assert shop.run("approve", shop.propose()).returncode == 0
    asked = len(venue.requests)
    with Process("-m", "engine", "guard", environment=shop.environment) as guarding:
        assert comes_true(lambda: len(venue.requests) > asked + 3, 60)
        guarding.terminate()
        guarding.terminate()
        _, err = guarding.communicate(timeout=60)
        assert (guarding.returncode, "error" in err) == (0, False), err


def slots_in(home: Path) -> list[str]:
    """The accounts whose slot is taken."""
    with closing(sqlite3.connect(home / "tribunal.db")) as journal:
        return [account for (account,) in journal.execute("SELECT account FROM account_slots")]


APPROVES = """
import os, signal, sys
from engine.journal.proposal_store import ProposalStore
ProposalStore.send = lambda *given, **more: os.kill(os.getpid(), signal.SIGKILL)
from engine.cli.main import main
sys.exit(main(["approve", sys.argv[1]]))
"""


@pytest.mark.full
def test_a_server_that_is_ended_waits_for_its_order(shop: Shop, venue: LoopbackExchange, tmp_path: Path) -> None:
    """What was approved and has not left, leaves with the server's start; the server is asked to end while it is being filled."""
    assert shop.python("-c", APPROVES, shop.propose()).returncode == -9
    held = venue.account
    held.slow_fills("0", end="NEW")
    settings = {name: value for name, value in shop.environment.items() if name.startswith(("TRIBUNAL_", "OPENAI_"))}
    with Server(tmp_path, **settings) as server:
        assert comes_true(lambda: len(held.orders) == 1, 60)
        assert held.positions == {}
        server.process.terminate()
        asked = venue.asked(READS_ORDER)
        assert comes_true(lambda: venue.asked(READS_ORDER) > asked + 1, 30), "it goes on asking for its order"
        venue.by_hand(lambda account: account.finish(account.orders[0]["clientOrderId"]))
        assert server.process.wait(60) == -signal.SIGTERM, "as the server of the pages ends when it is asked to"
    assert (len(held.positions), held.stops("BTCUSDT")) == (1, 1)
    assert slots_in(tmp_path / "home") == []
    assert "Traceback" not in server.log.read_text(encoding="utf-8")


COMMANDS = [
    ("runs",),
    ("verify",),
    ("proposals",),
    ("positions",),
    ("guard", "--once"),
    ("halt",),
    ("decide", SYMBOL, "--feed", "simulated"),
]


@pytest.mark.full
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_every_command_looks_after_the_account(shop: Shop, bare: ExchangeAccount, command: tuple[str, ...]) -> None:
    done = shop.run(*command, TRIBUNAL_MODEL="scripted", TRIBUNAL_PACE="0")
    assert done.returncode == 0, done.stderr
    assert (bare.stops("BTCUSDT"), len(bare.orders)) == (1, 1)


@pytest.mark.full
@pytest.mark.parametrize("command", [("runs", "--json"), ("verify",), ("halt",)], ids=lambda command: command[0])
@pytest.mark.parametrize("trouble", ["refused", "silent"])
def test_a_dead_exchange_keeps_no_command_from_its_work(
    shop: Shop, bare: ExchangeAccount, venue: LoopbackExchange, command: tuple[str, ...], trouble: str
) -> None:
    dead = {"TRIBUNAL_EXCHANGE_URL": "http://127.0.0.1:9"} if trouble == "refused" else {}
    if trouble == "silent":
        venue.slow("", 60.0)
    began = time.monotonic()
    done = shop.run(*command, sooner=command != ("halt",), **dead)
    assert time.monotonic() - began < 50, "sooner than a silent venue answers"
    assert done.returncode == 0, done.stderr
    assert "could not be checked" in done.stderr
    assert len(json.loads(done.stdout)) == 1 if "--json" in command else True


@pytest.mark.full
@pytest.mark.parametrize("closable", [True, False])
def test_approve_fails_when_the_position_is_not_protected(shop: Shop, venue: LoopbackExchange, closable: bool) -> None:
    proposal_id = shop.propose()
    venue.fail(THE_STOP, "reject", times=9999)
    if not closable:
        venue.fail("reduceOnly=true", "-2022", times=9999)
    approved = shop.run("approve", proposal_id, "--json", sooner=True)
    assert approved.returncode == 1, approved.stdout
    assert "the stop of the position of" in approved.stderr
    assert (f"NO STOP: {SYMBOL} at exchange:" in approved.stderr) == (not closable)
    assert (venue.account.positions == {}) == closable
    if closable:
        return
    read = shop.run("positions", "--json", sooner=True)
    (position,) = json.loads(read.stdout)
    assert (position["protected"], position["stop"], read.returncode) == (False, None, 1)
    listed = shop.run("positions", sooner=True)
    assert ("NO STOP" in listed.stdout, listed.returncode) == (True, 1)
    told = shop.run("guard", "--once", "--json", sooner=True)
    assert told.returncode == 1
    (account,) = json.loads(told.stdout)["accounts"]
    assert account["positions"][0]["bare_since"] is not None
    venue.heal()
    healed = shop.run("guard", "--once")
    assert healed.returncode == 0, healed.stderr
    assert venue.account.positions == {} or venue.account.stops("BTCUSDT") == 1
    assert "NO STOP" not in shop.run("positions").stdout
    kinds = [line for line in (approved.stderr + healed.stderr).splitlines() if line.startswith('{"alert"')]
    assert [json.loads(line)["alert"] for line in kinds] == ["no_stop", "stopped"]


@pytest.mark.full
def test_what_is_left_of_a_close_stays_ours_and_keeps_its_stop(shop: Shop, venue: LoopbackExchange) -> None:
    held = venue.account
    assert shop.run("approve", shop.propose()).returncode == 0
    whole = held.positions["BTCUSDT"].amount
    held.slow_fills("0.4", reads=1, end="EXPIRED")
    closed = shop.run("close", SYMBOL)
    assert closed.returncode == 1
    assert "the rest stays open" in closed.stderr
    assert 0 < held.positions["BTCUSDT"].amount < whole
    assert held.stops("BTCUSDT") == 1
    held.lose_algo(next(each["clientAlgoId"] for each in held.open_algos() if each["orderType"] == "STOP_MARKET"))
    guarded = shop.run("guard", "--once")
    assert guarded.returncode == 0, guarded.stderr
    assert "was missing: placed at" in guarded.stdout
    assert "not ours" not in guarded.stdout
    assert held.stops("BTCUSDT") == 1
    assert shop.run("close", SYMBOL).returncode == 0
    assert (held.positions, held.open_algos()) == ({}, [])


@pytest.mark.full
@pytest.mark.parametrize(
    ("settings", "code"), [({}, 0), ({"TRIBUNAL_BROKER": "exchange", "TRIBUNAL_EXCHANGE_URL": "http://127.0.0.1:9"}, 1)]
)
def test_guard_says_whether_the_account_could_be_read(shop: Shop, settings: dict[str, str], code: int) -> None:
    assert shop.run("guard", "--once", **settings).returncode == code


@pytest.mark.full
@pytest.mark.parametrize("command", [("guard", "--once"), ("positions",)], ids=lambda command: command[0])
def test_a_full_disk_keeps_nobody_from_protecting(shop: Shop, bare: ExchangeAccount, tmp_path: Path, command: tuple[str, ...]) -> None:
    """The journal takes no writes: neither the result of the entry nor the missing stop of its position can be recorded."""
    with closing(open_journal(tmp_path / "home", None)):  # somebody else has it open, as a server has: what grows is its log
        done = shop.run(*command, file_size=8 * 1024)
        assert done.returncode == 0, done.stderr
        assert bare.stops("BTCUSDT") == 1
        assert '"alert": "no_stop"' in done.stderr
    assert shop.run("guard", "--once").returncode == 0
    assert (bare.stops("BTCUSDT"), len(bare.open_algos()), len(bare.orders)) == (1, 2, 1)
    assert shop.run("verify").returncode == 0
