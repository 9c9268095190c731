"""The house keeps its order: layers, sizes, names and requirements."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = sorted((ROOT / "tests").rglob("*.py"))
MODULES = [*sorted(path for folder in ("engine", "pages") for path in (ROOT / folder).rglob("*.py")), ROOT / "app.py"]
FORBIDDEN_NAMES = {"utils", "helpers", "common", "core", "misc"}


def test_import_contracts_hold() -> None:
    lint = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    done = subprocess.run(lint, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.full
def test_a_module_says_what_it_is() -> None:
    assert [fault for path in MODULES for fault in faults_of(path)] == []


def faults_of(path: Path) -> Iterator[str]:
    """What is wrong with the names and the functions of a module. How long a file is, is no rule: a room is cut where its subject is."""
    source, name = path.read_text(encoding="utf-8"), str(path.relative_to(ROOT))
    tree = ast.parse(source)
    if source and not ast.get_docstring(tree):
        yield f"{name} does not open with what it is"
    if path.stem in FORBIDDEN_NAMES:
        yield f"{name} says nothing by its name"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (node.end_lineno or 0) - node.lineno >= 60:
            yield f"{name}: {node.name} is too long"


def test_no_html_from_text_is_ever_allowed() -> None:
    """`unsafe_allow_html` runs script through an iframe's srcdoc; nothing here may use it."""
    assert [path for path in MODULES if "unsafe_allow_html" in path.read_text(encoding="utf-8")] == []


def test_there_is_one_way_to_import_late_and_none_to_change_how_imports_work() -> None:
    """An import statement in a function, with its reason: `import_module` is for folders of desks and of presets alone."""
    late, reason = re.compile(r"\s+(from [\w.]+ )?import \w.*PLC0415"), re.compile(r"# noqa: (F401, )?PLC0415 - \w.+$")
    found = []
    for path in MODULES:
        source = path.read_text(encoding="utf-8")
        refused = ["sys.meta_path", "__import__", *([] if path.parent.name in {"desks", "presets"} else ["import_module"])]
        wrong = [word for word in refused if word in source]
        wrong += [line for line in source.splitlines() if late.match(line) and not reason.search(line)]
        found += [f"{path.relative_to(ROOT)}: {each}" for each in wrong]
    assert found == []


def test_nothing_is_put_into_another_librarys_objects() -> None:
    """ccxt and the HTTP clients are subclassed and hooked, not patched."""
    patched = re.compile(r"MethodType|setattr\((ccxt|openai|httpx2|aiohttp|st|streamlit)\b|\.pause_reading|_vendor")
    assert [path for path in MODULES if patched.search(path.read_text(encoding="utf-8"))] == []


