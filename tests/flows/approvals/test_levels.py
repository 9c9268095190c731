"""Another stop of an open position: proposed, signed, and there; or refused, and what stood before stays. kill -9 at every write."""

import json
import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from engine.api import WantedLevels
from engine.domain.errors import NotAllowed
from engine.domain.orders import Position
from engine.domain.proposal import Proposal
from tests.engine.trading.exchange_desk import never_unprotected
from tests.flows.answers import executor, role_of
from tests.flows.approvals.test_approval_kill import DIES
from tests.flows.desk import SYMBOL, Desk
from tests.flows.shop import Shop
from tests.processes import Completed, run_python
from tests.servers.exchange import LoopbackExchange
from tests.servers.llm import user_of

MOMENTS = 11
"""Writes of an approval of levels on paper, and the ends of their transactions: those of every approval."""


def opened(desk: Desk, **asked: Any) -> Position:
    """A long whose stop is at 98 and whose target is at 106; the price is 100."""
    desk.trading.approve(desk.propose(**asked).id, "somebody")
    return standing(desk)


def standing(desk: Desk) -> Position:
    (held,) = desk.trading.positions()
    return held.position


def wanted(stop: float | None = None, target: float | None = None) -> WantedLevels:
    return WantedLevels(SYMBOL, stop, target)


def proposed(desk: Desk, stop: float | None = None, target: float | None = None) -> Proposal:
    return desk.trading.propose_levels(wanted(stop, target), "somebody")


def test_a_nearer_stop_is_proposed_signed_and_stands(desk: Desk) -> None:
    before = opened(desk)
    assert before.stop is not None
    fills, equity = desk.fills(), desk.equity()
    proposal = proposed(desk, 99.0)
    assert (proposal.state, proposal.limits, proposal.changed_by) == ("pending", (), "somebody")
    assert standing(desk).stop == before.stop, "a proposal moves nothing"
    assert proposal.figures.loss_at_stop is not None
    terms = proposal.basis.terms
    got = terms.price_towards(99 * Decimal("0.9998"), -1)
    assert proposal.figures.loss_at_stop == pytest.approx(before.size * (before.entry_price - got + got * terms.taker_fee))
    after = desk.trading.approve(proposal.id, "somebody", proposal.hash)
    assert (after.state, after.why) == ("filled", "the stop and target are in place")
    now = standing(desk)
    assert (now.stop, now.target, now.size, now.entry_price) == (Decimal(99), before.target, before.size, before.entry_price)
    assert (desk.fills(), desk.equity()) == (fills, equity), "nothing is traded"
    assert desk.trading.faults() == []
    with pytest.raises(NotAllowed, match=after.order_ids[0]):
        desk.trading.approve(proposal.id, "somebody else")
    assert desk.trading.proposal_of(proposal.basis.run_id) != after, "the run has the proposal it decided"


def test_two_people_sign_what_adds_risk_and_one_what_takes_it_away(desk: Desk) -> None:
    opened(desk)
    careful = desk.another(two_sign_above=100.0).trading
    assert careful.propose_levels(wanted(99.0), "a").signers_needed == 1
    far = careful.propose_levels(wanted(97.0), "a")
    assert far.signers_needed == 2
    assert careful.approve(far.id, "a").is_waiting
    assert standing(desk).stop == Decimal(98)
    assert careful.approve(far.id, "b").state == "filled"


DIES_AT_A_REQUEST = """
import os, signal, sys
from engine.brokers.ccxt.protect import LevelChanger
from engine.venue.signed import SignedWire

point, moment, counts = int(sys.argv[1]), 0, False
change = LevelChanger.change


async def counted(self, *given):
    global counts
    counts = True
    try:
        return await change(self, *given)
    finally:
        counts = False


def dies(method):
    async def asked(self, *given, **more):
        global moment
        if counts:
            if moment == point:
                os.kill(os.getpid(), signal.SIGKILL)
            moment += 1
        return await method(self, *given, **more)

    return asked


LevelChanger.change = counted
SignedWire.send, SignedWire.read = dies(SignedWire.send), dies(SignedWire.read)
from engine.cli.main import main
code = main(["approve", sys.argv[2]])
print(f"requests {moment}", file=sys.stderr)
sys.exit(code)
"""
REQUESTS = (4, 5, 7, 8)
"""Of those that a change of the stop asks of the venue: before the new stop, behind it, before and behind the end of the old one."""


