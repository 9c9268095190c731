"""The exchange account as it is told: positions, equity, losses; its keys, which are told to nobody."""

import logging
import re
import traceback
from datetime import timedelta
from decimal import Decimal

import pytest
from pydantic import SecretStr

from engine.brokers.ccxt.broker import ExchangeBroker
from engine.brokers.ccxt.sending import Deadlines
from engine.domain.errors import BadInput, BrokerError, BrokerRefused, TribunalError
from engine.domain.risk import RiskConfig
from engine.trading.protocol import Broker
from engine.venue.keys import Keys
from tests.engine.trading.exchange_desk import BTC, ENTRY, KEYS, NOW, THE_ORDER, Journal, Open, entry
from tests.servers.exchange import FaultKind, LoopbackExchange
from tests.servers.exchange_account import API_KEY, SECRET, ExchangeAccount


async def test_a_position_is_told_with_its_levels(broker: Broker, held: ExchangeAccount, journal: Journal) -> None:
    assert await broker.positions(None) == ()
    assert await broker.position(BTC, None) is None
    await broker.place_order(entry(side="sell", stop=Decimal(61_000), target=None), None)
    journal.opened[BTC] = NOW - timedelta(hours=3)
    position = await broker.position(BTC, None)
    assert position is not None
    assert (await broker.positions(NOW)) == (position,)
    assert (position.side, position.size, position.entry_price, position.leverage) == ("short", Decimal("0.1"), Decimal(60_000), 5)
    assert (position.stop, position.target, position.opened_at) == (Decimal(61_000), None, NOW - timedelta(hours=3))
    assert position.liquidation_price is not None
    assert position.liquidation_price > 60_000
    assert await broker.instant(BTC) is None


async def test_hedge_mode_is_refused(venue: LoopbackExchange, broker: Broker, held: ExchangeAccount) -> None:
    held.hedged = True
    with pytest.raises(BrokerRefused, match="one-way mode"):
        await broker.place_order(entry(), None)
    held.open_position("BTCUSDT", "0.1", "60000")
    with pytest.raises(BrokerRefused, match="one-way mode"):
        await broker.positions(None)
    assert venue.asked(THE_ORDER) == 0


@pytest.mark.parametrize("fault", ["object", "shape", "nulls", "html", "cut", "500", "drop", "hang", "451"])
@pytest.mark.parametrize("part", ["positionRisk", "openAlgoOrders", "account?"])
async def test_an_account_that_cannot_be_read_is_not_empty(venue: LoopbackExchange, opened: Open, part: str, fault: FaultKind) -> None:
    broker = opened(deadlines=Deadlines(request_s=0.1, reading_s=0.5, backoff_s=0.01))
    venue.account.open_position("BTCUSDT", "0.1", "60000")
    venue.account.add_algo("BTCUSDT", "SELL", "STOP_MARKET", "59000", "tb-x")
    venue.fail(part, fault, times=99)
    with pytest.raises(BrokerError) as caught:
        await (broker.view(RiskConfig(), None) if part == "account?" else broker.positions(None))
    assert "\n" not in str(caught.value)


async def test_reads_outlast_short_trouble(venue: LoopbackExchange, broker: Broker) -> None:
    await broker.place_order(entry(), None)
    for part in ("GET /fapi/v1/order?", "positionRisk", "openAlgoOrders"):
        venue.fail(part, "500", times=2)
    assert await broker.get_order(ENTRY, BTC) is not None
    assert len(await broker.positions(None)) == 1


