"""What a run will cost, beside what begins it: median and 95th percentile of tokens, money and seconds. HTML, without streamlit."""

from typing import Final

from markupsafe import Markup

from engine.api import Engine
from engine.domain.connection import RunCost, Spread
from engine.domain.errors import TribunalError
from pages.frame import numbers
from pages.frame.escape import joined, markup
from pages.frame.show import Show

_THOUSANDS: Final = 10_000
_ROWS: Final = ("tokens", "money", "time")


def cost_lines(engine: Engine, flow: str, model: str, show: Show) -> Markup:
    """Return the lines beside a button that begins a run of a flow; nothing while they are being counted, and for the script."""
    cost = _cost(engine, flow, model)
    if cost is None:
        return Markup()
    return markup('<div class="tb" title="{}">{}</div>', cost_source(cost, show), cost_table(cost, show))


def cost_line(engine: Engine, flow: str, model: str, show: Show) -> Markup:
    """Return the medians of the same in one line, where the button is in a row of that height."""
    cost = _cost(engine, flow, model)
    if cost is None:
        return Markup()
    figures = [(name, figure(cost, name, "median")) for name in _ROWS]
    said = [
        markup('<span class="{}"><i>{}</i> <b>{}</b></span>', name, show.say(f"cn_{name}"), value)
        for name, value in figures
        if value != numbers.DASH
    ]
    title = show.say("cn_p95", value=" · ".join(figure(cost, name, "p95") for name, value in figures if value != numbers.DASH))
    guess = " guess" if cost.estimated else ""
    return markup('<div class="tb tb-cost-line{}" title="{} {}">{}</div>', guess, cost_source(cost, show), title, joined(said))


def _cost(engine: Engine, flow: str, model: str) -> RunCost | None:
    if model == "scripted":
        return None
    try:
        cost = engine.costs.of_flow(flow, model)
    except TribunalError:
        return None
    return cost if cost is not None and cost.tokens.median is not None else None


def cost_table(cost: RunCost, show: Show) -> Markup:
    """Return tokens, money and time as far as they are known, each with its median and what 95 of 100 runs do not exceed."""
    say = show.say
    figures = [(name, figure(cost, name, "median"), figure(cost, name, "p95")) for name in _ROWS]
    rows = joined(
        markup("<span>{}</span><b>{}</b><span class=r>{}</span>", say(f"cn_{name}"), median, p95)
        for name, median, p95 in figures
        if median != numbers.DASH
    )
    heads = markup("<span></span><span class=h>{}</span><span class=h>{}</span>", say("cn_median"), say("cn_of_100"))
    return markup('<div class="tb-cost{}">{}{}</div>', " guess" if cost.estimated else "", heads, rows)


def figure(cost: RunCost, name: str, which: str) -> str:
    """Return one figure: `18.4 k`, `0.004`, `36.0 s`. name: `tokens`, `money` or `time`. which: `median` or `p95`."""
    spread: Spread | None = {"tokens": cost.tokens, "money": cost.money, "time": cost.seconds}[name]
    value: float | None = getattr(spread, which) if spread is not None else None
    if value is None:
        return numbers.DASH
    if name == "tokens":
        return f"{numbers.number(value / 1000, 1)}{numbers.THIN}k" if value >= _THOUSANDS else numbers.number(value)
    return numbers.seconds(value) if name == "time" else numbers.said(float(f"{value:.2g}"), "")


def cost_source(cost: RunCost, show: Show) -> str:
    """Return whence the figures are."""
    if cost.estimated:
        return show.say("cn_cost_estimated", calls=cost.calls)
    return show.say("cn_cost_measured", n=cost.runs) if cost.runs else show.say("cn_cost_unknown")
