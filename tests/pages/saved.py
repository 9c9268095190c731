"""The saved file of a run, as its desk makes it."""

from datetime import datetime
from typing import Any

from pages.chart.figure import ChartData
from pages.chart.still import RunLog
from pages.desks import page_of_flow
from pages.desks.desk_page import DeskPage
from pages.desks.saved_run import SavedAs, run_file
from pages.frame.show import Show


def run_document(
    view: Any,
    show: Show,
    chart: ChartData | None,
    up_down: str,
    proposal: Any = None,
    at: datetime | None = None,
    log: RunLog[Any] | None = None,
    flow: str = "decision",
) -> str:
    """The file of a run of a flow."""
    page = page_of_flow(flow)
    assert isinstance(page, DeskPage)
    return run_file(page, view, show, chart, up_down, SavedAs(proposal, at), log)  # type: ignore[arg-type]
