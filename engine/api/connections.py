"""Connecting a model, a market, an account and alerts while the program runs: what is there, a test of it, using it from now on.

Every method may be called from any thread but the engine's own and raises a TribunalError with one clear line when it cannot do what it
says. `who` is the person who acts. Keys are taken and never given back; no method returns one.
"""

import asyncio
import json
import secrets as random
import threading
from collections.abc import Collection, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from pydantic import SecretStr

from engine.api.costs import TEST, Costs, name_of_endpoint
from engine.bootstrap.alert_channels import alert_addresses, kind_of, require_addresses, send_alert
from engine.bootstrap.container import Container
from engine.bootstrap.logs import hide_in_log
from engine.bootstrap.setting_changes import SettingChanges
from engine.brokers import BROKERS
from engine.domain.alert import TOPICS, AlertTopic, SentAlert
from engine.domain.broker_capabilities import DEFAULT_BROKER
from engine.domain.connection import (
    DEFAULT_ADDRESS,
    AccountReading,
    AlertState,
    FoundServer,
    KeptSetting,
    MarketReading,
    ModelTest,
    ModelTestProgress,
)
from engine.domain.ended import Memory
from engine.domain.errors import BadInput, NotAllowed, TribunalError
from engine.domain.market.instrument import FeedName, usual_of
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.address import is_of_this_machine, without_passwords
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.key_store import keyring_name
from engine.settings import Settings, load

ANSWER_S: Final = 90.0
"""Seconds that each answer of a test may take."""
EXCHANGE: Final = "exchange"
EXCHANGE_KEYS: Final = ("TRIBUNAL_API_KEY", "TRIBUNAL_API_SECRET", "TRIBUNAL_API_PASSWORD")
MODEL_KEY: Final = "OPENAI_API_KEY"
ALERTS: Final = "TRIBUNAL_ALERTS"
ALERTS_WHEN: Final = "TRIBUNAL_ALERTS_WHEN"
_ADDRESS, _MODEL, _ROLES, _PRICES = "OPENAI_BASE_URL", "TRIBUNAL_MODEL", "TRIBUNAL_ROLE_MODELS", "TRIBUNAL_PRICES"
_WAIT_S: Final = 60.0
_SUITED: Final = frozenset({"TRIBUNAL_MODEL_CONCURRENCY", "TRIBUNAL_MAX_TOKENS", "TRIBUNAL_CALL_DEADLINE_S", "TRIBUNAL_RUN_DEADLINE_S"})
_SCRIPTED: Final = "scripted"
Result = TypeVar("Result")


