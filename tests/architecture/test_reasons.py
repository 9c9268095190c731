"""Every reason has its words: each key that the engine or a page names, with the values that its words name, and no words without a use."""

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.domain.text.language import LANGUAGES
from engine.domain.text.reason import catalogue
from pages.words.texts import ON_PAGES

ROOT = Path(__file__).resolve().parents[2]
MODULES = [path for room in ("engine", "pages") for path in sorted((ROOT / room).rglob("*.py"))]


def names_in(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def faults(tree: ast.AST) -> Iterator[str]:
    """Yield every reason of a module that has no words, or whose values are not those that its words name."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Reason"):
            continue
        first = node.args[0]
        for key in [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]:
            if not isinstance(key, ast.Constant):
                continue
            given = {each.arg for each in node.keywords}
            if key.value not in catalogue():
                yield f"{node.lineno}: {key.value} has no words"
            elif None in given:  # `**values`
                if not {name for name in given if name} <= names_in(catalogue()[key.value][0]):
                    yield f"{node.lineno}: {key.value} does not name {given}"
            elif given != names_in(catalogue()[key.value][0]):
                yield f"{node.lineno}: {key.value} is given {sorted(map(str, given))}"


@pytest.mark.full
def test_every_reason_has_words_for_its_values() -> None:
    found = [f"{path.relative_to(ROOT)}:{fault}" for path in MODULES for fault in faults(ast.parse(path.read_text(encoding="utf-8")))]
    assert found == []


@pytest.mark.full
def test_no_words_are_left_that_no_reason_has() -> None:
    used = set()
    for path in MODULES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        used |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    by_limit = {f"limit_{side}{measured}" for side in ("above", "below") for measured in ("", "_unmeasured")}
    assert catalogue().keys() - used - by_limit == set()
    assert ON_PAGES.keys() <= catalogue().keys()


@pytest.mark.parametrize("texts", [catalogue(), ON_PAGES], ids=["catalogue", "pages"])
def test_both_languages_name_the_same_values(texts: dict[str, tuple[str, str]]) -> None:
    assert {key for key, (english, chinese) in texts.items() if names_in(english) != names_in(chinese)} == set()
    assert all(names_in(words[0]) <= names_in(catalogue()[key][0]) for key, words in texts.items())
    assert len(LANGUAGES) == len(next(iter(texts.values())))


def test_a_missing_key_a_missing_value_and_one_too_many_are_seen() -> None:
    calls = ('"no_such_key"', '"run_is_not_known"', '"run_is_not_known", run_id=1, more=2', '"run_is_not_known", run_id=1')
    code = "\n".join(f"Reason({call})" for call in calls)
    assert [fault.partition(":")[0] for fault in faults(ast.parse(code))] == ["1", "2", "3"]
