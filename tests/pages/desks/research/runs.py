"""What the tests of the research page read: logs of real runs, and everything that a page shows of one."""

from engine.domain.events import Event
from engine.domain.run import RunRecord
from pages.desks.research.measured import measured_panel
from pages.desks.research.panels import PANELS
from pages.desks.research.research_reducer import RESEARCH
from pages.desks.research.research_view import ResearchView
from pages.desks.research.steps import step_strip
from pages.desks.research.verdict import verdict_bar
from pages.frame.show import Show

AT = "2026-05-16T12:00:00Z"
EVIL = "<img src=x onerror=alert(1)>"
PLAN = {
    "question": "Who pays funding?",
    "factors": [
        {
            "name": "funding",
            "description": "what holding costs",
            "tasks": [
                {"id": "f", "tool": "funding_history", "args": {"symbol": "BTC/USDT:USDT"}, "output_key": "funding"},
                {"id": "n", "tool": "market_snapshot", "args": {"symbol": "NOBODY/USDT:USDT"}, "output_key": "nobody", "max_retries": 1},
            ],
        },
        {
            "name": "positions",
            "tasks": [{"id": "o", "tool": "open_interest_history", "args": {"symbol": "BTC/USDT:USDT"}, "output_key": "interest"}],
        },
    ],
}
Log = tuple[RunRecord, list[Event]]


def shown(view: ResearchView, language: str = "en") -> str:
    """Everything on the page of a run."""
    show = Show(language=language)  # type: ignore[arg-type]
    parts = [verdict_bar(view, show), step_strip(view, show), measured_panel(view, show), *(panel.build(view, show) for panel in PANELS)]
    return "\n".join(parts)


def at_end(log: Log) -> ResearchView:
    """The view of a run that has ended."""
    record, events = log
    assert record.result is not None
    return RESEARCH.reduce(events).at_end(record.result)
