"""Attack 11: what somebody writes into a checkpoint is never made into anything but JSON; the run fails closed."""

import pickle
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.domain.errors import StoreError, TribunalError
from engine.runs.checkpoints import PlainSerde
from tests.flows.answers import cast, role_of
from tests.servers.llm import HANG, LLMServer

if TYPE_CHECKING:
    from engine.api import Engine


class Bomb:
    """Leaves a mark when it is revived."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def rows(mark: Path) -> list[tuple[str, bytes]]:
    constructor = f'{{"lc":2,"type":"constructor","id":["pathlib","Path"],"method":"touch","args":["{mark}"]}}'.encode()
    return [
        ("pickle", pickle.dumps(Bomb(mark))),
        ("json", constructor),
        ("plain", constructor),
        ("msgpack", b"\xc7\x20\x05" + constructor[:32]),
        ("plain", b"\x00\x01not json"),
        ("plain", b"[" * 100_000),
    ]


@pytest.mark.full
@pytest.mark.parametrize("number", range(6))
def test_a_hostile_checkpoint_is_not_revived(make_engine: "Callable[..., Engine]", candles: Path, tmp_path: Path, number: int) -> None:
    mark = tmp_path / "mark"
    with LLMServer(cast(judge=HANG)) as server:
        endpoint = {"openai_base_url": server.base_url, "openai_api_key": "sk-test", "model": "m", "data_dir": candles}
        first = make_engine(**endpoint)
        run_id = first.start(first.decisions.request("BTC/USDT:USDT"))
        while not any(role_of(request.body) == "judge" for request in server.requests):
            pass
        first.close()
        server.answer = cast()
        kind, payload = rows(mark)[number]
        with closing(sqlite3.connect(tmp_path / "home" / "tribunal.db")) as connection:
            changed = connection.execute("UPDATE checkpoints SET type = ?, checkpoint = ?", (kind, payload)).rowcount
            connection.execute("UPDATE writes SET type = ?, value = ?", (kind, payload))
            connection.commit()
        assert changed > 0
        second = make_engine(**endpoint)
        second.resume(run_id)
        record, told = None, ""
        try:
            record = second.wait(run_id, 30)
        except TribunalError as problem:
            told = str(problem)
        assert "Traceback" not in told
        if record is not None:  # it is continued in its safe action, or not at all
            assert record.result is not None
            assert record.result["is_valid"] is False
    assert not mark.exists()


def test_what_is_kept_comes_back_and_nothing_else_is_kept() -> None:
    serde = PlainSerde()
    state = {"a": [1, 2.5, None, "x"], "names": {"trend", "pattern"}}
    assert serde.loads_typed(serde.dumps_typed(state)) == state
    with pytest.raises(StoreError, match="not JSON"):
        serde.dumps_typed({"a": Path("/etc")})
