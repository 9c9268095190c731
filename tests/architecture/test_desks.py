"""A desk is two folders of one name and a line in two lists: the toy desk of `tests/toy/desk` is added to a copy, and found everywhere."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

TOY = ROOT / "tests" / "toy" / "desk"
LISTS = ("engine/desks/__init__.py", "pages/desks/__init__.py")
LOOK = """
import json, sys
from streamlit.testing.v1 import AppTest
app = AppTest.from_file("pages/main.py", default_timeout=60).run().switch_page("desks/toy/view.py").run()
assert next(button for button in app.button if button.key == "run-button").disabled, "a run without a question"
app.text_input(key="toy-question").input("What lies below?").run()
next(button for button in app.button if button.key == "run-button").click().run()
from pages.frame.shared_engine import get_engine
engine = get_engine()
run_id = engine.last_run(["toy"])
engine.wait(run_id, 30)
app.run()
shown = " ".join(str(each.proto.body) for each in app.get("html"))
app.switch_page("views/runs.py").run()
listed = " ".join(str(each.proto.body) for each in app.get("html"))
print(json.dumps({"faults": len(app.exception), "shown": shown, "listed": listed, "api": engine.toys.request("And now?").question}))
engine.close()
"""


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The product with the toy desk: two folders more, and two lists with a name more."""
    for name in ("engine", "pages", "assets"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for side in ("engine", "pages"):
        shutil.copytree(TOY / side, tmp_path / side / "desks" / "toy", ignore=shutil.ignore_patterns("__pycache__"))
    for name in LISTS:
        path, found = tmp_path / name, re.compile(r"^(DESKS: Final = \[.*)\]$", re.M)
        text = path.read_text(encoding="utf-8")
        assert len(found.findall(text)) == 1
        path.write_text(found.sub(r'\1, "toy"]', text), encoding="utf-8")
    return tmp_path


def python(folder: Path, *arguments: str, language: str = "en") -> str:
    given = {"TRIBUNAL_HOME": str(folder / "home"), "TRIBUNAL_LANGUAGE": language, "TRIBUNAL_PACE": "0", "PYTHONPATH": str(folder)}
    asked = [sys.executable, *arguments]
    done = subprocess.run(asked, cwd=folder, env={**os.environ, **given}, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.full
def test_a_toy_desk_is_two_folders_and_two_lines(copied: Path) -> None:
    files = [path for path in TOY.rglob("*.*") if path.suffix in {".py", ".toml"}]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) <= 84
    assert len(files) + len(LISTS) == 8, "files written, and files with a line more"
    assert "ask the toy desk" in python(copied, "-m", "engine", "--help")
    state = json.loads(python(copied, "-m", "engine", "toy", "what lies below?", "--json"))
    assert (state["flow"], state["answer"]) == ("toy", "You asked: what lies below?")
    assert "what lies below?" in python(copied, "-m", "engine", "runs")
    assert python(copied, "-m", "engine", "show", state["run_id"]).splitlines()[-1] == state["answer"]
    seen = json.loads(python(copied, "-c", LOOK).splitlines()[-1])
    assert (seen["faults"], seen["api"]) == (0, "And now?")
    assert ">Toy</h1>" in seen["shown"], "its place in the navigation"
    assert "You asked: What lies below?" in seen["shown"]
    assert "what lies below?" in seen["listed"]


PAIRS = {"decision": {"decision"}, "equities": {"equities"}, "research": {"research", "plan"}}
"""Folder of `pages/desks` -> the desks of the engine that its pages are of."""


def test_pages_of_a_desk_know_their_own_desk_of_the_engine_alone() -> None:
    known = dict[str, set[str]]()
    for path in (ROOT / "pages" / "desks").rglob("*/*.py"):
        desk = path.relative_to(ROOT / "pages" / "desks").parts[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("engine.desks."):
                known.setdefault(desk, set()).add(str(node.module).split(".")[2])
    assert known
    assert {desk: found - PAIRS[desk] for desk, found in known.items() if found - PAIRS[desk]} == {}
