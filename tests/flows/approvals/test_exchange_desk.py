"""An exchange's account from the shell: decided on live candles, approved, placed with its stop, closed; and when answers get lost."""

import json
import sqlite3
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest

from tests.flows.shop import SYMBOL, Shop
from tests.servers.exchange import LoopbackExchange
from tests.servers.exchange_account import ExchangeAccount

DIES = """
import os, signal, sys
from engine.brokers.ccxt.broker import ExchangeBroker
place_order = ExchangeBroker.place_order


async def die(self, *given):
    if sys.argv[1] == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    await place_order(self, *given)
    os.kill(os.getpid(), signal.SIGKILL)


ExchangeBroker.place_order = die
from engine.cli.main import main
sys.exit(main(["approve", sys.argv[2]]))
"""


def held(venue: LoopbackExchange) -> ExchangeAccount:
    return venue.account


def test_from_a_decision_to_a_position_and_out_again(shop: Shop, venue: LoopbackExchange) -> None:
    proposal_id = shop.propose()
    approved = shop.run("approve", proposal_id, "--json")
    assert approved.returncode == 0, approved.stderr
    told = json.loads(approved.stdout)
    assert (told["state"], told["broker"]) == ("filled", "exchange")
    assert (len(held(venue).orders), held(venue).stops("BTCUSDT")) == (1, 1)
    assert shop.run("approve", proposal_id).returncode == 1
    (position,) = json.loads(shop.run("positions", "--json").stdout)
    assert (position["side"], position["size"], position["stop"]) == ("long", told["size"], told["stop"])
    assert shop.run("halt").returncode == 0
    assert shop.run("close", SYMBOL).returncode == 0
    assert json.loads(shop.run("positions", "--json").stdout) == []
    assert (len(held(venue).orders), held(venue).open_algos()) == (2, [])
    assert shop.run("verify").returncode == 0


@pytest.mark.parametrize("moment", ["before", pytest.param("after", marks=pytest.mark.full)])
def test_killed_beside_the_call(shop: Shop, venue: LoopbackExchange, moment: str) -> None:
    proposal_id = shop.propose()
    killed = shop.python("-c", DIES, moment, proposal_id)
    assert killed.returncode == -9
    (found,) = shop.proposals()
    assert found["state"] == ("filled" if moment == "after" else "unknown")
    assert len(held(venue).orders) == (1 if moment == "after" else 0)
    again = shop.run("approve", proposal_id)
    assert again.returncode == 1
    assert found["order_ids"][0] in again.stderr
    assert len(held(venue).orders) == (1 if moment == "after" else 0), "what nobody knows is never sent again"


@pytest.mark.full
def test_the_past_and_other_prices_are_not_ordered_on_an_exchange(shop: Shop) -> None:
    for arguments in (("--feed", "simulated"), ("--feed", "live", "--at", "2026-01-01T00:00Z")):
        decided = shop.run("decide", SYMBOL, "--broker", "exchange", "--propose", *arguments)
        assert decided.returncode == 2
        assert "exchange" in decided.stderr


@pytest.mark.full
def test_what_was_decided_on_the_sandbox_is_never_real_money(shop: Shop, venue: LoopbackExchange) -> None:
    proposal_id = shop.propose()
    approved = shop.run("approve", proposal_id, TRIBUNAL_LIVE="yes")
    assert approved.returncode == 1
    assert "sandbox" in approved.stderr
    assert held(venue).orders == []
    killed = shop.python("-c", DIES, "before", proposal_id)
    assert killed.returncode == -9
    assert shop.run("proposals", "--json", TRIBUNAL_LIVE="yes").returncode == 0
    assert held(venue).orders == []
    (found,) = shop.proposals()
    assert found["state"] == "unknown"


@pytest.mark.full
def test_an_exchange_position_is_closed_without_a_journal(shop: Shop, venue: LoopbackExchange, tmp_path: Path) -> None:
    """The file is gone: what stands is read from the exchange, trading is halted, and the position is closed, once."""
    assert shop.run("approve", shop.propose()).returncode == 0
    file, away = tmp_path / "home" / "tribunal.db", tmp_path / "away.db"
    file.rename(away)
    where = {"TRIBUNAL_BROKER": "exchange"}
    listed = shop.run("positions", "--json", **where)
    assert listed.returncode == 0, listed.stderr
    (position,) = json.loads(listed.stdout)
    assert (position["symbol"], position["side"], position["stop"] is not None) == (SYMBOL, "long", True)
    assert "is gone" in position["why"] + listed.stderr
    assert shop.run("halt", **where).returncode == 0
    closed = shop.run("close", SYMBOL, "--json", **where)
    assert closed.returncode == 0, closed.stderr
    assert json.loads(shop.run("positions", "--json", **where).stdout) == []
    assert shop.run("close", SYMBOL, **where).returncode == 1
    assert len(held(venue).orders) == 2
    assert not file.exists()
    away.rename(file)
    assert shop.run("positions").returncode == 0
    verified = shop.run("verify")
    assert verified.returncode == 0, verified.stderr
    with closing(sqlite3.connect(file)) as journal:
        order = json.loads(closed.stdout)["client_id"]
        ((report,),) = journal.execute("SELECT report FROM orders WHERE client_id = ?", (order,)).fetchall()
    assert json.loads(report)["state"] == "filled"
    assert held(venue).open_algos() == [], "its stop is cancelled when the account is put in order"
    assert len(held(venue).orders) == 2


@pytest.mark.full
def test_close_takes_a_word_for_what_is_not_ours(shop: Shop, venue: LoopbackExchange) -> None:
    """Without a terminal nobody can be asked: both numbers are said, and nothing is closed."""
    assert shop.run("approve", shop.propose()).returncode == 0
    account = held(venue)
    ours = account.positions["BTCUSDT"].amount
    account.trade("BTCUSDT", "BUY", "0.5")
    (position,) = json.loads(shop.run("positions", "--json").stdout)
    assert (position["size"], position["ours"]) == (float(ours + Decimal("0.5")), float(ours))
    refused = shop.run("close", SYMBOL, "--json")
    assert (refused.returncode, account.positions["BTCUSDT"].amount) == (2, ours + Decimal("0.5"))
    assert f"{ours} of {ours + Decimal('0.5')} {SYMBOL} is ours" in refused.stderr
    assert all(word in refused.stderr for word in ("--ours", "--all", "--size"))
    closed = shop.run("close", SYMBOL, "--ours", "--json")
    assert (closed.returncode, json.loads(closed.stdout)["filled"]) == (0, float(ours))
    assert (account.positions["BTCUSDT"].amount, account.open_algos()) == (Decimal("0.5"), [])
    assert shop.run("close", SYMBOL, "--all").returncode == 0
    assert account.positions == {}
    assert shop.run("verify").returncode == 0
