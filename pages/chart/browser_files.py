"""The chart's files on their way to the browser: its component, its script, and Plotly, which comes out of the installed package."""

from collections.abc import Callable
from typing import Any

from pages.server.static_files import PLOTLY, address_of, component

_DESK = ".tb-verdict, .tb-approvals"
"""What the page shows when it is there."""


def prepare_chart() -> None:
    """Let the browser read Plotly as soon as the page is drawn: half a second, which would otherwise fall into a run's first words."""
    chart_component()(key="chart-library", data={**chart_files(), "part": "library", "after": _DESK}, height=1)


def chart_component() -> Callable[..., Any]:
    """Mounts one part of a chart."""
    return component("chart")


def chart_files() -> dict[str, str]:
    """Return the addresses of the script and of the library. Raises FileNotFoundError when Plotly is not installed."""
    return {"script": address_of("chart/chart.js"), "library": address_of(PLOTLY)}
