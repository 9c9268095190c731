"""The chart as a still picture: SVG that needs no script, for a page that is saved as a file. Given what the live chart is given."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic

from markupsafe import Markup

from engine.domain.events import Event
from pages.chart.figure import ChartData
from pages.frame.cards import card
from pages.frame.escape import markup
from pages.run.reducer import V

WIDTH, HEIGHT = 1180, 440


def chart_svg(data: ChartData) -> Markup:
    """Return the last bars with everything that is drawn on them; nothing without candles. Colours are the style sheet's."""
    inside = chart_inside(data)
    if not inside:
        return Markup()
    head = markup('<svg class="tb-svg" viewBox="0 0 {} {}" role="img" aria-label="{}">', WIDTH, HEIGHT, data.sentence)
    return Markup('<div class="tb-svgbox" tabindex="0">') + head + inside + Markup("</svg></div>")


def chart_inside(data: ChartData) -> Markup:
    """Return what is in that picture, for one of another size."""
    from pages.chart.drawing import drawn  # noqa: PLC0415 - mplfinance takes long to import, and few pages are saved

    return drawn(data, WIDTH, HEIGHT) if data.bars.get("t") else Markup()


@dataclass(frozen=True)
class RunLog(Generic[V]):
    """A run to be played in pictures. events: of all of it. chart_at: its chart as it was in a view, None before it has one."""

    events: Sequence[Event]
    chart_at: Callable[[V], ChartData | None]


class KeptPictures:
    """Cards with the picture of a chart: the same chart is drawn once."""

    def __init__(self) -> None:
        self._last: tuple[ChartData, Markup] | None = None

    def of(self, data: ChartData | None, below: Markup | None = None) -> Markup:
        """Return the card, nothing without a chart. below: what is under the picture."""
        if data is None:
            return Markup()
        if self._last is None or self._last[0] != data:
            self._last = data, card(chart_svg(data), below or Markup(), label=data.sentence)
        return self._last[1]
