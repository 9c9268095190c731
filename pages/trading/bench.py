"""What a bench found of a model: which roles it fits, every measure with its interval. HTML, without streamlit."""

from collections.abc import Mapping
from typing import Final

from markupsafe import Markup

from engine.domain.bench import BenchEstimate, BenchMeasure, BenchProgress, BenchResult
from pages.frame import numbers
from pages.frame.cards import card, cell, head, heading, label, table
from pages.frame.escape import markup
from pages.frame.show import Show

_SIGNS: Final[Mapping[str, tuple[str, str]]] = {"yes": ("done", "✓"), "no": ("bad", "✕"), "unsure": ("warn", "?")}


def bench_progress(progress: BenchProgress, show: Show) -> Markup:
    """Return how far a bench has come."""
    of = progress.questions
    said = show.say("bench_prepares") if of is None else show.say("bench_progress", asked=progress.asked, of=of)
    return markup('<p class="tb tb-muted" role="status">{}</p>', said)


def bench_offer(model: str, estimate: BenchEstimate, show: Show) -> Markup:
    """Return what a bench is and what it usually takes, before one is started."""
    say, cost = show.say, ""
    if estimate.cost is None:
        cost = say("bench_no_price")
    elif estimate.cost:
        cost = say("bench_cost", cost=numbers.said(round(estimate.cost, 3), ""))
    takes = {"sent": numbers.number(estimate.prompt_tokens), "received": numbers.number(estimate.completion_tokens)}
    text = say("bench_text", model=model, questions=estimate.questions, **takes)
    return markup('<div class="tb">{}<p class="tb-muted">{} {}</p></div>', head(heading(say("bench_title"))), text, cost)


def bench_panel(result: BenchResult, show: Show) -> Markup:
    """Return the fit of each role and, folded away, the measures."""
    say = show.say
    fit = [
        (
            cell(_role(role, show)),
            cell(markup('<span class="tb-st {}"><b aria-hidden="true">{}</b>{}</span>', *_SIGNS[found], say(f"bench_{found}"))),
            cell(say("list_comma").join(_name(name, show) for name in result.failed.get(role, ()))),
        )
        for role, found in result.fit.items()
    ]
    known = [(name, measure) for name, measure in result.measures.items() if measure.n]
    rows = [
        (cell(_name(name, show)), *(cell(text, "r") for text in (*_figures(measure), numbers.number(measure.n)))) for name, measure in known
    ]
    heads = (("bench_measure", False), ("bench_value", True), ("bench_interval", True), ("bench_n", True))
    measures = table(tuple((say(key), right) for key, right in heads), rows)
    said = say(
        "bench_sum",
        asked=result.asked,
        planned=result.planned,
        day=f"{result.at:%Y-%m-%d}",
        tokens=numbers.number(result.tokens),
        prompts=result.prompts_hash[:19],
    )
    title = say("bench_came", model=result.model)
    return card(
        head(heading(title), label(said)),
        markup('<p class="tb-muted">{}</p>', say(f"bench_ended_{result.ended}")),
        table(tuple((say(key), False) for key in ("bench_role", "bench_fit", "bench_against")), fit, "tb-check"),
        markup("<details><summary>{}</summary>{}</details>", say("bench_all"), measures),
        label=title,
    )


def _role(role: str, show: Show) -> str:
    return show.say("bench_analysts") if role == "analysts" else show.name(role)


def _name(name: str, show: Show) -> str:
    measure, _, of = name.partition(".")
    if not of:
        return show.say(f"bm_{measure}")
    return f"{show.say(f'bm_{measure}')} · {_role(of, show)}"


def _figures(measure: BenchMeasure) -> tuple[str, str]:
    """Return a value and its interval, as they were measured: shares from 0 to 1, or numbers in 100."""
    if measure.value is None or measure.low is None or measure.high is None:
        return numbers.DASH, numbers.DASH
    return f"{measure.value:.2f}", f"{measure.low:.2f} – {measure.high:.2f}"
