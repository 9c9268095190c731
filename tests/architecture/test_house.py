"""The house keeps its order: layers, sizes, names, and a README that tells the truth."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from engine.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
TESTS = sorted((ROOT / "tests").rglob("*.py"))
MODULES = [*sorted(path for folder in ("engine", "pages") for path in (ROOT / folder).rglob("*.py")), ROOT / "app.py"]
README = ROOT / "README.md"
FORBIDDEN_NAMES = {"utils", "helpers", "common", "core", "misc"}


def test_import_contracts_hold() -> None:
    lint = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    done = subprocess.run(lint, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


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
    """An import statement in a function, with its reason: `import_module` is for folders of analysts alone."""
    late, reason = re.compile(r"\s+(from [\w.]+ )?import \w.*PLC0415"), re.compile(r"# noqa: (F401, )?PLC0415 - \w.+$")
    found = []
    for path in MODULES:
        source = path.read_text(encoding="utf-8")
        refused = ["sys.meta_path", "__import__", *([] if path.parent.name in {"analysts", "presets"} else ["import_module"])]
        wrong = [word for word in refused if word in source]
        wrong += [line for line in source.splitlines() if late.match(line) and not reason.search(line)]
        found += [f"{path.relative_to(ROOT)}: {each}" for each in wrong]
    assert found == []


def test_the_garbage_collector_is_told_once_and_in_one_place() -> None:
    assert [path.name for path in MODULES if re.search(r"\bgc\.", path.read_text(encoding="utf-8"))] == ["container.py"]


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


def test_now_is_asked_of_one_clock() -> None:
    named = "import time as t\nfrom datetime import date as d\nt.time, d.today, t.monotonic(), d(2026, 5, 1)"
    assert wall_clocks(named) == ["3: d.today", "3: t.time"]
    passed = "from time import time\nimport datetime\ndatetime.datetime.now().time()\ndef f(at=time): 0"
    assert wall_clocks(passed) == ["3: datetime.datetime.now", "4: time"]
    assert [str(path.relative_to(ROOT)) for path in MODULES if wall_clocks(path.read_text(encoding="utf-8"))] == ["engine/domain/clock.py"]


def test_no_test_asks_the_system_for_the_time_to_know_what_to_expect() -> None:
    """It names its instant, or asks the product's clock. What measures speed (`tests/benchmarks`) is no test."""
    asks = {str(path.relative_to(ROOT)) for path in TESTS if wall_clocks(path.read_text(encoding="utf-8"))}
    assert {path for path in asks if not path.startswith("tests/benchmarks/")} == set()


def test_exceptions_are_caught_broadly_only_where_a_run_the_shell_or_a_part_of_a_page_ends() -> None:
    broad = re.compile(r"except (Exception|BaseException)\b|except:")
    found = {str(path.relative_to(ROOT)) for path in MODULES if broad.search(path.read_text(encoding="utf-8"))}
    assert found <= {
        "engine/flows/play.py",
        "engine/flows/plan/executing/asking.py",  # tools, planners and reasoning of others
        "engine/runs/runner.py",
        "engine/agents/watch.py",
        "engine/cli/main.py",
        "engine/cli/ground.py",
        "engine/domain/calls/foreign_call.py",  # libraries that raise whatever a website makes of them: all of it becomes one kind
        "pages/frame/isolation.py",
    }


def test_every_setting_is_in_the_readme_and_every_named_one_exists() -> None:
    text = README.read_text(encoding="utf-8")
    real = {str(field.alias) for field in Settings.model_fields.values()}
    named = set(re.findall(r"\b(?:(?:TRIBUNAL|OPENAI)_[A-Z_]+|[A-Z_]+_API_KEY)\b", text)) - {"TRIBUNAL_TEST_DATA"}
    assert named == real


def test_every_path_the_readmes_name_exists() -> None:
    for readme in (README, ROOT / "engine" / "README.md"):
        for name in re.findall(r"`((?:engine|pages|tests|assets|\.streamlit|\.ci)/[\w./-]*)`", readme.read_text(encoding="utf-8")):
            assert (ROOT / name).exists(), f"{readme.name} names {name}"


def test_the_map_of_the_engine_names_modules_that_exist() -> None:
    """In the row of a room, every plain name in backticks is a module or a folder of it; every room has a row."""
    rows = dict(
        re.findall(r"^\| (?:`__main__\.py`, )?`(\w+)/`[^|]*\| (.*) \|$", (ROOT / "engine" / "README.md").read_text(encoding="utf-8"), re.M)
    )
    rooms = {path.name: path for path in (ROOT / "engine").iterdir() if (path / "__init__.py").exists()}
    assert rooms.keys() <= rows.keys()
    for name, room in rooms.items():
        there = {known for path in room.rglob("*") for known in (path.name, path.stem)} | rooms.keys()
        named = re.findall(r"`([a-z_]+(?:\.py)?)/?`", rows[name])
        assert [each for each in named if each not in there] == [], f"the row of {name}/ names what is not in it"


def test_every_option_the_readme_names_exists() -> None:
    told = subprocess.run([sys.executable, "-m", "engine", "decide", "--help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for block in re.findall(r"python -m engine decide[^\n`]*", README.read_text(encoding="utf-8")):
        for option in re.findall(r"--[a-z]+", block):
            assert option in told, option


def test_requirements_are_pinned_and_used() -> None:
    lines = [line.split("#")[0].strip() for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()]
    assert all("==" in line for line in lines if line)
