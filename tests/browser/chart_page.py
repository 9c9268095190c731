"""A page with nothing but the chart, for the browser: made-up candles and a forming bar that moves every half second."""

import numpy as np
import streamlit as st

from engine.domain.facts import Pattern
from engine.domain.market.candles import Candle, Candles
from engine.domain.market.timeframe import Timeframe
from pages.chart.figure import chart_data, draw_chart
from pages.desks.decision.decision_view import DECISION
from pages.desks.decision.run_chart import live_annotations
from pages.frame.palette import marker, stylesheet
from pages.frame.show import Show
from tests.pages.events import RUNS

STEP_MS = 900_000
LAST = 1_779_007_500_000


def made_candles(count: int = 300, timeframe: str = "15m") -> Candles:
    """A slow wave that ends at 78,034.2."""
    at = np.arange(count)
    close = np.round(78034.2 + 400 * np.sin(at / 17) + 60 * np.sin(at * 1.7), 1)
    close = np.round(close - close[-1] + 78034.2, 1)
    opened = np.concatenate([[close[0]], close[:-1]])
    high, low = np.maximum(opened, close) + 25, np.minimum(opened, close) - 25
    step = Timeframe.parse(timeframe)
    return Candles(step, LAST - step.ms * (count - 1 - at), opened, high, low, close, 400 + 100 * np.cos(at))


def made_series(candles: Candles) -> dict[str, list[float | None]]:
    """Lines that follow the close, unknown at first; one of a higher timeframe, which changes every fourth bar."""
    lines: dict[str, list[float | None]] = {}
    for name, shift in (("ema_20", 30.0), ("ema_50", 70.0), ("ema_200", -150.0), ("sma_50", 200.0)):
        lines[name] = [None] * 20 + [float(value) + shift for value in candles.close[20:]]
    for name, middle in (("rsi_14", 50), ("adx_14", 30), ("plus_di", 25), ("minus_di", 20)):
        lines[name] = [None] * 14 + [middle + 15 * float(np.sin(at / 9)) for at in range(len(candles) - 14)]
    return lines | {"1h.mfi_14": [60 + 15 * float(np.sin(at // 4)) for at in range(len(candles))]}


def page() -> None:
    """The page."""
    st.html(stylesheet())
    st.html(marker("green-up"))
    for key in ("adx_14", "sma_50", "1h.mfi_14", "funding_rate_pct"):
        place = f'data-claim="{key}" data-key="{key}" data-time="1778800000000"'
        st.html(f'<p class="tb"><span class="tb-claim no" tabindex="0" role="button" {place}>{key}</span></p>')
    candles = made_candles()
    annotations = [*live_annotations(DECISION.reduce(RUNS["entry"]())), {"type": "support", "price": 77900.0, "timestamp": None}]
    hostile = Pattern(name="<img src=x onerror=window.hurt=1>", direction=1, timeframe="15m", bar_time=LAST - 40 * STEP_MS, bars_ago=40)

    @st.fragment(run_every=0.5)
    def live() -> None:
        tick = st.session_state["tick"] = st.session_state.get("tick", 0) + 1
        close = round(78034.2 + 10 * (tick % 5), 1)
        forming = Candle(LAST + STEP_MS, 78034.2, close + 12, 78020.0, close, 80.0)
        data = chart_data(
            candles,
            annotations,
            Show(step=0.1),
            symbol="BTC/USDT:USDT",
            revision="run-1",
            series=made_series(candles),
            forming=forming,
            patterns=[hostile],
        )
        draw_chart(data, key="chart")

    live()


if __name__ == "__main__":
    page()
