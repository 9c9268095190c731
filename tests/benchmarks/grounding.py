"""Reading and checking every number in the texts of one decision: seven roles, as long as a model writes them."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from engine.api import Engine
from engine.desks.decision.paths import path_of
from engine.desks.decision.reading.spans import claim_spans
from engine.domain.facts import FactSheet
from engine.grounding.reading import read_claims
from engine.grounding.result import ground
from engine.grounding.tables.crypto import CRYPTO
from engine.settings import Settings
from tests.benchmarks.decision import SYMBOL, TOKENS
from tests.benchmarks.measured import Measured
from tests.benchmarks.texts import said, stretched
from tests.flows.answers import write_candles

ROUNDS = 30


def measure(folder: Path) -> Iterator[Measured]:
    """Both languages. folder: a place of its own."""
    candles = write_candles(folder / "candles")
    with closing(Engine(Settings(_env_file=None, home=folder / "home", pace=0))) as engine:
        for language, name in (("en", "English"), ("zh", "Chinese")):
            run_id = engine.start(engine.decisions.request(SYMBOL, data_dir=str(candles), language=language))
            state, chart = engine.wait(run_id, timeout=60).result, engine.decisions.chart(run_id)
            assert state is not None
            assert chart is not None
            texts = {role: stretched(text, TOKENS) for role, text in said(state).items() if role != "executor"}
            taken, claims = [], 0
            for _ in range(ROUNDS):
                began = time.perf_counter()
                spans = {role: claim_spans(text, role) for role, text in texts.items()}
                result = ground(texts, chart.sheet, path_of(has_position=False).debaters, CRYPTO, spans=spans)
                taken.append((time.perf_counter() - began) * 1000)
                claims = len(result.claims)
            assert claims
            yield Measured(f"grounding of a decision, {name}", "ms", taken, 20, "minimum", note=f"7 texts, {claims} claims")
            yield from _lengths("\n".join(texts.values()), chart.sheet, name)


def _lengths(text: str, sheet: FactSheet, name: str) -> Iterator[Measured]:
    """The same words over and over: twice the length may take twice the time."""
    for kilobytes in (1, 10, 100, 200):
        size = kilobytes * 1024
        whole = ((text + "\n") * (size // len(text.encode()) + 1)).encode()[:size].decode(errors="ignore")
        taken = []
        for _ in range(3 if kilobytes >= 100 else 10):
            began = time.perf_counter()
            claims = read_claims(whole, sheet, "bull", table=CRYPTO)
            taken.append((time.perf_counter() - began) * 1000)
        most = 1000 if kilobytes == 200 else None
        yield Measured(f"grounding of {kilobytes} kB, {name}", "ms", taken, most, "minimum", note=f"{len(claims)} claims")
