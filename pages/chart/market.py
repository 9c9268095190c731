"""A market on a page: its chart, mounted once, the same candles as a table, and what is in its place while the market is being read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st
from markupsafe import Markup
from pydantic import JsonValue
from streamlit.delta_generator import DeltaGenerator

from engine.domain.errors import TribunalError
from engine.domain.facts import Pattern
from engine.domain.market.candles import Candle, Candles
from pages.chart.figure import HEIGHT, ChartData, chart_data, chart_table, draw_chart
from pages.frame import json_fields
from pages.frame.escape import markup
from pages.frame.html import draw_html
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.words.texts import form_word

PLAN_HEIGHT = 340
_READ_S = 1.0


@dataclass(frozen=True)
class MarketChart:
    """What a chart is drawn from: see `chart_data`. marks: its annotations. below: what is between the chart and its table. listed: what
    is under the table."""

    candles: Candles
    symbol: str
    revision: str
    series: Mapping[str, Sequence[float | None]]
    show: Show
    up_down: UpDown
    marks: Sequence[json_fields.Fields] = ()
    forming: Candle | None = None
    patterns: Sequence[Pattern] = ()
    events: Sequence[JsonValue] = ()
    later: Candles | None = None
    drag_step: float | None = None
    below: Markup | None = None
    listed: Markup | None = None

    def data(self, bars: dict[str, JsonValue] | None = None) -> ChartData:
        """Return what is drawn. bars: what this gave before for the same candles, language and colours."""
        return chart_data(
            self.candles,
            self.marks,
            self.show,
            symbol=self.symbol,
            revision=self.revision,
            series=self.series,
            forming=self.forming,
            patterns=self.patterns,
            up_down=self.up_down,
            later=self.later,
            bars=bars,
            drag_step=self.drag_step,
            events=self.events,
        )

    def draw(
        self, key: str = "chart", *, height: int = HEIGHT, keep: bool = True, on_drag: Callable[[str, float], None] | None = None
    ) -> ChartData:
        """Draw it, and its table that can be unfolded. Return what was drawn. key: of its place. keep: the bars are the same at most polls,
        made once and kept with the session. on_drag: what is told of a stop or a target that was dragged."""
        ends, count = (self.candles.closed_at if len(self.candles) else 0), len(self.later) if self.later is not None else 0
        made = self.revision, self.symbol, ends, len(self.candles), count, self.show.language, self.up_down
        kept = st.session_state.get(f"{key}-made") if keep else None
        data = self.data(kept[1] if kept is not None and kept[0] == made else None)
        if keep:
            st.session_state[f"{key}-made"] = made, data.bars
        draw_chart(data, key, height=height, on_drag=on_drag)
        if self.below is not None:
            draw_html(self.below)
        candles = self.candles if self.later is None else self.candles.followed_by(self.later)
        with st.expander(form_word("chart_table", self.show.language)):
            draw_html(chart_table(candles, self.marks, self.show))
            if self.listed is not None:
                draw_html(self.listed)
        return data


def draw_before(
    find: Callable[[], MarketChart | None], show: Show, place: DeltaGenerator, *, poll: bool, hint: str = "", below: Markup | None = None
) -> None:
    """Draw the market that is asked for before its run has read it, in the place and the room of the run's chart; until it is there, why it
    is not, in a room as high as the chart, so that nothing moves.

    find: returns the market, None while it is being read; raises a TribunalError where that cannot be. poll: whether nothing else draws the
    page again until the market is there: then it is asked for once a second. hint: what has to be typed before there is a market, "" when
    nothing. below: what keeps the place of what will be between the chart and its table.
    """
    words, waits = hint, False
    if not hint:
        try:
            market = find()
        except TribunalError as problem:
            words = f"{show.say('chart_failed')} {show.translated(str(problem))}"
        else:
            if market is not None:
                with place, st.container():  # as a fragment has one: a chart that changes its place is mounted anew
                    market.draw(keep=False)
                return
            words, waits = show.say("chart_later"), poll
    with place:
        draw_html(markup('<div class="tb tb-card tb-chart-room tb-muted" role="status">{}</div>', words))
        if below is not None:
            draw_html(below)
        with st.expander(form_word("chart_table", show.language)):
            draw_html(markup('<p class="tb tb-muted">{}</p>', words))
        if waits:
            st.fragment(_look_again, run_every=_READ_S)(find)


def _look_again(find: Callable[[], MarketChart | None]) -> None:
    try:
        there = find() is not None
    except TribunalError:
        there = True  # the page says why there is nothing
    if there:
        st.rerun()
