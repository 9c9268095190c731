"""The desks that have pages, in the order of the navigation. A desk is a folder here: `page.py` with `PAGES` (what its runs are drawn by, a
`FlowPage` each), `view.py` (the script of its page) and, where it has words of its own, `words.toml`.
"""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from engine.domain.text.language import Language

if TYPE_CHECKING:
    from engine.api import Engine
    from pages.run.flow_page import FlowPage

DESKS: Final = ["decision", "equities", "research"]
"""The first is the page that the product opens with."""


@cache
def flow_pages() -> "dict[str, FlowPage]":
    """Return flow -> its page, of every desk."""
    return {page.flow: page for desk in DESKS for page in _pages(desk)}


def _pages(desk: str) -> Any:
    return import_module(f"{__name__}.{desk}.page").PAGES


def page_of_flow(flow: str) -> "FlowPage":
    """Return the page that runs of a flow are drawn by: the generic one for a flow without its own."""
    from pages.run.generic_page import GenericPage  # noqa: PLC0415 - words are read through this list of desks

    return flow_pages().get(flow) or GenericPage(flow)


def flows_at(path: str) -> tuple[str, ...]:
    """Return the flows whose runs are shown on a page. path: of the page, "" for the first."""
    return tuple(page.flow for page in flow_pages().values() if page.path == path)


def first_page() -> "FlowPage":
    """Return the page that is there before any run."""
    return next(iter(flow_pages().values()))


def all_titles(engine: "Engine", language: Language) -> dict[str, str]:
    """Return role -> its name, of the roles of every desk that has pages."""
    return {role: title for page in flow_pages().values() for role, title in page.titles(engine, language).items()}
