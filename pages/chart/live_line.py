"""The price of now over a chart, and the terms by which the browser says the money at a line that is under the reader's hand.

It is a part of the chart of its own, so that it can come every second while nothing else of the chart is sent, and nothing is drawn anew.
"""

import json

from pydantic import JsonValue

from pages.chart.browser_files import chart_component, chart_files

PLAN_CHART = "plan-chart"
"""The key of the chart that the form to sign is about: the current price is drawn over it."""


def draw_live_line(chart: str, content: dict[str, JsonValue]) -> None:
    """Put it over the chart with that key, wherever on the page that is drawn. It goes with the element this makes.

    content: `price`, `text`, `tone` (`tb-up`, `tb-down` or ""), `moves`: whether it is a price of now; `age_s`, `stale_s`: from
    which age on it is not shown as that; `money`: the terms of what a level means, None where none can be moved; `words`.
    """
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    chart_component()(key=f"{chart}-live", data={**chart_files(), "part": "live", "chart": chart, "content": text}, height=1)
