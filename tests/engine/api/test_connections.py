"""Connecting while the program runs, over servers on loopback: what is found, what is kept where, what is sent to whom, and who wins."""

import json
import os
import stat
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError

from engine.api import connections
from engine.domain.connection import ModelTest
from engine.domain.errors import BadInput, NotAllowed, StoreError
from engine.settings import load_settings
from tests.engine.diagnostics.test_model_probe import able
from tests.flows.answers import cast
from tests.servers.exchange import LoopbackExchange
from tests.servers.exchange_account import API_KEY, SECRET
from tests.servers.llm import Body, LLMServer, Plan, refused_url, status

if TYPE_CHECKING:
    from engine.api import Engine

KEY = "sk-canary-5b1f9c03d7e24a68"
ME = "op-1"
MODEL_KEY = "OPENAI_API_KEY"
Make = Callable[..., "Engine"]


class FakeKeyring(KeyringBackend):
    """A keyring in memory, found through the library's own registry."""

    priority = 9  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}
        self.is_locked = False

    def get_password(self, service: str, username: str) -> str | None:
        self._require_unlocked()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._require_unlocked()
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._require_unlocked()
        if (service, username) not in self.kept:
            raise PasswordDeleteError
        del self.kept[service, username]

    def _require_unlocked(self) -> None:
        if self.is_locked:
            raise KeyringLocked


