"""What research costs beside its sources: a round trip to our MCP server, the start of one, all required sources at once.

The services are loopback ones that answer after known times; answers are kept by nothing, so each search is a request.
"""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

from engine.bootstrap.search import SearchRooms
from engine.settings import Settings
from tests.benchmarks.measured import Measured
from tests.benchmarks.research_run import measure_runs
from tests.servers.sources import LoopbackSources

_ROUNDS, _SEARCHES = 200, 5
_SLOW = {"/w/api.php": 1.2, "/works": 2.0, "/graph/v1": 1.6, "POST /search": 0.8}
"""Seconds that each required service takes."""


def measure(folder: Path) -> Iterator[Measured]:
    """Measure it all over one engine's room of search."""
    with LoopbackSources() as services:
        yield from asyncio.run(_measure(folder, services))
        yield from measure_runs(folder, services, max(_SLOW.values()))


async def _measure(folder: Path, services: LoopbackSources) -> list[Measured]:
    library = folder / "library"
    library.mkdir()
    (library / "funding.md").write_text("---\ntitle: Funding\n---\nFunding passes between longs and shorts every eight hours.\n")
    settings = Settings(_env_file=None, home=folder / "home", search_cache_h=0, library_dir=library, **services.settings())
    rooms = SearchRooms(settings)
    tools = rooms.room().tools
    began = time.perf_counter()
    required = [tool.name for tool in await tools.tools("search") if tool.required]
    start_s = time.perf_counter() - began

    async def asked(name: str) -> float:
        began = time.perf_counter()
        await tools.call(name, {"query": "funding"})
        return time.perf_counter() - began

    trips = [await asked("library_search") * 1e3 for _ in range(_ROUNDS)]
    for part, seconds in _SLOW.items():
        services.slow(part, seconds)
    over = []
    for _ in range(_SEARCHES):
        began = time.perf_counter()
        await asyncio.gather(*(asked(name) for name in required))
        over.append((time.perf_counter() - began) / max(_SLOW.values()))
    await rooms.close()
    return [
        Measured("MCP round trip, a search of the library included", "ms", trips, 10.0, note="one call at a time"),
        Measured("MCP server begun and its tools listed", "s", [start_s], note="in the background of a run, once"),
        Measured(f"{len(required)} required sources at once, as a multiple of the slowest", "x", over, 1.05, note="the slowest takes 2 s"),
    ]