async def test_equity_margins_and_losses(broker: Broker, held: ExchangeAccount, journal: Journal) -> None:
    journal.equities = [(NOW - timedelta(days=3), 12_000.0), (NOW - timedelta(hours=13), 11_000.0)]
    held.earn("TRANSFER", "-1000", int((NOW - timedelta(hours=2)).timestamp() * 1000), "")  # paid out: no loss
    held.wallet = Decimal(10_000)
    held.move("BTCUSDT", "60000")
    await broker.place_order(entry(), None)
    held.move("BTCUSDT", "59500")
    journal.ordered = [NOW - timedelta(minutes=59), NOW - timedelta(minutes=61)]
    view = await broker.view(RiskConfig(), None)
    equity = 10_000 - 2.4 - 50
    assert view.equity == pytest.approx(equity)
    assert view.margins == {BTC: pytest.approx(0.1 * 59_500 / 5)}
    assert view.notionals == {BTC: pytest.approx(0.1 * 59_500)}
    assert view.day_loss_pct == pytest.approx((10_000 - equity) / 10_000 * 100)
    assert view.drawdown_pct == pytest.approx((11_000 - equity) / 11_000 * 100)
    assert (view.orders_last_hour, view.cooldown_left_min, view.account) == (1, 0, "exchange:binanceusdm")
    assert journal.equities[-1] == (NOW, view.equity)


async def test_a_first_day_counts_from_the_ledger_and_a_stop_filled_by_the_venue_cools_down(broker: Broker, held: ExchangeAccount) -> None:
    await broker.place_order(entry(), None)
    held.move("BTCUSDT", "59000")
    view = await broker.view(RiskConfig(), None)
    lost = 100 + 0.0004 * 0.1 * (60_000 + 59_000)
    assert view.day_loss_pct == pytest.approx(lost / 10_000 * 100)
    assert view.cooldown_left_min == pytest.approx(30)


@pytest.mark.parametrize("wrong", [timedelta(minutes=-10), timedelta(0), timedelta(hours=-2)], ids=str)
async def test_a_clock_that_is_behind_frees_no_limit(opened: Open, held: ExchangeAccount, journal: Journal, wrong: timedelta) -> None:
    """The venue's clock is right: a stop was filled and an order left just now, which is later than now by a clock that is behind."""
    await opened().place_order(entry(), None)
    held.move("BTCUSDT", "59000")
    journal.ordered = [NOW]
    view = await opened(clock=lambda: NOW + wrong).view(RiskConfig(), None)
    assert (view.orders_last_hour, view.cooldown_left_min) == (1, pytest.approx(30))
    assert view.day_loss_pct > 1


async def test_a_remembered_equity_that_is_old_hides_no_loss_of_today(broker: Broker, held: ExchangeAccount, journal: Journal) -> None:
    """It stood at 9,270 days ago, at 10,000 at midnight, and at 9,270 now: 7.3 % were lost today."""
    journal.equities = [(NOW - timedelta(days=4), 9_270.0)]
    held.earn("REALIZED_PNL", "-730", int((NOW - timedelta(hours=3)).timestamp() * 1000))
    assert (await broker.view(RiskConfig(), None)).day_loss_pct == pytest.approx(7.3)


@pytest.mark.parametrize(("hours", "lost"), [(11.9, 7.3), (12.1, 0.0)], ids=["after midnight", "before midnight"])
async def test_the_day_begins_at_midnight_utc(broker: Broker, held: ExchangeAccount, hours: float, lost: float) -> None:
    held.earn("REALIZED_PNL", "-730", int((NOW - timedelta(hours=hours)).timestamp() * 1000))
    assert (await broker.view(RiskConfig(), None)).day_loss_pct == pytest.approx(lost)


async def test_what_is_remembered_from_just_before_midnight_counts_what_is_not_realised(
    broker: Broker, held: ExchangeAccount, journal: Journal
) -> None:
    held.open_position("BTCUSDT", "0.1", "60000")
    journal.equities = [(NOW - timedelta(hours=12, minutes=1), 10_000.0)]
    held.move("BTCUSDT", "55000")
    assert (await broker.view(RiskConfig(), None)).day_loss_pct == pytest.approx(5.0)


async def test_a_key_that_may_withdraw_is_warned_of(venue: LoopbackExchange, broker: ExchangeBroker) -> None:
    assert await broker.warnings() == ()
    venue.account.may_withdraw = True
    assert await broker.warnings() == ("the exchange key may withdraw: make one that may only trade",)
    venue.fail("apiRestrictions", "500", times=99)
    assert await broker.warnings() == ()


