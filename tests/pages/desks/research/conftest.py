"""One engine for the tests of the research page, with a library, a wiki that nothing answers for, and loopback servers for the rest."""

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from engine.api import Engine
from engine.settings import Settings
from tests.pages.desks.research.runs import AT, EVIL, PLAN, Log
from tests.servers.sources import LoopbackSources

NOWHERE = "http://127.0.0.1:9"  # the discard port: nothing answers
SLOW_S = 0.4


@pytest.fixture(scope="package")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Its runs are of a simulated market, a scripted model, and the words of this folder and these servers."""
    folder = tmp_path_factory.mktemp("research")
    library = folder / "library"
    library.mkdir()
    words = f"Funding of perpetual contracts is paid every 8 hours. {EVIL} Longs pay when it is positive."
    (library / "funding.md").write_text(f"---\ntitle: Funding {EVIL}\ndate: 2026-05-01\n---\n{words}\n", encoding="utf-8")
    with LoopbackSources() as sources:
        sources.slow("search", SLOW_S)
        addresses = {**sources.settings(), "wikipedia_url": NOWHERE}
        made = Engine(Settings(_env_file=None, home=folder / "home", pace=0, library_dir=library, rerank_threshold=0.02, **addresses))
        yield made
        made.close()


@pytest.fixture(scope="package")
def logs(engine: Engine) -> Callable[[str], Log]:
    """Flow -> a finished run of it and its log."""

    @cache
    def of(flow: str) -> Log:
        request = (
            engine.plans.request(plan=PLAN, at=AT)
            if flow == "plan"
            else engine.research.request("How is funding of perpetual contracts paid?", at=AT, sources="library,wikipedia,openalex,tavily")
        )
        record = engine.wait(engine.start(request), 90)
        return record, engine.events(record.run_id)

    return of
