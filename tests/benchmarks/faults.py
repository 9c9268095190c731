"""Decisions at a provider that fails one call in ten: how many are lost, and how many change without a word about it.

A decision is lost when it has no result. It has changed without a word when its action is not that of an undisturbed decision, or is not
valid, and neither its errors nor an analyst's reason say why.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.api import Engine
from engine.domain.errors import TribunalError
from engine.settings import Settings
from tests.benchmarks.measured import Measured
from tests.flows.answers import cast, role_of, write_candles
from tests.servers import llm

SYMBOL = "BTC/USDT:USDT"
SHARE = 0.1
AT_ONCE = 10
DEADLINE_S, AMPLE_S = 3.0, 30.0
"""Of a call: where only the deadline ends what goes wrong, and where it has no part in what comes out."""
DECISIONS = 200

FAULTS: Mapping[str, llm.Fault] = {
    "500": llm.status(500),
    "429": llm.busy("0"),
    "hang": llm.HANG,
    "drip": llm.drip(0.05),
    "drop": llm.dropped(),
    "empty": llm.EMPTY,
    "garbage": llm.GARBAGE,
    "cut off": llm.cut_off("Half an"),
}


@dataclass
class Tally:
    """What became of the decisions. faults: calls that went wrong."""

    decisions: int = 0
    faults: int = 0
    valid: int = 0
    lost: int = 0
    changed_silently: int = 0


def measure(folder: Path) -> Iterator[Measured]:
    """folder: a place of its own."""
    candles = write_candles(folder / "candles")
    for name in FAULTS:

        def make(name: str = name, **settings: object) -> Engine:
            return Engine(Settings(_env_file=None, **{"home": folder / name.replace(" ", "-"), "pace": 0, **settings}))  # type: ignore[arg-type]

        tally = decide_under(name, DECISIONS, candles, make)
        note = f"{tally.valid} of {tally.decisions} valid, {tally.faults} calls went wrong"
        yield Measured(f"{name}: decisions lost", "", [tally.lost], 0, "maximum", note=note)
        yield Measured(f"{name}: changed without a word", "", [tally.changed_silently], 0, "maximum")


def decide_under(name: str, decisions: int, candles: Path, make_engine: Callable[..., Engine]) -> Tally:
    """So many decisions, ten at once, with one call in ten going wrong in the named way. candles: as `write_candles` makes them.

    Which calls of a decision go wrong does not depend on who asks first: every decision has a model, and so a lot, of its own.
    """
    tally, sound, asked = Tally(decisions), cast(), Counter[str]()

    def answer(body: llm.Body) -> llm.Plan:
        call = f"{body['model']} {role_of(body)}"
        asked[call] += 1
        if random.Random(f"39 {call} {asked[call]}").random() < SHARE:
            tally.faults += 1
            return FAULTS[name]
        return sound(body)

    with llm.LLMServer(answer) as server:
        deadline_s = DEADLINE_S if FAULTS[name].then in {"hang", "drip"} else AMPLE_S
        settings = {"openai_base_url": server.base_url, "openai_api_key": "sk-test", "call_deadline_s": deadline_s}
        with closing(make_engine(**settings)) as engine:
            for begun in range(0, decisions, AT_ONCE):
                models = [f"loopback-{number}" for number in range(begun, min(begun + AT_ONCE, decisions))]
                runs = [engine.start(engine.decisions.request(SYMBOL, data_dir=str(candles), model=model)) for model in models]
                for run_id in runs:
                    _count(engine, run_id, tally)
    return tally


def _count(engine: Engine, run_id: str, tally: Tally) -> None:
    try:
        result = engine.wait(run_id, 120).result
    except (TribunalError, TimeoutError):
        result = None
    if result is None:
        tally.lost += 1
        return
    tally.valid += result["is_valid"]
    as_usual = result["is_valid"] and result["final_action"] == "signal_entry_long"
    tally.changed_silently += not as_usual and not _said_why(result)


def _said_why(result: Mapping[str, Any]) -> bool:
    reports = (result["reports"] or {}).values()
    return any(result["errors"]) or any(report["abstained"] and report["reason"] for report in reports)
