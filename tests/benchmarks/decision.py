"""A decision at a model of 2.3 s a call: how long it takes, how soon its first words are in the event log.

The model is a loopback endpoint in another process that streams 200 tokens over each call. The wall time above the model's own calls is the
engine's, the loopback's and the machine's.
"""

import json
import statistics
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from engine.api import Engine
from engine.domain.events import Event
from engine.domain.run import RunRecord
from engine.settings import Settings
from tests.benchmarks.endpoint import Call, Endpoint, running
from tests.benchmarks.measured import Measured
from tests.benchmarks.texts import said, stretched
from tests.flows.answers import write_candles

SYMBOL = "BTC/USDT:USDT"
CALL_S = 2.3
FIRST_TOKEN_S = 0.5
TOKENS = 200  # 1,600 a decision: more than its 70 to 130 words a role come to
DECISIONS = 5
MOST_OF_PATH = 1.02
TOGETHER = 3
MOST_TOGETHER = 0.82  # four calls that wait for one another instead of five


def measure(folder: Path) -> Iterator[Measured]:
    """folder: a place of its own."""
    candles = write_candles(folder / "candles")
    answers = {role: stretched(text, TOKENS) for role, text in said(scripted_state(folder, candles)).items()}
    with running(answers, folder, FIRST_TOKEN_S, (TOKENS - 1) / (CALL_S - FIRST_TOKEN_S)) as endpoint:
        settings: dict[str, Any] = {"openai_base_url": endpoint.base_url, "openai_api_key": "sk-benchmark", "model": "loopback"}
        with closing(Engine(Settings(_env_file=None, home=folder / "home", pace=0, call_deadline_s=30, **settings))) as engine:
            _decide(engine, candles)  # imports, the client, the first compiled graph
            endpoint.report()
            played = [_timed(engine, candles, endpoint) for _ in range(DECISIONS)]
            together = [_timed(engine, candles, endpoint, openings="together") for _ in range(TOGETHER)]
        yield from _rows(played)
        yield _together(played, together)


def scripted_state(folder: Path, candles: Path) -> dict[str, Any]:
    """The final state of a scripted decision on these candles."""
    with closing(Engine(Settings(_env_file=None, home=folder / "scripted", pace=0))) as engine:
        _, record = _decide(engine, candles)
        assert record.result is not None
        return record.result


class _Played:
    """One decision, measured from both sides."""

    def __init__(self, wall_s: float, events: list[Event], peak: int, calls: list[Call]) -> None:
        self.wall_s, self.peak, self.calls = wall_s, peak, calls
        first = {event.node: event.at.timestamp() for event in reversed(events) if event.kind == "node.tokens"}
        self.delays = [first[call.role] - call.first_due for call in calls]
        analysts, others = calls[:4], calls[4:]
        self.calls_s = max(call.open_s for call in analysts) + sum(call.open_s for call in others)


def _timed(engine: Engine, candles: Path, endpoint: Endpoint, **asked: object) -> _Played:
    began = time.monotonic()
    events, record = _decide(engine, candles, **asked)
    wall = time.monotonic() - began
    peak, calls = endpoint.report()
    assert record.result is not None
    assert record.result["metrics"]["llm_calls_count"] == len(calls) == 8, json.dumps(record.result["errors"])
    return _Played(wall, events, peak, calls)


def _decide(engine: Engine, candles: Path, **asked: object) -> tuple[list[Event], RunRecord]:
    run_id = engine.start(engine.decisions.request(SYMBOL, data_dir=str(candles), **asked))
    record = engine.wait(run_id, timeout=120)
    return engine.events(run_id), record


def _together(played: list[_Played], together: list[_Played]) -> Measured:
    usual = statistics.median(each.wall_s for each in played)
    shares = [each.wall_s / usual for each in together]
    return Measured("both sides opening at once, to one after the other", "x", shares, MOST_TOGETHER, note="`--openings together`")


def _rows(played: list[_Played]) -> Iterator[Measured]:
    yield Measured(f"decision, {CALL_S} s a call", "s", [each.wall_s for each in played])
    share = [each.wall_s / each.calls_s for each in played]
    yield Measured(
        "the same, to its critical path", "x", share, MOST_OF_PATH, note="calls that wait for one another, as the model's side timed them"
    )
    own = [(each.wall_s - each.calls_s) * 1000 for each in played]
    yield Measured("of it beyond the calls", "ms", own, note="calls as the model's side timed them")
    yield Measured("calls open at once", "", [each.peak for each in played], 4, "minimum", fewest=True)
    delays = [delay for each in played for delay in each.delays]
    yield Measured("first token to event log", "s", delays, 0.15, "maximum", note="every role of every decision")
