"""Decisions over the loopback model, on candles written by the test."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.flows.answers import cast, write_candles
from tests.flows.desk import Desk
from tests.flows.shop import Shop, near
from tests.servers.exchange import LoopbackExchange
from tests.servers.llm import LLMServer

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.events import Event

Decided = tuple[dict[str, Any], list["Event"]]
Decide = Callable[..., Decided]


@pytest.fixture(scope="session")
def candles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one recorded perpetual, BTC/USDT:USDT, 15m."""
    return write_candles(tmp_path_factory.mktemp("recorded"))


@pytest.fixture
def decide(make_engine: "Callable[..., Engine]", candles: Path) -> Callable[..., Decided]:
    """Plays one decision to its end: (final state, events). server: the model; without one it is the scripted analyst."""

    def play(server: LLMServer | None = None, deadline_s: float = 20.0, **asked: object) -> Decided:
        endpoint = {"openai_base_url": server.base_url, "openai_api_key": "sk-test", "model": "loopback"} if server else {}
        settings = {name: asked.pop(name) for name in ("max_tokens", "model_concurrency") if name in asked}
        engine = make_engine(call_deadline_s=deadline_s, vision=bool(asked.get("vision")), **endpoint, **settings)
        run_id = engine.start(engine.decisions.request("BTC/USDT:USDT", data_dir=str(candles), **asked))
        record = engine.wait(run_id, timeout=60)
        assert record.result is not None
        return record.result, engine.events(run_id)

    return play


@pytest.fixture
def desk(make_engine: "Callable[..., Engine]", candles: Path, tmp_path: Path) -> Iterator[Desk]:
    """A desk whose decisions are proposed."""
    with LLMServer(cast()) as server:
        yield Desk(make_engine, server, candles, tmp_path / "home")


HOLDING = {"side": "long", "entry_price": 98.0, "size": 1.0, "leverage": 3, "opened_at": "2026-05-16T20:00:00Z"}


@pytest.fixture
def venue() -> Iterator[LoopbackExchange]:
    with LoopbackExchange() as made:
        yield made


@pytest.fixture
def shop(venue: LoopbackExchange, tmp_path: Path) -> Iterator[Shop]:
    with LLMServer(cast(executor=near)) as model:
        yield Shop(tmp_path / "home", venue, model)
