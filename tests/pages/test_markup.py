"""HTML is safe by its type: every panel is a Markup, and a str put into any slot of one is text."""

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
from markupsafe import Markup

from pages.desks import flow_pages
from pages.frame import cards
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.flow_page import FlowPage
from pages.run.generic_page import GenericPage
from tests.pages.events import RUNS

PAGES = Path(__file__).parents[2] / "pages"
SOURCES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PAGES.rglob("*.py"))}
MAKES_MARKUP = {
    PAGES / "frame" / "escape.py",
    PAGES / "frame" / "palette.py",
    PAGES / "run" / "saved_page.py",
    PAGES / "chart" / "drawing.py",
}
"""The builder, the style sheet, the file that holds a script and its data, and the picture whose words matplotlib escapes."""
EVIL = "<img src=x onerror=alert(1)>\u202e"
SAFE = "&lt;img src=x onerror=alert(1)&gt;\ufffd"
FLOW_PAGES = (*flow_pages().values(), GenericPage("toy"))


@pytest.mark.parametrize("page", FLOW_PAGES, ids=[page.flow for page in FLOW_PAGES])
def test_every_panel_of_every_flow_is_markup_at_every_moment(page: FlowPage) -> None:
    for make in RUNS.values():
        log = make()
        for count in (1, len(log) // 2, len(log)):
            view = page.reducer.reduce(log[:count])
            for panel in page.panels:
                assert isinstance(panel.build(view, Show()), Markup), panel.name


SLOTS: dict[str, Callable[[str], Markup]] = {
    "card": cards.card,
    "card class": lambda text: cards.card(css_class=text),
    "head": cards.head,
    "chip": lambda text: cards.chip("nobody", Show(titles={"nobody": text})),
    "message": lambda text: cards.message(text, text),
    "level": lambda text: cards.level(text, text, text, then=text),
    "cell": cards.cell,
    "table cell": lambda text: cards.table((), [[text]]),  # type: ignore[list-item]
    "table class": lambda text: cards.table((), [], text),
    "template": lambda text: markup("<b>{}</b>", text),
    "sequence": lambda text: joined([text, Markup("<b></b>")]),
}


@pytest.mark.parametrize("slot", SLOTS)
def test_a_str_in_a_slot_is_text_and_markup_stands_as_it_is(slot: str) -> None:
    html = SLOTS[slot](EVIL)
    assert isinstance(html, Markup)
    assert SAFE in html
    assert "<img" not in html
    assert "\u202e" not in html
    assert "&lt;" not in SLOTS[slot](Markup("<i></i>")), "it is not escaped twice"


@pytest.mark.full
def test_only_literals_of_the_pages_become_markup() -> None:
    for path, tree in SOURCES.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or path in MAKES_MARKUP:
                continue
            if node.func.id in ("Markup", "markup"):
                literal = [isinstance(each, ast.Constant) and isinstance(each.value, str) for each in node.args[:1]]
                assert all(literal), f"{path.name}:{node.lineno}: {ast.unparse(node)[:80]}"
                assert node.func.id == "markup" or len(node.args) <= 1


@pytest.mark.full
def test_no_f_string_of_the_pages_writes_a_tag() -> None:
    for path, tree in SOURCES.items():
        strings = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
        for node in strings:
            written = "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
            assert "</" not in written, f"{path.name}:{node.lineno}"
            assert '="' not in written, f"{path.name}:{node.lineno}"