def broken_out(problem: BaseException) -> str:
    return f"{problem!r} {problem} {''.join(traceback.format_exception(problem))} {problem.__cause__!r} {problem.__context__!r}"


@pytest.mark.full
async def test_no_key_stands_in_a_message_or_a_log(venue: LoopbackExchange, opened: Open, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    said, deadlines = [repr(KEYS), str(KEYS)], Deadlines(request_s=0.1, reading_s=0.4, backoff_s=0.01, doubt_s=0.05, filling_s=0.05)
    wrong = Keys(SecretStr("canary-key-0123456789"), SecretStr("canary-secret-0123456789"))
    faults: list[FaultKind] = ["echo", "500", "drop", "hang", "html", "451"]
    for keys, fault in [(wrong, None), *((KEYS, fault) for fault in faults)]:
        for part in ("POST ", THE_ORDER, "GET /fapi/v1/order?", "account?"):
            broker = opened(keys, deadlines=deadlines)
            said.append(repr(broker))
            if fault is not None:
                venue.fail(part, fault, times=6)
            for number, call in enumerate(
                (broker.view(RiskConfig(), None), broker.place_order(entry(f"{ENTRY}-{fault}{part[:3].strip()}"), None), broker.reconcile())
            ):
                try:
                    said.append(f"{number} {await call!r}")
                except TribunalError as problem:
                    said.append(broken_out(problem))
            venue._faults.clear()
    text = "\n".join([*said, caplog.text])
    assert "refused" in text
    for canary in (API_KEY, SECRET, "canary-key", "canary-secret"):
        assert canary not in text
    assert re.search("signature=[0-9a-f]", text) is None


async def test_a_wrong_key_is_the_accounts_trouble(opened: Open, venue: LoopbackExchange) -> None:
    broker = opened(Keys(SecretStr("another"), SecretStr(SECRET)))
    with pytest.raises(BrokerRefused, match=r"Invalid API-key.*TRIBUNAL_API_KEY"):
        await broker.place_order(entry(), None)
    assert venue.asked(THE_ORDER) == 0


@pytest.mark.parametrize(
    ("exchange", "url", "keys", "sandbox", "words"),
    [
        ("binanceusdm", "http://gateway.example:8080", KEYS, False, "plain http to another host .gateway.example:8080"),
        ("binanceusdm", "http://10.0.0.7", KEYS, True, "plain http"),
        ("binanceusdm", "localhost:99", KEYS, False, "write http://host:port"),
        ("binanceusdm", None, Keys(SecretStr(""), SecretStr("")), False, "TRIBUNAL_API_KEY and TRIBUNAL_API_SECRET"),
        ("okx", None, KEYS, False, "TRIBUNAL_API_PASSWORD"),
        ("hyperliquid", None, KEYS, False, "which has no setting"),
        ("binanceusd", None, KEYS, False, "did you mean binanceusdm"),
        ("mexc", None, KEYS, True, "has no sandbox"),
    ],
)
def test_what_cannot_work_is_said_at_once(exchange: str, url: str | None, keys: Keys, sandbox: bool, words: str, journal: Journal) -> None:
    with pytest.raises(BadInput, match=words) as caught:
        ExchangeBroker(exchange, url, keys, lambda: NOW, sandbox=sandbox, records=journal.records())
    assert SECRET not in broken_out(caught.value)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        (None, "https://demo-fapi.binance.com/"),
        ("http://127.0.0.1:1", "http://127.0.0.1:1/"),
        ("https://gate.example/x", "https://gate.example/x/"),
    ],
)
async def test_the_sandbox_has_other_addresses_and_the_setting_wins(url: str | None, host: str, journal: Journal) -> None:
    broker = ExchangeBroker("binanceusdm", url, KEYS, lambda: NOW, sandbox=True, records=journal.records())
    assert broker.account == "exchange:binanceusdm:sandbox"
    assert broker._wire.client.urls["api"]["fapiPrivate"] == f"{host}fapi/v1"
    await broker.close()
