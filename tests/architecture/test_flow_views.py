"""Rooms that every flow shares know of a run what every run has: what is one flow's own stands in that flow's view."""

import ast
from pathlib import Path

from pages.desks import flow_pages
from pages.run.reducer import PLAIN
from pages.run.view import RunView

PAGES = Path(__file__).resolve().parents[2] / "pages"
SHARED = [path for path in sorted(PAGES.rglob("*.py")) if path.relative_to(PAGES).parts[0] != "desks"]


def own_names() -> set[str]:
    """What the views of the flows have beside what every run has."""
    return {name for page in flow_pages().values() for name in dir(page.reducer.empty) if not hasattr(RunView, name)}


def test_a_shared_module_reads_nothing_of_a_view_that_one_flow_alone_has() -> None:
    own = own_names()
    assert own >= {"consensus", "checked", "corrections", "false_said", "is_position", "speeches"}
    assert {str(path.relative_to(PAGES)): found for path in SHARED if (found := read_of_views(path) & own)} == {}


def read_of_views(path: Path) -> set[str]:
    """What a module reads of a run's view."""
    tree = ast.parse(path.read_text("utf-8"))
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and is_view(node.value)}


def is_view(node: ast.expr) -> bool:
    """Whether an expression is called like a view of a run."""
    return isinstance(node, ast.Name) and node.id in {"view", "entered"}


def test_every_flow_reads_its_log_into_a_view_of_its_own_made_from_the_shared_one() -> None:
    kinds = [type(page.reducer.empty) for page in flow_pages().values()]
    assert all(issubclass(kind, RunView) and kind is not RunView for kind in kinds)
    assert len(set(kinds)) == len({type(page) for page in flow_pages().values()})  # a plan's and a search's are the same page
    assert type(PLAIN.empty) is RunView
