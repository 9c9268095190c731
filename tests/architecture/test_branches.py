"""What differs by broker is asked of its capabilities, and what differs by instrument of the instrument: neither is compared by name."""

import ast
from collections.abc import Iterator

import pytest

from engine.brokers import BROKERS
from engine.domain.broker_capabilities import DEMO_BROKER
from tests.architecture.test_house import MODULES, ROOT


def compared_with(source: str, names: set[str]) -> Iterator[int]:
    """The lines that compare something with one of these texts, or list them in a type."""
    for node in ast.walk(ast.parse(source)):
        compared: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            compared = [node.left, *node.comparators]
        elif isinstance(node, ast.MatchValue):
            compared = [node.value]
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("Literal"):
            compared = [node.slice]
        constants = (each for part in compared for each in ast.walk(part) if isinstance(each, ast.Constant))
        if any(each.value in names for each in constants):
            yield node.lineno if not isinstance(node, ast.MatchValue) else node.value.lineno


def branches_on(source: str, name: str) -> Iterator[int]:
    """The lines that compare an attribute or a variable of this name, or match on it."""
    for node in ast.walk(ast.parse(source)):
        compared = (
            [node.left, *node.comparators] if isinstance(node, ast.Compare) else [node.subject] if isinstance(node, ast.Match) else []
        )
        if any(
            (isinstance(each, ast.Attribute) and each.attr == name) or (isinstance(each, ast.Name) and each.id == name) for each in compared
        ):
            yield node.lineno


def test_what_is_compared_is_seen() -> None:
    assert sorted(branches_on("a.kind == 'x'\nkind in {'x'}\nf(a.kind)\nmatch a.kind:\n case 'x': 0\nT[a.kind]", "kind")) == [1, 2, 4]
    named = "x == 'club'\ny in {'club', 'other'}\nmatch z:\n case 'club': 0\nT = Literal['club']\nf('club')\nN = 'club'"
    assert sorted(compared_with(named, {"club"})) == [1, 2, 4, 5]


@pytest.mark.full
def test_no_brokers_name_is_compared_outside_its_folder() -> None:
    names = set(BROKERS) - {DEMO_BROKER}  # an ordinary word, too: a venue's demo trading
    rooms = [path for path in MODULES if not path.is_relative_to(ROOT / "engine" / "brokers")]
    found = {f"{path.relative_to(ROOT)}:{line}" for path in rooms for line in compared_with(path.read_text(encoding="utf-8"), names)}
    assert found == set()


@pytest.mark.full
def test_no_instrument_is_compared_outside_its_room() -> None:
    rooms = [path for path in MODULES if not path.is_relative_to(ROOT / "engine" / "instruments")]
    found = {f"{path.relative_to(ROOT)}:{line}" for path in rooms for line in branches_on(path.read_text(encoding="utf-8"), "instrument")}
    assert found == set()
