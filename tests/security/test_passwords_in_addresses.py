"""A password that stands in an address reaches no terminal, no journal, no event and no file, whether the address works or not."""

import os
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.flows.answers import cast
from tests.processes import run_engine
from tests.servers import exchange
from tests.servers.exchange_account import API_KEY, SECRET
from tests.servers.llm import LLMServer

PASSWORD = "canary-Zq8x"
ADDRESSES = (
    "http://me:{p}@{host}",
    "http://me:{p}@127.0.0.1:9",
    "http://me:{p}@127.0.0.1:port",
    "http://{p}@127.0.0.1:9/",
    "me:{p}@127.0.0.1:9",
    "http://me:x/{p}@127.0.0.1:9",
    "http://me:{p}",
    "http://127.0.0.1:9/?token={p}",
    "http://127.0.0.1:9/#{p}",
    "ftp://me:{p}@127.0.0.1:9",
)


def run(home: Path, *arguments: str, **settings: str) -> tuple[int, bytes]:
    """The exit code, and everything that was said and kept."""
    environment = {**os.environ, "TRIBUNAL_HOME": str(home), "TRIBUNAL_CALL_DEADLINE_S": "2", **settings}
    done = run_engine(*arguments, environment=environment)
    kept = b"".join(path.read_bytes() for path in home.parent.rglob("*") if path.is_file())
    return done.returncode, (done.stdout + done.stderr).encode() + kept


@pytest.mark.full
@pytest.mark.parametrize("address", ADDRESSES)
def test_of_an_exchange(tmp_path: Path, address: str) -> None:
    events = ("--events", str(tmp_path / "events"), "--json")
    with exchange.LoopbackExchange() as venue:
        url = address.format(p=PASSWORD, host=urlsplit(venue.url).netloc)
        keys = {"TRIBUNAL_API_KEY": API_KEY, "TRIBUNAL_API_SECRET": SECRET, "TRIBUNAL_EXCHANGE_URL": url}
        for broker in ("paper", "exchange"):
            arguments = ("decide", "BTC/USDT:USDT", "--feed", "live", "--broker", broker, *events)
            code, said = run(tmp_path / "home", *arguments, **keys)
            assert PASSWORD.encode() not in said, said[:600]
            assert code == (0 if address == ADDRESSES[0] else code or 1), said[:600]
        _, said = run(tmp_path / "home", "runs")
        assert PASSWORD.encode() not in said


@pytest.mark.full
def test_of_an_exchange_is_sent_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many gateways want one: it goes along, as a header."""
    seen, answer = [], exchange._Handler._answer
    monkeypatch.setattr(
        exchange._Handler, "_answer", lambda self, method: (seen.append(self.headers["Authorization"]), answer(self, method))
    )
    with exchange.LoopbackExchange() as venue:
        url = ADDRESSES[0].format(p="p%40ss", host=urlsplit(venue.url).netloc)
        code, said = run(tmp_path / "home", "decide", "BTC/USDT:USDT", "--feed", "live", TRIBUNAL_EXCHANGE_URL=url)
    assert code == 0, said[:600]
    assert set(seen) == {"Basic bWU6cEBzcw=="}


@pytest.mark.full
@pytest.mark.parametrize("address", ADDRESSES)
def test_of_a_model(tmp_path: Path, address: str) -> None:
    with LLMServer(cast()) as model:
        url = address.format(p=PASSWORD, host=f"{urlsplit(model.base_url).netloc}/v1")
        settings = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "sk-test", "TRIBUNAL_MODEL": "m"}
        _, said = run(tmp_path / "home", "decide", "BTC/USDT:USDT", "--json", "--events", str(tmp_path / "events"), **settings)
        assert PASSWORD.encode() not in said, said[:600]


@pytest.mark.full
@pytest.mark.parametrize("address", ADDRESSES)
def test_of_a_proxy(tmp_path: Path, address: str) -> None:
    url = address.format(p=PASSWORD, host="127.0.0.1:9")
    model = {"OPENAI_BASE_URL": "http://model.invalid/v1", "OPENAI_API_KEY": "sk-test", "TRIBUNAL_MODEL": "m"}
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"), url)
    events = ("--events", str(tmp_path / "events"))
    _, said = run(tmp_path / "home", "decide", "BTC/USDT:USDT", "--json", *events, **model, **proxies)
    assert PASSWORD.encode() not in said, said[:600]


@pytest.mark.full
@pytest.mark.parametrize(
    "address",
    ["postgresql://me:{p}@127.0.0.1:9/x", "postgresql://me:{p}@127.0.0.1:port/x", "mysql+no://me:{p}@h/x", "me:{p}@h", "postgresql://me:{p}",
     "sqlite:////no/such/folder/x.db?password={p}", "postgresql://h/x?user=me&password={p}"],
)  # fmt: skip
def test_of_a_database(tmp_path: Path, address: str) -> None:
    code, said = run(tmp_path / "home", "runs", TRIBUNAL_DATABASE_URL=address.format(p=PASSWORD))
    assert code == 1
    assert PASSWORD.encode() not in said, said[:600]
