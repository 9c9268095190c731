"""HTML is safe by its type: every panel is a Markup, and a str put into any slot of one is text."""

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
from markupsafe import Markup
from streamlit.testing.v1 import AppTest

from engine.domain.text.visible import visible
from pages.desks import flow_pages
from pages.frame import cards
from pages.frame.escape import joined, markup, plain
from pages.frame.html import NOTHING
from pages.frame.show import Show
from pages.run.flow_page import FlowPage, Panel
from pages.run.generic_page import GenericPage
from tests.pages.events import RUNS

PAGES = Path(__file__).parents[2] / "pages"
SOURCES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PAGES.rglob("*.py"))}
MAKES_MARKUP = {PAGES / "frame" / "escape.py", PAGES / "frame" / "palette.py", PAGES / "run" / "saved_page.py"}
"""The builder, the style sheet, and the file that holds a script and its data."""
EVIL = "<img src=x onerror=alert(1)>\u202e"
SAFE = "&lt;img src=x onerror=alert(1)&gt;\ufffd"
HTML_ENDS = ("_panel", "_card", "_head", "_bar", "_clock", "_message", "_messages", "_link", "_tag", "_line", "_strip", "_table", "_svg")
NO_HTML = {"_line", "limit_line", "judged_line", "under_way_line"}  # words of one line, for whoever writes them into a panel
EVERY_PANEL = {f"{page.flow}-{panel.name}": (page, panel) for page in (*flow_pages().values(), GenericPage("toy")) for panel in page.panels}


@pytest.mark.parametrize(("page", "panel"), EVERY_PANEL.values(), ids=EVERY_PANEL)
def test_every_panel_of_every_flow_is_markup_at_every_moment(page: FlowPage, panel: Panel) -> None:
    for make in RUNS.values():
        log = make()
        for count in (0, 1, len(log) // 2, len(log)):
            assert isinstance(panel.build(page.reducer.reduce(log[:count]), Show()), Markup)


@pytest.mark.full
def test_what_builds_html_says_so_by_its_type() -> None:
    built = {
        f"{path.name}: {node.name}": ast.unparse(node.returns) if node.returns else ""
        for path, tree in SOURCES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.endswith(HTML_ENDS) and node.name not in NO_HTML
    }
    assert sum(kind == "Markup" for kind in built.values()) > 30
    assert {name: kind for name, kind in built.items() if kind not in ("Markup", "None")} == {}


SLOTS: dict[str, Callable[[str], Markup]] = {
    "card": cards.card,
    "card label": lambda text: cards.card(label=text),
    "card class": lambda text: cards.card(css_class=text),
    "head": cards.head,
    "head right": lambda text: cards.head("", text),
    "heading": cards.heading,
    "label": lambda text: cards.label(text, text),
    "chip": lambda text: cards.chip("nobody", Show(titles={"nobody": text})),
    "chip bare": lambda text: cards.chip("nobody", Show(titles={"nobody": text}), bare=True),
    "direction": lambda text: cards.direction(text, 5.0, Show()),
    "message": lambda text: cards.message(text, text),
    "level": lambda text: cards.level(text, text, text, then=text),
    "cell": cards.cell,
    "cell class": lambda text: cards.cell("", text),
    "table head": lambda text: cards.table(((text, True),), []),
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
    if slot != "direction":  # which says a word
        assert "&lt;" not in SLOTS[slot](Markup("<i></i>")), "it is not escaped twice"


@pytest.mark.full
def test_text_is_escaped_once_and_nothing_hidden_is_let_through() -> None:
    assert plain("<a href=\"x\" title='y'>&amp;") == "&lt;a href=&#34;x&#34; title=&#39;y&#39;&gt;&amp;amp;"
    assert plain(plain("<")) == "&lt;"
    assert plain(None) == "None"
    every = [chr(code) for code in range(0x110000)]
    assert [each for each in every if each.isprintable() and visible(each) != each] == [], "what is printable needs no second look"
    assert str(plain("a\u202eb\u200bc\ud800")) == "a\ufffdb\ufffdc\ufffd"


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


def drawn_empty() -> None:
    """A page with a part that has nothing to say yet, and one that has."""
    import streamlit as st

    from pages.frame.html import draw_html

    draw_html("")
    draw_html("<b>x</b>", st.empty())


@pytest.mark.full
def test_html_comes_onto_pages_in_one_way_and_may_be_empty() -> None:
    app = AppTest.from_function(drawn_empty, default_timeout=30).run()
    assert not app.exception
    assert [element.proto.body for element in app.get("html")] == [str(NOTHING), "<b>x</b>"]
    others = [
        f"{path.relative_to(PAGES)}:{node.lineno}"
        for path, tree in SOURCES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and ((node.func.attr == "html" and node.args) or ast.unparse(node.func) in ("st.markdown", "st.write"))
    ]
    assert [place for place in others if not place.startswith("frame/html.py")] == []
