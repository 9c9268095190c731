"""The chart's files on their way to the browser: its component, its script, and Plotly, which comes out of the installed package."""

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import streamlit as st

from pages.parts.served import ASSETS, LOADER, served

_DESK = ".tb-verdict, .tb-approvals"
"""What the page shows when it stands."""


def prepare_chart() -> None:
    """Let the browser read Plotly as soon as the page stands: half a second, which would otherwise fall into a run's first words."""
    chart_component()(key="chart-library", data={**chart_files(), "part": "library", "after": _DESK}, height=1)


@cache
def chart_component() -> Callable[..., Any]:
    """Mounts one part of a chart."""
    return st.components.v2.component("tribunal_chart", js=LOADER, isolate_styles=False)


def chart_files() -> dict[str, str]:
    """The addresses of the script and of the library. Raises FileNotFoundError when Plotly is not installed."""
    return {"script": served("assets", ASSETS / "chart", "chart.js"), "library": served("plotly", _plotly(), "plotly.min.js")}


def _plotly() -> Path:
    """Its folder of browser files, without importing it."""
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("the chart needs the package plotly: pip install -r requirements.txt")
    return Path(spec.origin).parent / "package_data"
