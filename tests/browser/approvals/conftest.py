"""A page and an engine of somebody else on one journal: tests file proposals as a run elsewhere would, and read what became of them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.api import Engine
from engine.domain.proposal import Proposal
from engine.settings import Settings
from tests.browser.approvals.reading import AT, File


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where page and test keep their journal."""
    return tmp_path_factory.mktemp("approvals") / "home"


@pytest.fixture(scope="module")
def engine(home: Path) -> Iterator[Engine]:
    """The engine of somebody else."""
    opened = Engine(Settings(_env_file=None, home=home, pace=0, operator="op-2"))  # type: ignore[call-arg]
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], engine: Engine, home: Path) -> str:
    """The page's server; made once for the module."""
    return serve(TRIBUNAL_HOME=str(home), TRIBUNAL_PACE="0", TRIBUNAL_OPERATOR="op-1", TRIBUNAL_API_KEY="canary-key")


@pytest.fixture(scope="module")
def seeds() -> Iterator[int]:
    """Every proposal has a simulated market, and so a paper account, of its own."""
    return iter(range(200, 400))


@pytest.fixture
def file(engine: Engine, seeds: Iterator[int]) -> File:
    """Files a proposal that waits; looks for a market in which there is something to decide."""

    def filed(by: Engine = engine, **asked: Any) -> Proposal:
        for seed in seeds:
            request = by.decisions.request("BTC/USDT:USDT", seed=seed, propose=True, lies=0.2, **{"at": AT, **asked})
            proposal = by.trading.proposal_of(by.wait(by.start(request), 60).run_id)
            if proposal is not None and proposal.is_waiting:
                return proposal
        pytest.fail("no market with something to decide")

    return filed
