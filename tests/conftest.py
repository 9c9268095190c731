"""What every test may ask for: an engine with a home of its own, and real candles where they are at hand."""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests.clocks import begun_at
from tests.schedule import Schedule, is_full, longest_first

if TYPE_CHECKING:
    from engine.api import Engine
    from tests.databases import Cluster

os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"  # no test keeps anything in the keyring of whoever runs it
ROOT = Path(__file__).resolve().parent.parent
settings.register_profile("properties", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("properties")  # a property holds on a busy machine too, whatever time its examples take there


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--at 2026-12-31T23:59:30`: every test begins at that instant, UTC."""
    parser.addoption("--at", type=datetime.fromisoformat, help="the instant, UTC, at which every test begins")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Put the test's clock at the instant that `--at` names, around its fixtures too."""
    at = item.config.getoption("at")
    with begun_at(at.replace(tzinfo=UTC)) if at is not None else nullcontext():
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin what takes longest first, and mark the browser tests of the full tier, before `-m` chooses."""
    items[:] = longest_first(items)
    for item in items:
        if is_full(item.nodeid):
            item.add_marker(pytest.mark.full)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Schedule:
    """Hand tests out to the workers by this project's own groups."""
    return Schedule(config, log)


@pytest.fixture(scope="session", autouse=True)
def _state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is kept outside of homes is kept in a folder of the tests'."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests see no key and no setting of whoever runs them."""
    for name in list(os.environ):
        if name.startswith(("TRIBUNAL_", "OPENAI_", "TAVILY_", "OPENALEX_", "SEMANTIC_SCHOLAR_")) and name != "TRIBUNAL_TEST_DATA":
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def recorded_data() -> Path:
    """A folder of real recorded candles; tests that need it are skipped where it is missing."""
    folder = Path(os.environ.get("TRIBUNAL_TEST_DATA", ROOT.parent / "shared" / "data")) / "crypto"
    if not folder.is_dir():
        pytest.skip(f"no recorded candles at {folder}: set TRIBUNAL_TEST_DATA to a folder with crypto/ in it")
    return folder


@pytest.fixture(scope="session")
def company_data() -> Path:
    """A folder of real recorded companies; tests that need it are skipped where it is missing."""
    folder = Path(os.environ.get("TRIBUNAL_TEST_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "equity").is_dir():
        pytest.skip(f"no recorded companies at {folder}: set TRIBUNAL_TEST_DATA to a folder with equity/ in it")
    return folder


@pytest.fixture(scope="session")
def postgresql() -> Iterator["Cluster"]:
    """A server of PostgreSQL; tests that need it are skipped where it is not installed."""
    from tests.databases import running  # late: as below

    with running() as cluster:
        yield cluster


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.full)])
def each_database(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str | None:
    """Run a test on each kind of database: the address that it sets for engines and processes, None for a file in the home."""
    if request.param == "sqlite":
        return None
    address: str = request.getfixturevalue("postgresql").create()
    monkeypatch.setenv("TRIBUNAL_DATABASE_URL", address)
    return address


@pytest.fixture
def make_engine(tmp_path: Path) -> Iterator["Callable[..., Engine]"]:
    """Makes engines that live in the test's own folder and end with it. Keyword arguments are settings."""
    from engine.api import Engine  # late: a test of one room does not load the whole house
    from engine.settings import Settings

    made: list[Engine] = []

    def make(**settings: object) -> Engine:
        made.append(Engine(Settings(_env_file=None, **{"home": tmp_path / "home", "pace": 0, **settings})))
        return made[-1]

    yield make
    for engine in made:
        engine.close()
