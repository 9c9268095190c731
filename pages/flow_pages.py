"""The page of every flow that has one; a flow without is drawn by the generic page.

A flow more is a room beside `decision` and a line here.
"""

from typing import Final

from engine.api import Engine
from engine.domain.text.language import Language
from pages.decision.page import DecisionPage
from pages.equities.page import EquitiesPage
from pages.research.page import ResearchPage
from pages.run.flow_page import FlowPage
from pages.run.generic_page import GenericPage

_PAGES: Final[tuple[FlowPage, ...]] = (DecisionPage(), EquitiesPage(), ResearchPage("plan"), ResearchPage("research"))
FLOW_PAGES: Final[dict[str, FlowPage]] = {page.flow: page for page in _PAGES}
"""Flow -> its page. The first is the one that the desk opens with."""


def page_of_flow(flow: str) -> FlowPage:
    """Return the page that runs of a flow are drawn by."""
    return FLOW_PAGES.get(flow) or GenericPage(flow)


def flows_at(path: str) -> tuple[str, ...]:
    """Return the flows whose runs are shown on a page. path: of the page, "" for the first."""
    return tuple(page.flow for page in FLOW_PAGES.values() if page.path == path)


def first_page() -> FlowPage:
    """Return the page that is there before any run."""
    return next(iter(FLOW_PAGES.values()))


def all_titles(engine: Engine, language: Language) -> dict[str, str]:
    """Return role -> its name, of the roles of every flow that has a page."""
    return {role: title for page in FLOW_PAGES.values() for role, title in page.titles(engine, language).items()}