@pytest.mark.full
@pytest.mark.parametrize("point", REQUESTS)
def test_killed_between_two_requests_a_stop_stands_and_the_change_is_finished(shop: Shop, venue: LoopbackExchange, point: int) -> None:
    assert shop.run("approve", shop.propose()).returncode == 0
    account = venue.account
    price = float(account.prices["BTCUSDT"])
    filed = json.loads(shop.run("protect", SYMBOL, "--stop", f"{price * 0.99:.1f}", "--json").stdout)
    killed = shop.python("-c", DIES_AT_A_REQUEST, str(point), filed["id"])
    assert killed.returncode == -9, f"{point}: {killed.stderr}"
    assert account.stops("BTCUSDT") >= 1
    (found,) = [each for each in shop.proposals() if each["id"] == filed["id"]]
    assert (found["state"], found["stop"]) == ("filled", filed["stop"])
    assert account.stops("BTCUSDT") == 1
    assert never_unprotected(account)
    (position,) = json.loads(shop.run("positions", "--json").stdout)
    assert position["stop"] == filed["stop"]
    assert (len(account.orders), shop.run("verify").returncode) == (1, 0)


@pytest.mark.full
def test_a_change_that_was_left_in_part_is_taken_back_when_trading_was_halted(shop: Shop, venue: LoopbackExchange) -> None:
    assert shop.run("approve", shop.propose()).returncode == 0
    account = venue.account
    (before,) = [Decimal(each["triggerPrice"]) for each in account.open_algos() if each["orderType"] == "STOP_MARKET"]
    filed = json.loads(shop.run("protect", SYMBOL, "--stop", f"{float(account.prices['BTCUSDT']) * 0.99:.1f}", "--json").stdout)
    assert shop.python("-c", DIES_AT_A_REQUEST, "9", filed["id"]).returncode == -9
    assert shop.run("halt").returncode == 0
    (found,) = [each for each in shop.proposals() if each["id"] == filed["id"]]
    assert (found["state"], "halted" in found["why"]) == ("failed", True)
    assert [Decimal(each["triggerPrice"]) for each in account.open_algos() if each["orderType"] == "STOP_MARKET"] == [before]
    assert never_unprotected(account)


@pytest.mark.full
def test_roles_are_told_the_levels_as_they_are_and_the_result_by_the_first_stop(desk: Desk) -> None:
    """Entered at 100.02; the price is 100: of 2.02 at risk nearly nothing is lost, wherever the stop is now."""
    entry = opened(desk).entry_price
    desk.trading.approve(proposed(desk, 99.9, 105.0).id, "somebody")
    desk.server.requests.clear()
    desk.decide(executor("HOLD"))
    result = f"{(100 - entry) / (entry - 98):+.2f}"
    told = {role_of(each.body): user_of(each.body) for each in desk.server.requests}
    for role in ("trend", "sentiment", "position_bull", "position_bear", "position_judge", "executor"):
        assert "Its stop is at 99.9" in told[role]
        assert "Its target is at 105" in told[role]
        assert f"Its result is {result} R (1 R = entry to its first stop, 98" in told[role]


def shell(home: Path, *arguments: str) -> Completed:
    return run_python(*arguments, environment={**os.environ, "TRIBUNAL_HOME": str(home)})


@pytest.mark.full
def test_unharmed_it_passes_every_moment_once(desk: Desk) -> None:
    opened(desk)
    desk.engine.close()
    filed = shell(desk.home, "-m", "engine", "protect", SYMBOL, "--stop", "99")
    assert filed.returncode == 0, filed.stderr
    assert "stop 99, target 106" in filed.stdout
    unharmed = shell(desk.home, "-c", DIES, "1000", filed.stdout.split()[0])
    assert unharmed.returncode == 0, unharmed.stderr
    assert f"moments {MOMENTS}" in unharmed.stderr


@pytest.mark.full
@pytest.mark.parametrize("point", range(MOMENTS))
def test_killed_at_a_write_the_old_stop_stands_or_the_new_one(desk: Desk, point: int) -> None:
    opened(desk)
    proposal = proposed(desk, 99.0)
    desk.engine.close()
    assert shell(desk.home, "-c", DIES, str(point), proposal.id).returncode == -9
    following = desk.another().trading
    (held,) = following.positions()
    assert held.position.stop in {Decimal(98), Decimal(99)}
    following.recover()
    found = following.proposal(proposal.id)
    assert found.state in {"pending", "filled"}
    if found.is_waiting:
        found = following.approve(proposal.id, "somebody")
    assert found.state == "filled"
    (held,) = following.positions()
    assert (held.position.stop, held.position.target) == (Decimal(99), Decimal(106))
    assert following.faults() == []
