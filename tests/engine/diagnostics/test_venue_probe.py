"""What a check says of an exchange and of the keys of an account there, over the venue on loopback. No order is sent, whatever happens."""

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from engine.domain.clock import utc_now
from engine.domain.diagnostics.result import DiagnosticResult
from tests.servers.exchange import FaultKind, LoopbackExchange
from tests.servers.exchange_account import API_KEY, SECRET

if TYPE_CHECKING:
    from engine.api import Engine

Check = Callable[..., dict[str, DiagnosticResult]]


@pytest.fixture
def venue() -> Iterator[LoopbackExchange]:
    with LoopbackExchange() as made:
        yield made
        assert made.asked("POST ") == made.asked("DELETE ") == 0, "nothing is ordered, set or cancelled"


@pytest.fixture
def check(make_engine: "Callable[..., Engine]", monkeypatch: pytest.MonkeyPatch) -> Check:
    """The lines about venue and keys, by name. Settings: those of an account, and whatever is named."""

    def run(venue: LoopbackExchange, within_s: float = 60.0, **settings: object) -> dict[str, DiagnosticResult]:
        for name, value in {"api_key": API_KEY, "api_secret": SECRET}.items():
            monkeypatch.setenv(f"TRIBUNAL_{name.upper()}", str(settings.pop(name, value)))
        account = {"feed": "live", "broker": "exchange", "exchange_url": venue.url, "live": "yes"}
        lines = make_engine(**{**account, **settings}).check(within_s)
        for secret in (API_KEY, SECRET, "signature="):
            assert secret not in repr(lines)
        return {each.name: each for each in lines if each.name.startswith(("feed", "exchange", "keys"))}

    return run


def test_an_account_in_order_is_fine_in_every_line(check: Check, venue: LoopbackExchange) -> None:
    found = check(venue)
    assert {each.status for each in found.values()} == {"ok"}, found
    parts = [f"{used}.{part}" for used in ("feed", "exchange") for part in ("reached", "clock", "rate_limits")]
    assert list(found) == [*parts, "keys.accepted", "keys.may_trade", "keys.may_not_withdraw"]


def test_a_key_that_may_withdraw_fails(check: Check, venue: LoopbackExchange) -> None:
    venue.account.may_withdraw = True
    found = check(venue)["keys.may_not_withdraw"]
    assert found.status == "failed"
    assert "delete this one" in found.what_to_do


@pytest.mark.full
def test_a_venue_that_does_not_say_what_the_key_may_do_is_no_clean_bill(check: Check, venue: LoopbackExchange) -> None:
    venue.fail("apiRestrictions", "reject", times=9)
    found = check(venue)
    assert (found["keys.accepted"].status, found["keys.may_trade"].status, found["keys.may_not_withdraw"].status) == (
        "ok",
        "warning",
        "warning",
    )


def test_wrong_keys_are_named(check: Check, venue: LoopbackExchange) -> None:
    found = check(venue, api_secret="wrong-secret-0000")
    assert found["feed.reached"].status == "ok", "prices need no key"
    assert found["keys.accepted"].status == "failed"
    assert "TRIBUNAL_API" in found["keys.accepted"].detail + found["keys.accepted"].what_to_do
    assert "wrong-secret-0000" not in repr(found)


@pytest.mark.parametrize(("away", "status"), [pytest.param(0.2, "ok", marks=pytest.mark.full), (40.0, "failed")])
def test_a_clock_that_is_away_is_measured(check: Check, away: float, status: str) -> None:
    with LoopbackExchange(lambda: utc_now() + timedelta(seconds=away)) as venue:
        found = check(venue, broker="paper")
    assert found["feed.clock"].status == status
    shown = float(found["feed.clock"].detail.split(" is ")[1].split(" s ")[0].replace("\u2212", "-"))
    assert shown == pytest.approx(away, abs=0.75), "up to half of the time that the quickest of three answers was under way"


@pytest.mark.full
@pytest.mark.parametrize("kind", ["451", "html", "hang"])
def test_a_venue_that_fails_is_named_within_the_time(check: Check, venue: LoopbackExchange, kind: FaultKind) -> None:
    venue.fail("exchangeInfo", kind, times=99)
    began = time.monotonic()
    found = check(venue, within_s=1.0, broker="paper")
    venue.heal()
    assert time.monotonic() - began < 20
    assert found["feed.reached"].status == "failed"
    assert found["feed.reached"].what_to_do
    assert found["keys.accepted"].status == "skipped"
