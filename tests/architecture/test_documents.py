"""READMEs and `docs/` tell the truth: what they name exists, and what exists is named."""

import argparse
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from engine.brokers import BROKERS
from engine.cli.main import _parser
from engine.desks import DESKS
from engine.domain.events import EventData
from engine.domain.risk import RiskConfig
from engine.equity import recorded_folder
from engine.market.recordings import list_recordings
from engine.settings import Settings
from tests.conftest import ROOT

DOCUMENTS = sorted(
    path for path in ROOT.rglob("*.md") if path.relative_to(ROOT).parts[0] in {"README.md", "docs", "engine", "pages", "tests"}
)
DOCS = ROOT / "docs"
IN_BACKTICKS = re.compile(r"`([^`\n]+)`")


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def rows(text: str) -> list[list[str]]:
    """The cells of every row of the tables in a text, without headings."""
    found: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith("|--"):
            found.pop()  # what is above is the heading
        elif line.startswith("|"):
            found.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return found


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_path_that_a_document_names_exists(path: Path) -> None:
    named = re.findall(r"`((?:engine|pages|tests|assets|docs|\.streamlit|\.ci)/[\w./-]*)(?:::\w+)?`", path.read_text(encoding="utf-8"))
    assert [name for name in named if "NAME" not in name and not (ROOT / name).exists()] == []


def test_the_two_readmes_are_short_and_every_page_is_named() -> None:
    assert len(read("README.md").encode()) <= 6_000
    assert len(read("engine/README.md").encode()) <= 8_000
    assert [page.name for page in DOCS.glob("*.md") if f"docs/{page.name}" not in read("README.md")] == []


def test_the_two_commands_install_what_they_need() -> None:
    first, second = re.findall(r"python3 -m venv .*", read("README.md"))
    assert "-r requirements.txt && streamlit run app.py" in first
    assert "-r requirements-dev.txt && pytest" in second
    named = {name for path in DOCUMENTS for name in re.findall(r"requirements[\w-]*\.txt", path.read_text(encoding="utf-8"))}
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_settings_names_every_setting_and_no_other() -> None:
    settings = [Settings, *(entry.own for entry in BROKERS.values())]
    real = {str(field.alias) for each in settings for field in each.model_fields.values()}
    listed = {name for cells in rows(read("docs/settings.md").partition("## ")[0]) for name in IN_BACKTICKS.findall(cells[0])}
    assert listed == real
    named = {name for path in DOCUMENTS for name in re.findall(r"\b(?:TRIBUNAL|OPENAI)_[A-Z_]+\b", path.read_text(encoding="utf-8"))}
    assert named - real == {"TRIBUNAL_TEST_DATA"}


def test_settings_names_every_limit_with_its_default() -> None:
    listed = {cells[0].strip("`"): cells[1] for cells in rows(read("docs/settings.md").partition("## Limits")[2])}
    real = {name: field.get_default(call_default_factory=True) for name, field in RiskConfig.model_fields.items()}
    assert listed == {name: f"{value:,g}" if isinstance(value, int | float) else "-" for name, value in real.items()}


def commands() -> dict[str, argparse.ArgumentParser]:
    found = next(action for action in _parser()._actions if isinstance(action, argparse._SubParsersAction))
    return dict(found.choices)


def sections() -> Iterator[tuple[str, str]]:
    """Every command of `docs/commands.md`, with its section."""
    for section in read("docs/commands.md").split("\n## ")[1:]:
        if named := re.match(r"`([\w-]+)", section):
            yield named[1], section


def options_in(section: str) -> set[str]:
    return {cells[0].strip("`").split()[0] for cells in rows(section)}


def test_commands_names_every_command_with_its_options_and_no_other() -> None:
    shared = options_in(read("docs/commands.md").split("\n## ")[1])
    listed = {name: options_in(section) | (shared if "#options-of-runs" in section else set()) for name, section in sections()}
    real = {
        name: {action.option_strings[-1] for action in parser._actions if action.option_strings} - {"--help", "--json", "--language"}
        for name, parser in commands().items()
    }
    assert listed == real


def test_every_command_that_a_document_shows_is_understood() -> None:
    for path in DOCUMENTS:
        for name, rest in re.findall(r"python -m engine ([a-z][a-z-]*)([^\n`&|#]*)", path.read_text(encoding="utf-8")):
            known = {option for action in commands()[name]._actions for option in action.option_strings}
            assert set(re.findall(r"--[a-z-]+", rest)) <= known, f"{path.name}: {name}{rest}"


def test_recorded_folders_names_files_that_are_read(tmp_path: Path) -> None:
    """Each name in the tables, with its places filled in, is what the readers of folders look for."""
    page = read("docs/recorded-folders.md").partition("## Markets")[2].split("## Companies")
    markets, companies = ([cells[0].strip("`") for cells in rows(part)] for part in page)
    filled = {"{venue}": "binance", "{perp}": "perp", "{SYMBOL}": "BTCUSDT", "{timeframe}": "15m", "{source}": "lean"}

    def named(name: str) -> str:
        for hole, value in filled.items():
            name = name.replace(hole, value)
        return name.replace("*", "all")

    for name in markets:
        (tmp_path / named(name)).touch()
    folder = list_recordings(tmp_path)
    (market,) = folder.recordings.values()
    assert len(market.candles) == 1
    assert None not in (market.funding, market.open_interest, folder.fear_greed)
    patterns = (recorded_folder._RAW, recorded_folder._INTRADAY, recorded_folder._FACTORS, recorded_folder._LONG)
    priced = [name for name in companies if not re.search("news|fundamentals", name)]
    assert len(priced) == len(patterns)
    assert [name for name in priced if not any(pattern.fullmatch(named(name)) for pattern in patterns)] == []


def test_every_promise_names_a_test() -> None:
    promises = re.findall(r"^- \*\*.*$", read("docs/promises.md"), re.M)
    assert len(promises) > 10
    assert [promise[:60] for promise in promises if "`tests/" not in promise] == []


def kinds(of: type[EventData]) -> Iterator[str]:
    for each in of.__subclasses__():
        if each.__module__.startswith("engine.") and isinstance(vars(each).get("kind"), str):
            yield vars(each)["kind"]
        yield from kinds(each)


def test_events_names_every_kind_and_no_other() -> None:
    for desk in DESKS:
        import_module(f"engine.desks.{desk}.desk")
    listed = {kind for cells in rows(read("docs/events.md")) for kind in IN_BACKTICKS.findall(cells[0])}
    assert listed == set(kinds(EventData)) - {""}


def test_the_map_of_the_engine_names_every_room() -> None:
    listed = {room for cells in rows(read("engine/README.md")) for room in re.findall(r"`(\w+)/`", cells[0])}
    assert {path.name for path in (ROOT / "engine").iterdir() if (path / "__init__.py").exists()} <= listed
