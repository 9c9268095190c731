"""Alerts as messages: what is sent where, that nobody waits for a service, and that an address is as secret as a key."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import Queue
from typing import TYPE_CHECKING, Any

import pytest

from engine.domain.errors import BadInput, NotAllowed, TribunalError
from engine.settings import load_settings

if TYPE_CHECKING:
    from engine.api import Engine

TOKEN = "canary-3f61b0aa72"
ALERTS = "TRIBUNAL_ALERTS"
Make = Callable[..., "Engine"]


class Inbox:
    """Somebody's messages. messages: as they came; takes: whether the service takes them."""

    def __init__(self) -> None:
        self.messages: Queue[dict[str, Any]] = Queue()
        self.takes = True
        inbox = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                if inbox.takes:
                    inbox.messages.put(body)
                self.send_response(200 if inbox.takes else 500)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    @property
    def address(self) -> str:
        return f"json://127.0.0.1:{self._server.server_port}/{TOKEN}?cto=60&rto=60"  # seconds that its sender is patient

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    made = Inbox()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the program is started."""
    there = tmp_path / "started"
    there.mkdir()
    monkeypatch.chdir(there)
    return there


@pytest.mark.full
def test_what_waits_is_sent_without_a_price_and_a_demo_sends_nothing(make_engine: Make, inbox: Inbox) -> None:
    engine = make_engine(alerts=inbox.address, public_url="https://desk.example", proposal_minutes=30)
    asked = {"feed": "simulated", "at": "2026-05-16T12:00Z", "lies": 0.2, "seed": 20, "propose": True}
    engine.wait(engine.start(engine.decisions.request("BTC/USDT:USDT", broker="demo", **asked)), 60)
    record = engine.wait(engine.start(engine.decisions.request("BTC/USDT:USDT", **asked)), 60)
    assert engine.trading.proposal_of(record.run_id) is not None
    sent = inbox.messages.get(timeout=20)["message"]
    assert sent == "BTC/USDT:USDT 15m waits for a signature, 30 min\nhttps://desk.example/approvals"
    engine.close()
    assert inbox.messages.empty()


@pytest.mark.full
def test_what_was_chosen_is_told_and_nothing_else(make_engine: Make, inbox: Inbox) -> None:
    """Halting, a run that cannot begin and a position that is closed, each with and without being chosen."""
    engine = make_engine()
    asked = {"feed": "simulated", "at": "2026-05-16T12:00Z", "lies": 0.2, "seed": 20}

    def look() -> None:
        engine._container.loop.submit(engine._container.approvals.maintenance.tell_closed()).result(60)

    def happens() -> None:
        engine.trading.halt("op", "news")
        engine.trading.unhalt("op")
        with pytest.raises(TribunalError):
            engine.wait(engine.start(engine.decisions.request("NOTHING", **asked)), 60)
        look()
        record = engine.wait(engine.start(engine.decisions.request("BTC/USDT:USDT", propose=True, **asked)), 60)
        proposal = engine.trading.proposal_of(record.run_id)
        assert proposal is not None
        engine.trading.approve(proposal.id, "op")
        engine.trading.close_position("BTC/USDT:USDT", "op")
        look()

    engine.connections.keep_alerts(inbox.address, "op", ["waits"])
    happens()
    engine.connections.keep_alerts("", "op", ["halted", "failed", "closed"])
    assert (engine.connections.alert_kinds, load_settings().alerts_when) == (["json"], ("failed", "halted", "closed")), "the next start too"
    happens()
    engine.close()
    told = [inbox.messages.get_nowait()["message"] for _ in range(inbox.messages.qsize())]
    assert [re.sub(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{6}", "RUN", each) for each in told] == [
        "BTC/USDT:USDT 15m waits for a signature, 15 min",
        "trading was halted by op: news",
        "trading was allowed again by op",
        "NOTHING: run RUN failed",
        "BTC/USDT:USDT: the position is closed",
    ]


@pytest.mark.full
def test_a_position_that_ended_while_no_server_ran_is_told_once(make_engine: Make, inbox: Inbox) -> None:
    """Servers look at what has ended; between them the shell opens a position and closes it."""

    def serve() -> list[str]:
        engine = make_engine(alerts=inbox.address, alerts_when=["closed"])
        engine._container.loop.submit(engine._container.approvals.maintenance.tell_closed()).result(60)
        engine.close()
        return [inbox.messages.get_nowait()["message"] for _ in range(inbox.messages.qsize())]

    def trade(seed: int) -> None:
        engine = make_engine()
        asked = {"feed": "simulated", "at": "2026-05-16T12:00Z", "lies": 0.2, "seed": seed, "propose": True}
        proposal = engine.trading.proposal_of(engine.wait(engine.start(engine.decisions.request("BTC/USDT:USDT", **asked)), 60).run_id)
        assert proposal is not None
        engine.trading.approve(proposal.id, "op")
        engine.trading.close_position("BTC/USDT:USDT", "op")
        engine.close()

    trade(20)
    assert serve() == [], "what ended before anybody wanted to know"
    trade(20)
    assert serve() == ["BTC/USDT:USDT: the position is closed"]
    assert serve() == []


def test_an_address_is_kept_as_a_key_is(make_engine: Make, folder: Path, monkeypatch: pytest.MonkeyPatch, inbox: Inbox) -> None:
    engine = make_engine()
    for wrong in ("nonsense", f"telegrm://{TOKEN}", f"{inbox.address} smoke://{TOKEN}"):
        with pytest.raises(BadInput) as refused:
            engine.connections.keep_alerts(wrong, "op")
        assert TOKEN not in str(refused.value)
    engine.connections.keep_alerts(inbox.address, "op")
    assert TOKEN not in repr(engine.settings) + "".join(row.model_dump_json() for row in engine.trading.history())
    assert load_settings().alerts.get_secret_value() == inbox.address, "the next start has it"
    monkeypatch.setenv(ALERTS, "ntfy://elsewhere")
    with pytest.raises(NotAllowed):
        engine.connections.keep_alerts(inbox.address, "op")