def wall_clocks(source: str) -> list[str]:
    """Every place of a module that reads the system's date or time of day, under whatever name it was imported.

    `time.monotonic`, `time.perf_counter` and `time.process_time` measure durations and are let through.
    """
    read = {f"{of}.{name}" for of in ("datetime.datetime", "datetime.date", "pandas.Timestamp") for name in ("now", "utcnow", "today")}
    read |= {f"time.{name}" for name in ("time", "time_ns", "localtime", "gmtime", "ctime", "asctime")}
    tree, full = ast.parse(source), dict[str, str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            full |= {each.asname or each.name: each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            full |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            root, _, rest = ast.unparse(node).partition(".")
            if full.get(root, "") + ("." + rest if rest else "") in read:
                found.append((node.lineno, ast.unparse(node)))
    return [f"{line}: {named}" for line, named in sorted(found)]


@pytest.mark.full
def test_now_is_asked_of_one_clock() -> None:
    named = "import time as t\nfrom datetime import date as d\nt.time, d.today, t.monotonic(), d(2026, 5, 1)"
    assert wall_clocks(named) == ["3: d.today", "3: t.time"]
    passed = "from time import time\nimport datetime\ndatetime.datetime.now().time()\ndef f(at=time): 0"
    assert wall_clocks(passed) == ["3: datetime.datetime.now", "4: time"]
    assert [str(path.relative_to(ROOT)) for path in MODULES if wall_clocks(path.read_text(encoding="utf-8"))] == ["engine/domain/clock.py"]


@pytest.mark.full
def test_no_test_asks_the_system_for_the_time_to_know_what_to_expect() -> None:
    """It names its instant, or asks the product's clock. What measures speed (`tests/benchmarks`) is no test."""
    asks = {str(path.relative_to(ROOT)) for path in TESTS if wall_clocks(path.read_text(encoding="utf-8"))}
    assert {path for path in asks if not path.startswith("tests/benchmarks/")} == set()


def test_exceptions_are_caught_broadly_only_where_a_run_the_shell_or_a_part_of_a_page_ends() -> None:
    broad = re.compile(r"except (Exception|BaseException)\b|except:")
    found = {str(path.relative_to(ROOT)) for path in MODULES if broad.search(path.read_text(encoding="utf-8"))}
    assert found <= {
        "engine/flows/play.py",
        "engine/desks/plan/factor_graph.py",  # tools, and the libraries below them
        "engine/runs/runner.py",
        "engine/agents/watch.py",
        "engine/cli/main.py",
        "engine/cli/ground.py",
        "engine/domain/calls/foreign_call.py",  # libraries that raise whatever a website makes of them: all of it becomes one kind
        "pages/frame/isolation.py",
    }


NOT_IMPORTED = {
    "plotly": "pages/server/static_files.py",
    "six": "requirements.txt",
    "psycopg": "engine/journal/store.py",
    "lxml_html_clean": "requirements.txt",
    "pytest-rerunfailures": ".ci/run",
    "pytest-socket": "pyproject.toml",
    "pytest-timeout": "pyproject.toml",
    "axe-playwright-python": "tests/browser/layout/access.py",
    "ruff": ".ci/run",
    "mypy": ".ci/run",
    "import-linter": "tests/architecture/test_house.py",
    "pandas-stubs": "requirements-dev.txt",
}
"""Requirement that no module imports -> the file that uses it by a name of `USED_AS` or its own. The requirements file itself stands for
those that another requirement imports: their line has to say which or why."""

USED_AS = {
    "psycopg": "postgresql+psycopg",
    "pytest-rerunfailures": "--reruns",
    "pytest-socket": "--disable-socket",
    "pytest-timeout": "timeout = ",
    "axe-playwright-python": "axe_playwright_python",
    "import-linter": "lint-imports",
}


def requirements(file: str) -> Iterator[tuple[str, str]]:
    """What each line of a requirements file asks for, and why."""
    for line in (ROOT / file).read_text(encoding="utf-8").splitlines():
        asked, _, why = (part.strip() for part in line.partition("#"))
        if asked and not asked.startswith("-r "):
            yield asked, why


def imported(modules: Iterable[Path]) -> set[str]:
    """The packages of others that these modules import, as their requirement is written: `exchange-calendars`."""
    names = set()
    for path in modules:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    of = packages_distributions()
    return {_canonical(package) for name in names for package in of.get(name, ())}


def _canonical(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


@pytest.mark.full
def test_requirements_are_pinned_and_used() -> None:
    """Each is imported by what it is for, or by nothing for a reason that a file shows, and its line says who publishes it and why."""
    by_product = imported(MODULES)
    by_tests = by_product | imported(TESTS)
    unused, unimported = [], set()
    for file, users in (("requirements.txt", by_product), ("requirements-dev.txt", by_tests)):
        for asked, why in requirements(file):
            assert "==" in asked, asked
            assert re.match(r"\w.*: \w", why), f"the line of {asked} says who publishes it and why"
            name = re.split(r"[\[=]", asked)[0]
            if _canonical(name) in users or name == "pytest":
                continue
            unimported.add(name)
            shown = NOT_IMPORTED.get(name, "")
            if shown != file and not (shown and USED_AS.get(name, name) in (ROOT / shown).read_text(encoding="utf-8")):
                unused.append(name)
    assert unused == []
    assert unimported == NOT_IMPORTED.keys(), "and none is excused that is imported"