@pytest.fixture
def ring() -> Iterator[FakeKeyring]:
    before, made = keyring.get_keyring(), FakeKeyring()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the program is started."""
    there = tmp_path / "started"
    there.mkdir()
    monkeypatch.chdir(there)
    return there


def measured(engine: "Engine", address: str, model: str, **more: Any) -> ModelTest:
    engine.connections.start_test(address, model, **more)
    assert engine.connections._test is not None
    engine.connections._test.exception(60)
    progress = engine.connections.test_progress()
    assert progress is not None
    assert progress.result is not None, progress
    return progress.result


def connected(engine: "Engine", server: LLMServer, model: str = "m-7b", key: str = KEY) -> None:
    assert engine.connections.models(server.base_url, key).state == "answers"
    engine.connections.use_model(server.base_url, model, ME)


def test_without_a_keyring_a_key_goes_into_a_file_that_nobody_else_can_read(make_engine: Make, folder: Path) -> None:
    (folder / ".env").write_text("# mine\nTRIBUNAL_PACE=0\n")
    (folder / ".env").chmod(0o644)
    engine = make_engine()
    assert engine.connections.keyring == ""
    with LLMServer(able, models=["m-7b"], key=KEY) as server:
        connected(engine, server)
    text = (folder / ".env").read_text()
    assert stat.S_IMODE((folder / ".env").stat().st_mode) == 0o600
    assert text.startswith("# mine\nTRIBUNAL_PACE=0\n"), "what else stands there stays"
    assert f"{MODEL_KEY}={KEY}\n" in text
    assert engine.connections.kept(MODEL_KEY).place == "file"
    assert load_settings().openai_api_key.get_secret_value() == KEY, "the next start has it"
    engine.connections.forget([MODEL_KEY], ME)
    assert KEY not in (folder / ".env").read_text()
    assert not engine.connections.kept(MODEL_KEY).is_set
    assert [path.name for path in folder.iterdir()] == [".env"], "nothing is left over"


def test_a_keyring_keeps_the_key_and_the_file_only_its_name(make_engine: Make, folder: Path, ring: FakeKeyring) -> None:
    (folder / ".env").write_text(f"{MODEL_KEY}=sk-of-before-000000\n")
    engine = make_engine()
    with LLMServer(able, models=["m-7b"], key=KEY) as server:
        connected(engine, server)
    text = (folder / ".env").read_text()
    assert KEY not in text
    assert "sk-of-before" not in text, "a key is in one place"
    assert list(ring.kept.values()) == [KEY]
    assert engine.connections.kept(MODEL_KEY).place == "keyring"
    assert load_settings().openai_api_key.get_secret_value() == KEY, "the next start has it"
    ring.is_locked = True
    assert load_settings().openai_api_key.get_secret_value() == "", "a locked keyring keeps nothing from starting"
    with pytest.raises(StoreError, match="unlock it"):
        engine.connections.forget([MODEL_KEY], ME)
    ring.is_locked = False
    engine.connections.forget([MODEL_KEY], ME)
    assert ring.kept == {}
    assert "TRIBUNAL_KEYRING" not in (folder / ".env").read_text()


def test_the_environment_wins_and_cannot_be_changed(make_engine: Make, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("openai_api_key", "sk-outside-12345")  # names are read without regard to case
    engine = make_engine(openai_api_key="sk-outside-12345")
    assert engine.connections.kept(MODEL_KEY).place == "outside"
    with LLMServer(able, models=["m-7b"]) as server:
        engine.connections.models(server.base_url, KEY)
        with pytest.raises(NotAllowed, match="OPENAI_API_KEY was set before the program started"):
            engine.connections.use_model(server.base_url, "m-7b", ME)
    with pytest.raises(NotAllowed):
        engine.connections.forget([MODEL_KEY], ME)
    assert not (folder / ".env").exists()
    assert engine.settings.default_model == "gpt-4o-mini", "nothing of it was taken"


def test_a_key_is_sent_to_its_own_endpoint_only(make_engine: Make) -> None:
    engine = make_engine()
    with LLMServer(able, models=["m-7b"], key=KEY) as own, LLMServer(able, models=["n-8b"]) as other:
        connected(engine, own)
        assert engine.connections.models(other.base_url).state == "answers"
        measured(engine, other.base_url, "n-8b")
        engine.connections.use_model(other.base_url, "n-8b", ME)
        assert not engine.connections.kept(MODEL_KEY).is_set, "it belongs to an endpoint that is not asked any more"
        assert all(KEY not in str(request.headers) for request in other.requests)
    with pytest.raises(NotAllowed, match="plain http"):
        engine.connections.models("http://models.example/v1", KEY)
    for address in ("ftp://h/v1", "http://", "https://user:pw@h/v1", "https://h/v1?x=1", "nonsense"):
        with pytest.raises(BadInput, match="no address of an endpoint"):
            engine.connections.models(address)


def test_what_an_endpoint_answers_is_told_apart(make_engine: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.llm.model_servers._LOOK_S", 30.0)
    engine = make_engine()
    with LLMServer(able, models=["m-7b", "nomic-embed-text"], key=KEY, context=8192) as server:
        refused = engine.connections.models(server.base_url, "sk-wrong-99887766")
        found = engine.connections.models(server.base_url, KEY)
    assert (refused.state, refused.words) == ("key_refused", "401")
    assert [(model.name, model.context, model.speaks) for model in found.models] == [
        ("m-7b", 8192, True),
        ("nomic-embed-text", 8192, False),
    ]
    with LLMServer(able) as no_list:
        assert engine.connections.models(no_list.base_url).state == "no_models"
    assert engine.connections.models(refused_url()).state == "not_reached"
    with LLMServer(able, models=["m-7b"]) as server:
        port = int(server.base_url.rpartition(":")[2].removesuffix("/v1"))
        dead = int(refused_url().rpartition(":")[2].removesuffix("/v1"))
        looked = engine.connections.find_servers({"Ollama": port, "vLLM": dead})
    assert [(each.kind, each.state) for each in looked] == [("Ollama", "answers"), ("vLLM", "not_reached")]


@pytest.mark.full
def test_new_runs_ask_the_new_model_and_a_run_that_goes_on_keeps_its_own(make_engine: Make) -> None:
    engine = make_engine(call_deadline_s=60)
    go, begun = threading.Event(), threading.Event()
    sound = cast()

    def waits(body: Body) -> Plan:
        begun.set()
        assert go.wait(60)
        return sound(body)

    with LLMServer(waits, models=["m-7b"]) as first, LLMServer(sound, models=["n-8b"]) as second:
        connected(engine, first)
        early = engine.start(engine.decisions.request("BTC/USDT:USDT"))
        assert begun.wait(30)
        connected(engine, second, "n-8b")
        late = engine.wait(engine.start(engine.decisions.request("BTC/USDT:USDT")), 60)
        asked_of_second = len(second.requests)
        go.set()
        done = engine.wait(early, 60)
        assert len(second.requests) == asked_of_second, "the run that went on asked where it had begun"
    assert (late.request.model, done.request.model) == ("n-8b", "m-7b")
    for record in (late, done):
        assert record.result is not None
        assert record.result["metrics"]["failed_llm_calls"] == 0


def files_of(*folders: Path) -> Mapping[Path, bytes]:
    return {path: path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()}


def test_a_key_stands_in_its_place_and_nowhere_else(
    make_engine: Make, tmp_path: Path, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    engine = make_engine()
    account_keys = dict(zip(connections.EXCHANGE_KEYS, (API_KEY, SECRET, ""), strict=True))
    echo = lambda body: status(400, f"your key {KEY} is not welcome here")  # noqa: E731 - a server that repeats what it was sent
    with LLMServer(able, models=["m-7b"], key=KEY) as server, LoopbackExchange() as venue:
        connected(engine, server)
        server.answer = cast()
        record = engine.wait(engine.start(engine.decisions.request("BTC/USDT:USDT", propose=True)), 60)
        bundle = json.dumps(engine.bundle(record.run_id), default=str)
        server.answer = echo
        said = repr(measured(engine, server.base_url, "m-7b")) + repr(engine.check(10.0))
        server.key = "another"
        said += repr(engine.connections.models(server.base_url, KEY)) + repr(engine.connections.kept(MODEL_KEY))
        engine._container.settings = engine.settings.model_copy(update={"exchange_url": venue.url})
        said += repr(engine.connections.keep_account(account_keys, ME))
    said += repr(engine.settings) + repr(engine.trading.history(limit=100)) + repr(vars(engine.connections))
    out, err = capfd.readouterr()
    for secret in (KEY, API_KEY, SECRET):
        assert secret not in out + err + bundle + said
        holding = [path.name for path, content in files_of(tmp_path).items() if secret.encode() in content]
        assert holding == [".env"], "in the file that keeps it, and in no journal, log or record"
    assert [row.subject for row in engine.trading.history(limit=100) if row.kind == "setting.changed"].count(MODEL_KEY) == 1


@pytest.mark.full
def test_an_account_is_read_before_its_keys_are_kept(make_engine: Make) -> None:
    with LoopbackExchange() as venue:
        engine = make_engine(exchange_url=venue.url)
        wrong = dict(zip(connections.EXCHANGE_KEYS, ("wrong-key-000000", SECRET, ""), strict=True))
        right = dict(zip(connections.EXCHANGE_KEYS, (API_KEY, SECRET, ""), strict=True))
        refused = engine.connections.keep_account(wrong, ME)
        assert refused.words
        assert "wrong-key" not in refused.words
        assert not engine.connections.kept("TRIBUNAL_API_KEY").is_set
        found = engine.connections.keep_account(right, ME)
        assert (found.words, found.sandbox) == ("", True)
        assert [currency for currency, _, _ in found.balances][:1] == ["USDT"]
        engine.connections.use_account("exchange", ME)
        assert engine.trading.capabilities.real_money
        assert not engine.trading.is_live, "real orders still need both of their switches"
        assert engine.connections.read_account().words == ""
        market = engine.connections.read_market("binanceusdm")
        assert (market.words, market.symbol) == ("", "BTC/USDT:USDT")
        assert market.price
        assert venue.asked("POST ") == venue.asked("DELETE ") == 0, "nothing was ordered"
        engine.connections.use_account("paper", ME)
        assert not engine.trading.capabilities.real_money


def test_a_key_of_real_money_that_may_withdraw_is_not_kept(make_engine: Make) -> None:
    with LoopbackExchange() as venue:
        venue.account.may_withdraw = True
        engine = make_engine(exchange_url=venue.url, live="yes")
        with pytest.raises(NotAllowed, match="can withdraw funds"):
            engine.connections.keep_account(dict(zip(connections.EXCHANGE_KEYS, (API_KEY, SECRET, ""), strict=True)), ME)
        assert not engine.connections.kept("TRIBUNAL_API_KEY").is_set


def test_what_is_no_setting_of_the_page_waits_for_the_next_start(make_engine: Make, folder: Path) -> None:
    """Whoever writes TRIBUNAL_LIVE=yes beside a running program has not typed the words of its terminal."""
    engine = make_engine()
    (folder / ".env").write_text("TRIBUNAL_LIVE=yes\n")
    engine.connections.change({"TRIBUNAL_RUN_COST": "0.5"}, ME)
    assert (engine.settings.live, engine.settings.run_cost) == ("no", 0.5)
    with pytest.raises(BadInput, match="TRIBUNAL_RUN_COST"):
        engine.connections.change({"TRIBUNAL_RUN_COST": "-1"}, ME)
    assert "TRIBUNAL_RUN_COST=0.5" in (folder / ".env").read_text(), "a bad value changes nothing"
    assert os.environ.get("TRIBUNAL_RUN_COST") is None
