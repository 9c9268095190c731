"""A broker that no module of the engine names: registered in one line, chosen by a setting, it takes what its capabilities say."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.brokers import BROKERS, register
from engine.domain import broker_capabilities
from engine.domain.account_ref import AccountRef
from engine.domain.broker_capabilities import Capabilities
from engine.domain.errors import BadInput, BrokerError, NotAllowed
from tests.club import CLUB, NAME
from tests.flows.approvals.share_desk import ShareDesk
from tests.flows.desk import SYMBOL, Desk

if TYPE_CHECKING:
    from engine.api import Engine

MONDAY, AMERICAN = date(2024, 3, 4), "NVDA"
Registered = Callable[[Capabilities], None]


@pytest.fixture(autouse=True)
def able(monkeypatch: pytest.MonkeyPatch) -> Registered:
    """The club, registered for one test; what is called changes what it can do."""
    monkeypatch.setitem(BROKERS, NAME, CLUB)  # both are put back after the test
    monkeypatch.setitem(broker_capabilities._REGISTERED, NAME, CLUB.capabilities)
    register(CLUB)
    monkeypatch.setenv("TRIBUNAL_BROKER", NAME)
    monkeypatch.setenv("TRIBUNAL_CLUB_KEY", "member-0815-canary")
    return lambda capabilities: register(replace(CLUB, capabilities=capabilities))


@pytest.fixture
def shares(make_engine: "Callable[..., Engine]", tmp_path: Path) -> ShareDesk:
    return ShareDesk(make_engine, tmp_path / "home", AccountRef(broker=NAME, feed="simulated", seed=3))


def test_a_contract_is_proposed_approved_held_protected_and_closed(desk: Desk) -> None:
    proposal = desk.propose()
    assert proposal.basis.place.broker == NAME
    assert proposal.basis.account.startswith("club:recorded:")
    filled = desk.trading.approve(proposal.id, "somebody", proposal.hash)
    assert filled.state == "filled"
    (held,) = desk.trading.positions()
    assert (held.account, held.position.size, held.position.stop) == (proposal.basis.account, proposal.plan.amount, proposal.plan.stop)
    assert held.position.instrument == "contract"
    assert desk.trading.uses_exchange, "an account with the capability `at_venue` is watched over"
    report = desk.trading.close_position(SYMBOL, "somebody")
    assert (report.state, report.filled) == ("filled", proposal.plan.amount)
    assert desk.trading.positions() == []
    assert desk.fills() == [], "nothing was done on paper"
    assert desk.trading.faults() == []


def test_shares_are_proposed_approved_held_and_closed(shares: ShareDesk) -> None:
    known = shares.known(AMERICAN, MONDAY)
    assert shares.account(known).account == "club:simulated:3"
    proposal = shares.propose(known, quantity=20, target=round(known.current_price * 1.1, 2))
    assert (proposal.state, proposal.why) == ("pending", "")
    assert shares.trading.approve(proposal.id, "somebody", proposal.hash).state == "filled"
    (held,) = shares.trading.positions()
    assert (held.position.instrument, held.position.size, held.position.leverage) == ("shares", 20, 1)
    report = shares.trading.close_position(AMERICAN, "somebody")
    assert (report.state, report.filled) == ("filled", 20)
    assert shares.trading.positions() == []


def test_what_it_cannot_do_is_refused_before_anything_is_ordered(
    able: Registered, make_engine: "Callable[..., Engine]", shares: ShareDesk
) -> None:
    able(replace(CLUB.capabilities, shares=False))
    with pytest.raises(BadInput, match="shares are ordered on paper only"):
        shares.account(shares.known(AMERICAN, MONDAY))
    able(replace(CLUB.capabilities, contracts=False))
    engine = make_engine()
    with pytest.raises(BadInput, match="contracts are not ordered at club"):
        engine.decisions.request(SYMBOL, broker=NAME)
    assert engine.decisions.request(SYMBOL).broker == "paper", "the broker of the settings where it takes them, else paper"
    assert engine.equities.request(AMERICAN).broker == NAME


@pytest.mark.full
def test_real_money_without_a_sandbox_orders_nothing_until_it_is_meant(able: Registered, desk: Desk) -> None:
    able(replace(CLUB.capabilities, real_money=True))
    proposal = desk.propose()
    with pytest.raises(NotAllowed, match="club has no sandbox"):
        desk.trading.approve(proposal.id, "somebody")
    assert desk.trading.positions() == []


def test_its_credentials_are_read_by_its_own_settings_and_shown_nowhere(
    make_engine: "Callable[..., Engine]", monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    engine = make_engine()
    own = engine._container.approvals.brokers.own
    assert own[NAME].secrets() == ["member-0815-canary"]
    assert "canary" not in repr(own)
    monkeypatch.setenv("TRIBUNAL_CLUB_KEY", "")
    with pytest.raises((BadInput, BrokerError), match="TRIBUNAL_CLUB_KEY"):
        make_engine(home=tmp_path / "another")._container.approvals.brokers.broker(AccountRef(broker=NAME, feed="simulated"))
    monkeypatch.setenv("TRIBUNAL_CLUB_DEPOSIT", "canary")
    with pytest.raises(BadInput, match="TRIBUNAL_CLUB_DEPOSIT") as refused:
        make_engine(home=tmp_path / "third")
    assert "canary" not in str(refused.value)


def test_a_broker_that_is_not_registered_is_refused_by_name(make_engine: "Callable[..., Engine]") -> None:
    with pytest.raises(BadInput, match=r"setting TRIBUNAL_BROKER: broker 'nobody' is not known; brokers are paper, exchange, demo, club"):
        make_engine(broker="nobody")
    with pytest.raises(BadInput, match="account 'nobody:live:x' is not known"):
        AccountRef.of_account("nobody:live:x")
