"""Many decisions at once, and what stays behind: against the same calls one after another, ten and a hundred at once, the journal's growth,
the memory after five hundred.

The model is the one of `decision`: 2.3 s a call, 200 tokens, in a process of its own. Memory and journal are measured with the scripted
model, which says as much and takes no time.
"""

import asyncio
import gc
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil

from engine.api import Engine
from engine.llm.calls import CallPolicy, complete
from engine.llm.openai import OpenAIModel
from engine.llm.protocol import ModelCall, Planted
from engine.settings import Settings
from tests.benchmarks.decision import CALL_S, FIRST_TOKEN_S, SYMBOL, TOKENS, scripted_state
from tests.benchmarks.endpoint import running
from tests.benchmarks.measured import Measured
from tests.benchmarks.texts import said, stretched
from tests.flows.answers import write_candles

CALLS, AT_ONCE, CROWD, WARM, LONG = 8, 10, 100, 50, 500


def measure(folder: Path) -> Iterator[Measured]:
    """folder: a place of its own."""
    candles = write_candles(folder / "candles")
    answers = {role: stretched(text, TOKENS) for role, text in said(scripted_state(folder, candles)).items()}
    with running(answers, folder, FIRST_TOKEN_S, (TOKENS - 1) / (CALL_S - FIRST_TOKEN_S)) as endpoint:
        settings: dict[str, Any] = {"openai_base_url": endpoint.base_url, "openai_api_key": "sk-benchmark", "model": "loopback"}
        own = Settings(_env_file=None, home=folder / "crowd", pace=0, call_deadline_s=60, **settings)
        with closing(Engine(own)) as engine:
            _at_once(engine, candles, 1)  # imports, the client, the first compiled graph
            one = min(_at_once(engine, candles, 1)[0] for _ in range(3))
            in_a_row = asyncio.run(_in_a_row(endpoint.base_url))
            yield Measured(
                "the same calls in a row, to one decision",
                "x",
                [in_a_row / one],
                1.55,
                fewest=True,
                note=f"{in_a_row:.1f} s to {one:.2f} s",
            )
            ten, _ = _at_once(engine, candles, AT_ONCE)
            yield Measured(f"{AT_ONCE} at once, to one", "x", [ten / one], 1.10, note=f"{ten:.2f} s")
            crowd, _ = _at_once(engine, candles, CROWD)
            yield Measured(f"{CROWD} at once", "a second", [CROWD / crowd], note=f"{crowd:.1f} s")
    yield from _left_behind(folder, candles)


def _at_once(engine: Engine, candles: Path, count: int) -> tuple[float, float]:
    """Wall and processor seconds of so many decisions, begun together."""
    began, cpu = time.monotonic(), time.process_time()
    runs = [engine.start(engine.decisions.request(SYMBOL, data_dir=str(candles))) for _ in range(count)]
    for run_id in runs:
        result = engine.wait(run_id, timeout=300).result
        assert result is not None
        assert result["is_valid"], result["errors"]
    return time.monotonic() - began, time.process_time() - cpu


class _Deaf:
    """A listener that keeps nothing."""

    def text(self, piece: str, attempt: int) -> None:
        """Ignored."""

    def planted(self, planted: Planted) -> None:
        """Ignored."""

    def retrying(self, attempt: int, reason: str, wait_s: float) -> None:
        """Ignored."""


async def _in_a_row(base_url: str) -> float:
    """Seconds of a decision's eight calls, one after another."""
    model = OpenAIModel("loopback", api_key="sk-benchmark", base_url=base_url)
    call = ModelCall(role="bull", language="en", system="", user="go on", context="", attempt=1)
    began = time.monotonic()
    for _ in range(CALLS):
        await complete(model, call, CallPolicy(), _Deaf())
    taken = time.monotonic() - began
    await model.close()
    return taken


def _left_behind(folder: Path, candles: Path) -> Iterator[Measured]:
    """The journal after some decisions, the memory after many."""
    journal, this = folder / "left" / "tribunal.db", psutil.Process()
    with closing(Engine(Settings(_env_file=None, home=journal.parent, pace=0))) as engine:
        _some(engine, candles, WARM)
        gc.collect()
        before, grown = this.memory_info().rss, _bytes(journal) / WARM
        _some(engine, candles, LONG - WARM)
        gc.collect()
        after = this.memory_info().rss
    yield Measured("journal's growth a decision", "kB", [grown / 1000], 300, note=f"{WARM} decisions; `prune --days N` forgets")
    yield Measured(f"memory after {LONG} decisions, to after {WARM}", "x", [after / before], 1.10, note=f"{after / 1e6:.0f} MB")


def _some(engine: Engine, candles: Path, count: int) -> None:
    for begun in range(0, count, AT_ONCE):
        runs = [engine.start(engine.decisions.request(SYMBOL, data_dir=str(candles))) for _ in range(min(AT_ONCE, count - begun))]
        for run_id in runs:
            engine.wait(run_id, timeout=300)


def _bytes(journal: Path) -> int:
    return sum(file.stat().st_size for file in journal.parent.glob(journal.name + "*"))
