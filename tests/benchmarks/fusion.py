"""The equities desk at a model of 2.3 s an answer: how long a run takes, and twenty of them at once.

The model is a loopback endpoint in another process (see `decision.py`). Analysts ask it in tool loops of different length, so that the
longest branch, not their number, is what the others wait for: the critical path is that branch and everything behind it. Every run is about
another session, so that no report is reused.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

from engine.api import Engine
from engine.desks.equities.presets import preset_of
from engine.desks.equities.prompts import ROLES
from engine.equity.sessions import calendar_of
from engine.settings import Settings
from tests.benchmarks.endpoint import Call, Endpoint, running
from tests.benchmarks.measured import Measured
from tests.benchmarks.texts import lengthened, stretched

SYMBOL = "AAPL"
CALL_S, FIRST_TOKEN_S, TOKENS = 2.3, 0.5, 200
RUNS, AT_ONCE = 3, 20
MOST_OF_PATH, MOST_OF_ONE = 1.02, 1.10
LOOPS: Mapping[str, list[list[tuple[str, dict[str, Any]]]]] = {
    "market analyst": [[("get_price_history", {"days": 20})], [("get_indicators", {"group": "all"})], [("get_share_events", {})]],
    "news analyst": [[("search_news", {"days": 14}), ("read_news", {"number": 1})]],
    "sentiment analyst": [],
    "fundamentals analyst": [
        [("get_fundamentals", {"part": "valuation"}), ("get_fundamentals", {"part": "income"})],
        [("get_fundamentals", {"part": "ratios"})],
    ],
}  # fmt: skip
"""Role -> what its analyst calls, a batch a turn, before its report."""
SUMMARY = "memory summarizer"
"""Asked beside the debate: before the open the market's memory is the only one that is made anew."""
BEHIND = 1 + 2 + 1 + 3 + 1 + 1
CALLS, CALLS_AHEAD = sum(len(batches) + 1 for batches in LOOPS.values()) + BEHIND, len(LOOPS) + BEHIND


def measure(folder: Path) -> Iterator[Measured]:
    """folder: a place of its own."""
    days = iter(calendar_of("XNYS").between(date(2023, 6, 1), date(2024, 3, 28)))
    answers = {role: {"text": text, "calls": LOOPS.get(role, [])} for role, text in said(folder).items()}
    with running(answers, folder, FIRST_TOKEN_S, (TOKENS - 1) / (CALL_S - FIRST_TOKEN_S)) as endpoint:
        settings: dict[str, Any] = {"openai_base_url": endpoint.base_url, "openai_api_key": "sk-benchmark", "model": "loopback"}
        settings["reader"] = "rules"  # a reader is asked beside the judge, and adds nothing to the path
        with closing(Engine(Settings(_env_file=None, home=folder / "home", pace=0, call_deadline_s=60, **settings))) as engine:
            _at_once(engine, [next(days)])  # imports, the client, the calendar, the first compiled graph
            endpoint.report()
            yield from _alone(engine, days, endpoint)
            walls = [_at_once(engine, [next(days)], CALLS_AHEAD, lookups="planned", openings="together")[0] for _ in range(RUNS)]
            yield Measured("a run looked up ahead, its debates opened at once", "s", walls, note="`--lookups planned --openings together`")
            endpoint.report()
            one = min(_at_once(engine, [next(days)])[0] for _ in range(2))
            many, cpu = _at_once(engine, [next(days) for _ in range(AT_ONCE)])
    note = f"{many:.1f} s to {one:.1f} s; this process was at work for {cpu:.1f} s of it"
    yield Measured(f"{AT_ONCE} runs of the desk at once, to one", "x", [many / one], MOST_OF_ONE, note=note)


def said(folder: Path) -> dict[str, str]:
    """Role -> the words of a scripted run of the desk, as long as a model's."""
    with closing(Engine(Settings(_env_file=None, home=folder / "scripted", pace=0))) as engine:
        run_id = engine.start(engine.equities.request(SYMBOL, trade_date=date(2023, 5, 31), session="pre_open"))
        state = engine.wait(run_id, 120).result
        assert state is not None
        told: dict[str, str] = {}
        for event in engine.events(run_id):
            if event.kind == "node.tokens" and event.node in ROLES:
                told[event.node] = told.get(event.node, "") + str(event.data.to_json()["text"])
    texts = {analyst.role: str(state["analysts"][analyst.key]["report"]) for analyst in preset_of("stock").analysts}
    texts |= {ROLES[node]: text for node, text in told.items()}
    long = {role: stretched(text, TOKENS) if "\n\n[" in text else lengthened(text, TOKENS) for role, text in texts.items()}
    return long | {SUMMARY: lengthened("It has lasted since spring. ", TOKENS)}


def _alone(engine: Engine, days: Iterator[date], endpoint: Endpoint) -> Iterator[Measured]:
    walls, paths = [], []
    for _ in range(RUNS):
        wall, _ = _at_once(engine, [next(days)])
        _, calls = endpoint.report()
        assert len(calls) == CALLS, [call.role for call in calls]
        walls.append(wall)
        paths.append(critical_path_s(calls))
    yield Measured(f"a run of the desk, {CALL_S} s an answer", "s", walls)
    shares = [wall / path for wall, path in zip(walls, paths, strict=True)]
    note = f"the longest of four branches and what waits for it: {min(paths):.1f} s, as the model's side timed it"
    yield Measured("the same, to its critical path", "x", shares, MOST_OF_PATH, note=note)
    yield Measured("of it beyond the calls", "ms", [(wall - path) * 1000 for wall, path in zip(walls, paths, strict=True)])


def critical_path_s(calls: list[Call]) -> float:
    """Seconds of the calls that wait for one another: the slowest branch, then everybody behind the barrier."""
    branches = [sum(call.open_s for call in calls if call.role == role) for role in LOOPS]
    return max(branches) + sum(call.open_s for call in calls if call.role not in LOOPS and call.role != SUMMARY)


def _at_once(engine: Engine, days: list[date], calls: int = CALLS, **asked: str) -> tuple[float, float]:
    """Wall and processor seconds of a run about each day, begun together. calls: how often the model is asked in one."""
    began, cpu = time.monotonic(), time.process_time()
    runs = [engine.start(engine.equities.request(SYMBOL, trade_date=day, session="pre_open", **asked)) for day in days]
    for run_id in runs:
        state = engine.wait(run_id, timeout=300).result
        assert state is not None
        assert state["is_valid"], state["errors"]
        assert state["metrics"]["llm_calls_count"] == calls, state["metrics"]
    return time.monotonic() - began, time.process_time() - cpu