class Connections:
    """One per engine."""

    def __init__(self, container: Container, costs: Costs) -> None:
        self._container, self._costs = container, costs
        self._changes = SettingChanges(container)
        self._typed: dict[str, SecretStr] = {}
        self._lock = threading.Lock()
        self._test: Future[ModelTest] | None = None
        self._progress = ModelTestProgress(model="", address="")

    @property
    def address(self) -> str:
        """Where models are asked, without a password that may stand in it."""
        return without_passwords(self._container.settings.openai_base_url or DEFAULT_ADDRESS)

    @property
    def is_local(self) -> bool:
        """Whether models are asked on this machine."""
        return is_of_this_machine(self._container.settings.openai_base_url or DEFAULT_ADDRESS)

    @property
    def keyring(self) -> str:
        """The name of the system's keyring, or ""."""
        return keyring_name()

    def kept(self, name: str) -> KeptSetting:
        """Return whether a setting has a value, and where it is set."""
        return self._changes.kept(name)

    def change(self, values: Mapping[str, str | None], who: str) -> None:
        """Save settings that are not secret; None removes one. Raises NotAllowed for a setting that the environment fixes, BadInput for a
        bad value."""
        self._changes.change(values, {}, who)

    def forget(self, names: Collection[str], who: str) -> None:
        """Forget secrets. Raises NotAllowed for one that the environment sets, StoreError."""
        if MODEL_KEY in names:
            self._typed.clear()
        self._changes.change({}, dict.fromkeys(names), who)

    # models

    def find_servers(self, ports: Mapping[str, int] | None = None) -> list[FoundServer]:
        """Return which servers of models answer on this machine; blocks for two seconds at most. ports: by kind, None = the usual ones."""
        from engine.llm.model_servers import KNOWN_SERVERS, look_on_this_machine  # noqa: PLC0415 - no page waits for aiohttp

        return self._ask(look_on_this_machine(KNOWN_SERVERS if ports is None else ports))

    def models(self, address: str, key: str = "", kind: str = "") -> FoundServer:
        """Return what an endpoint lists. key: typed for it; "" = the one that is kept, if it is for this endpoint. Raises BadInput."""
        from engine.llm.model_servers import list_models  # noqa: PLC0415 - late, as above

        address = _checked(address)
        if key.strip():
            _require_safe(address)
            hide_in_log([key.strip()])
            self._typed[_origin(address)] = SecretStr(key.strip())
        return self._ask(list_models(address, self._key_for(address), kind))

    def start_test(self, address: str, model: str, *, context: int | None = None, language: Language = "en") -> None:
        """Begin to test a model; three to six questions. context: tokens that its server says it reads at once. Raises BadInput while
        another test goes on."""
        address = _checked(address)
        with self._lock:
            if self._test is not None and not self._test.done():
                raise BadInput(Reason("model_test_goes_on", model=self._progress.model))
            self._progress = ModelTestProgress(model=model, address=address)
            self._test = self._container.loop.submit(self._run_test(address, model, context, language))

    async def _run_test(self, address: str, name: str, context: int | None, language: Language) -> ModelTest:
        from engine.bootstrap.diagnostics import terms_of  # noqa: PLC0415 - late, as above
        from engine.diagnostics.model_test import Present, run_model_test  # noqa: PLC0415 - late, as above
        from engine.diagnostics.wording import DiagnosticWords  # noqa: PLC0415 - late, as above
        from engine.llm.openai import OpenAIModel  # noqa: PLC0415 - it costs a second, which no page need wait for

        settings = self._container.settings
        learnt = self._container.providers.learnt
        model = OpenAIModel(name, api_key=self._key_for(address), base_url=address, learnt=learnt, extra=settings.extra_body, connect_s=5.0)
        model.learn_anew()
        terms = terms_of(settings, name, model)
        present = Present(
            address=without_passwords(address),
            local=is_of_this_machine(address),
            context=context,
            call_deadline_s=settings.call_deadline_s,
            run_deadline_s=settings.run_deadline_s,
            max_tokens=settings.max_tokens,
            concurrency=settings.model_concurrency,
        )

        def step(done: int) -> None:
            self._progress = self._progress.model_copy(update={"step": done})

        try:
            found = await run_model_test(
                model,
                terms,
                present,
                DiagnosticWords(language),
                ANSWER_S,
                step=step,
                clock=self._container.providers.clock,
                called=lambda: model.called,
            )
        finally:
            await model.close()
        memory = Memory(flow=TEST, subject=name[:200], name=name_of_endpoint(address), body=found.model_dump(mode="json"))
        await asyncio.to_thread(self._container.journal.remember, memory, f"test-{random.token_hex(12)}")
        return found

    def test_progress(self) -> ModelTestProgress | None:
        """Return the state of this process's last test, None before the first."""
        test = self._test
        if test is None:
            return None
        if not test.done():
            return self._progress
        if test.cancelled():
            return self._progress.model_copy(update={"error": Reason("model_test_was_stopped")})
        problem = test.exception()
        if problem is None:
            return self._progress.model_copy(update={"result": test.result()})
        if not isinstance(problem, TribunalError):
            raise problem
        return self._progress.model_copy(update={"error": str(problem)})

    def stop_test(self) -> None:
        """End the test that goes on."""
        if self._test is not None:
            self._test.cancel()

    def last_test(self, model: str) -> ModelTest | None:
        """Return what the last test of a model found at the endpoint of the settings, None where there was none."""
        return self._costs.last_test(model)

    def test_of(self, address: str, model: str) -> ModelTest | None:
        """Return what the last test of a model at an endpoint found, None where there was none."""
        return self._costs.test_of(address, model)

    def use_model(self, address: str, model: str, who: str, *, roles: Sequence[str] = (), suited: Mapping[str, str] | None = None) -> None:
        """Ask a model from now on. roles: those that it shall speak; none: all. suited: settings that a test proposed.

        A kept key is for its endpoint: where the endpoint is another one and no key was typed for it, the key is forgotten. Raises
        BadInput, NotAllowed for what the environment sets, and for single roles at another endpoint than the others.
        """
        address, settings = _checked(address), self._container.settings
        moves = _origin(address) != _origin(settings.openai_base_url or DEFAULT_ADDRESS)
        if roles and moves:
            raise NotAllowed(Reason("roles_share_one_endpoint", address=self.address))
        values: dict[str, str | None] = {name: value for name, value in (suited or {}).items() if name in _SUITED}
        if address != (settings.openai_base_url or DEFAULT_ADDRESS):
            values[_ADDRESS] = None if address == DEFAULT_ADDRESS else address
        if roles:
            values[_ROLES] = json.dumps({**settings.role_models, **dict.fromkeys(roles, model)})
        else:
            values[_MODEL] = model
            if settings.role_models:
                values[_ROLES] = None
        typed = self._typed.get(_origin(address))
        keys: dict[str, str | None] = {}
        if typed is not None:
            keys[MODEL_KEY] = typed.get_secret_value()
        elif moves and self.kept(MODEL_KEY).is_set:
            keys[MODEL_KEY] = None
        self._changes.change(values, keys, who)
        self._typed.clear()

    def use_script(self, who: str) -> None:
        """Let the script speak from now on; a key stays kept."""
        self._changes.change({_MODEL: _SCRIPTED, _ROLES: None}, {}, who)

    def set_price(self, model: str, sent: float, received: float, who: str) -> None:
        """Set what a million tokens cost, sent and received. Raises BadInput for a negative price."""
        prices = {name: list(price) for name, price in self._container.settings.prices.items()}
        self._changes.change({_PRICES: json.dumps({**prices, model: [sent, received]})}, {}, who)

    def _key_for(self, address: str) -> str:
        """Return the key for an endpoint: what was typed for it, or what is kept, for its own endpoint only."""
        typed, settings = self._typed.get(_origin(address)), self._container.settings
        if typed is not None:
            return typed.get_secret_value()
        own = _origin(address) == _origin(settings.openai_base_url or DEFAULT_ADDRESS)
        return settings.openai_api_key.get_secret_value().strip() if own else ""

    # markets and accounts

    def exchanges(self) -> list[str]:
        """Return the exchanges that ccxt knows. The first call takes half a second."""
        import ccxt  # noqa: PLC0415 - late, as above

        return list(ccxt.exchanges)

    def read_market(self, exchange: str) -> MarketReading:
        """Return what the public side of an exchange gives, or why it gives nothing; blocks until it answers. No key is used."""
        return self._ask(self._read_market(exchange))

    async def _read_market(self, exchange: str) -> MarketReading:
        from engine.market.exchange import ExchangeFeed  # noqa: PLC0415 - ccxt comes with it
        from engine.venue.status import venue_status  # noqa: PLC0415 - late, as above
        from engine.venue.wire import Wire  # noqa: PLC0415 - late, as above

        url, clock = self._container.settings.exchange_url, self._container.providers.clock
        try:
            wire = await asyncio.to_thread(Wire, exchange, url, 8.0, 0.2)
        except TribunalError as problem:
            return MarketReading(exchange=exchange, words=str(problem))
        feed = ExchangeFeed(exchange, url, clock, deadline_s=20.0)
        found = MarketReading(exchange=exchange, host=_host_of(wire.client.urls.get("api")))
        try:
            status = await venue_status(wire)
            found = found.model_copy(
                update={"markets": status.markets, "skew_s": None if status.skew_ms is None else status.skew_ms / 1000}
            )
            listed = [market.symbol for market in await feed.markets()]
            symbol = usual_of(listed)
            market = await feed.market(symbol)
            known = await feed.timeframes(market)
            shortest = min(known, key=lambda each: each.ms) if known else Timeframe.parse("15m")
            candles = (await feed.candles(market, shortest, clock(), 2)).closed
            closed_at = datetime.fromtimestamp(candles.closed_at / 1000, UTC)
            return found.model_copy(update={"symbol": symbol, "price": float(candles.close[-1]), "closed_at": closed_at})
        except TribunalError as problem:
            return found.model_copy(update={"words": str(problem)})
        finally:
            await wire.close()
            await feed.close()

    def use_market(self, feed: FeedName, exchange: str, who: str) -> None:
        """Read prices from a feed from now on; a live one of this exchange. Raises BadInput, NotAllowed for what the environment sets."""
        values: dict[str, str | None] = {"TRIBUNAL_FEED": feed}
        if feed == "live":
            values["TRIBUNAL_EXCHANGE"] = exchange
        self._changes.change(values, {}, who)

    def read_account(self, keys: Mapping[str, str] | None = None) -> AccountReading:
        """Return what the exchange of the settings says of the account, in the sandbox unless real orders are asked for, or why it says
        nothing; blocks until it answers. keys: by their variables, None = those that are kept."""
        settings, entry = self._container.settings, BROKERS[EXCHANGE]
        own = self._container.approvals.brokers.own[EXCHANGE]
        sandbox = settings.live != "yes"
        assert entry.checks is not None
        if keys is not None:
            hide_in_log(keys.values())
            own = load(entry.own, **keys)
        try:
            found = self._ask(entry.checks.permissions(settings, own))
        except TribunalError as problem:
            return AccountReading(exchange=settings.exchange, sandbox=sandbox, words=str(problem))
        return AccountReading(exchange=settings.exchange, sandbox=sandbox, **found.model_dump())

    def keep_account(self, keys: Mapping[str, str], who: str) -> AccountReading:
        """Keep the keys of the exchange's account, once they read it; gives what was read, `words` where they were not kept. Raises
        NotAllowed for keys of real money that may withdraw."""
        given = {name: keys.get(name, "").strip() for name in EXCHANGE_KEYS}
        found = self.read_account(given)
        if found.words:
            return found
        if found.may_withdraw and not found.sandbox:
            raise NotAllowed(Reason("key_may_withdraw", exchange=found.exchange))
        self._changes.change({}, {name: value or None for name, value in given.items() if value or self.kept(name).is_set}, who)
        return found

    def use_account(self, broker: str, who: str) -> None:
        """Order at a broker from now on. Raises BadInput for one that there is not, NotAllowed for what the environment sets."""
        self._changes.change({"TRIBUNAL_BROKER": None if broker == DEFAULT_BROKER else broker}, {}, who)
        if broker != DEFAULT_BROKER:
            self._container.watch_accounts()

    # alerts

    @property
    def alert_kinds(self) -> list[str]:
        """The services that alerts go to, as their addresses begin: `tgram`. The rest of an address is a secret."""
        return [kind_of(each) for each in alert_addresses(self._container.settings)]

    def alert_state(self) -> AlertState:
        """Return whether alerts are sent, and whether a person has said that they arrive."""
        settings = self._container.settings
        if not alert_addresses(settings):
            return "off"
        arrived = self._container.journal.newest_memory(ALERTS, ALERTS, _name_of_alerts(settings))
        return "works" if arrived is not None else "untested"

    def keep_alerts(self, addresses: str, who: str, when: Collection[AlertTopic] | None = None) -> None:
        """Send alerts to these addresses from now on, separated by spaces. addresses: "" = those that are kept. when: what is alerted;
        None = as it is. Raises BadInput for an address that is none and for an empty choice, NotAllowed for what the environment sets."""
        wanted, kept = addresses.split(), self._container.settings.alerts_when
        hide_in_log(wanted)
        require_addresses(wanted)
        if when is not None and not when:
            raise BadInput(Reason("alerts_are_about_nothing"))
        chosen = [topic for topic in TOPICS if when is not None and topic in when]
        values: dict[str, str | None] = {ALERTS_WHEN: ",".join(chosen)} if chosen and set(chosen) != set(kept) else {}
        self._changes.change(values, {ALERTS: " ".join(wanted)} if wanted else {}, who)

    def test_alerts(self, language: Language = "en") -> list[SentAlert]:
        """Send one message to every address that is kept; blocks until each service has answered. Raises BadInput."""
        return send_alert(alert_addresses(self._container.settings), Reason("alert_is_test").said_in(language))

    def say_alerts_arrived(self) -> None:
        """Note that a test has arrived at the addresses that are kept."""
        memory = Memory(flow=ALERTS, subject=ALERTS, name=_name_of_alerts(self._container.settings), body={})
        self._container.journal.remember(memory, f"test-{random.token_hex(12)}")

    def _ask(self, question: Coroutine[Any, Any, Result]) -> Result:
        try:
            return self._container.loop.submit(question).result(_WAIT_S)
        except TimeoutError:
            raise TribunalError(Reason("there_was_no_answer_within_s", wait_s=f"{_WAIT_S:.0f}")) from None


def _name_of_alerts(settings: Settings) -> str:
    return name_of_endpoint(" ".join(alert_addresses(settings)))


def _checked(address: str) -> str:
    """Normalize an endpoint's address. Raises BadInput for an invalid one, without repeating it: it may hold a password."""
    text = address.strip().rstrip("/")
    try:
        parts = urlsplit(text)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        fine = False
    if not fine or parts.query or parts.fragment or parts.username or not text.isprintable() or " " in text:
        raise BadInput(Reason("address_is_not_one_of_endpoint"))
    load(Settings, OPENAI_BASE_URL=text)
    return text


def _require_safe(address: str) -> None:
    """Raise NotAllowed unless a key sent to this address is encrypted or stays on this machine."""
    if address.startswith("http://") and not is_of_this_machine(address):
        raise NotAllowed(Reason("keys_are_never_sent_over_plain_http", host=urlsplit(address).netloc))


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}".lower()


def _host_of(urls: object) -> str:
    """Return the first host in a (nested) table of addresses."""
    if isinstance(urls, Mapping):
        return next((host for value in urls.values() if (host := _host_of(value))), "")
    return urlsplit(urls).netloc if isinstance(urls, str) else ""
