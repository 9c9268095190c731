"""The search of a whole run of research against the slowest of its sources: what the flow itself adds to asking them at once."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from engine.api import Engine
from engine.domain.research.events import SourceSearched
from engine.settings import Settings
from tests.benchmarks.measured import Measured
from tests.servers.sources import LoopbackSources

_RUNS = 3


def measure_runs(folder: Path, services: LoopbackSources, slowest_s: float) -> Iterator[Measured]:
    """Measure the node `search` of whole runs. slowest_s: what the slowest source takes; services: set to it already."""
    settings = Settings(_env_file=None, home=folder / "runs", pace=0, search_cache_h=0, **services.settings())
    over = []
    with closing(Engine(settings)) as engine:
        for n in range(_RUNS):
            run_id = engine.start(engine.research.request(f"What moves funding? {n}", download=False))
            engine.wait(run_id, 60)
            at = {event.kind: event.at for event in engine.events(run_id) if event.node == "search"}
            searched = [event.data for event in engine.events(run_id) if isinstance(event.data, SourceSearched)]
            assert len(searched) > 4, "every required source was asked"
            over.append((at["node.finished"] - at["node.started"]).total_seconds() / slowest_s)
    what = "search of a whole run, all sources and the journal, as a multiple of the slowest"
    yield Measured(what, "x", over, 1.05, note="the slowest takes 2 s")
