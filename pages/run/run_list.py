"""The runs of this journal, of every flow. HTML, without streamlit."""

from collections.abc import Callable, Sequence
from datetime import datetime

from markupsafe import Markup

from engine.domain.run import RunSummary
from pages.frame import numbers
from pages.frame.cards import card, cell, head, heading, label, table
from pages.frame.escape import markup, plain
from pages.frame.show import Show

Headline = Callable[[RunSummary, Show], str]
"""What a run came to, in plain words."""

_STATES = {
    "starting": ("○", "state_starting"),
    "running": ("●", "state_running"),
    "interrupted": ("↻", "state_interrupted"),
    "stopped": ("■", "state_stopped"),
    "finished": ("✓", "state_finished"),
    "failed": ("✕", "state_failed"),
}


def runs_panel(runs: Sequence[RunSummary], show: Show, now: datetime, title: str = "", headline: Headline | None = None) -> Markup:
    """Return the runs, newest first, each a link to its page. now: aware UTC, for ages. title: of the panel, in place of the usual one.
    headline: of a run that has one; as the run says it when left out."""
    say = show.say
    title = title or say("runs")
    if not runs:
        return card(markup("<p>{}</p>", say("runs_none")), label=title)
    names: tuple[str, ...] = ("col_state", "col_subject", "col_outcome", "col_age", "col_took", "col_tokens", "col_money", "col_model")
    has_flows = len({run.flow for run in runs}) > 1
    names = (*names, "col_flow") if has_flows else names
    heads = tuple((say(name), name in {"col_age", "col_took", "col_tokens", "col_money"}) for name in names)
    rows = [_row(run, show, now, headline or own_headline, has_flows=has_flows) for run in runs]
    return card(head(heading(title), label(say("runs_count", n=numbers.number(len(runs))))), table(heads, rows), label=title)


def _row(run: RunSummary, show: Show, now: datetime, headline: Headline, *, has_flows: bool) -> list[Markup]:
    say, (glyph, word) = show.say, _STATES[run.status]
    state = markup('<span aria-hidden="true">{}</span> {}', glyph, say(word))
    link = markup('<a href="./?run={}&amp;lang={}" target="_self">{}</a>', run.run_id, show.language, run.subject)
    made = markup(' <span class="tb-muted">{}</span>', say("made_from", run=run.parent)) if run.parent else ""
    took = run.duration_ms / 1000 if run.duration_ms is not None else None
    return [
        cell(state),
        cell(link + made),
        cell(_outcome(run, show, headline)),
        cell(numbers.age((now - run.created_at).total_seconds()), "r"),
        cell(numbers.seconds(took), "r"),
        cell(numbers.number(run.tokens), "r"),
        cell(numbers.number(run.cost, 4) if run.cost else numbers.DASH, "r"),
        cell(plain(run.model or numbers.DASH)),
        *([cell(plain(run.flow))] if has_flows else []),
    ]


def _outcome(run: RunSummary, show: Show, headline: Headline) -> Markup:
    return plain((run.error or numbers.DASH)[:80] if run.headline is None else headline(run, show)[:80])


def own_headline(run: RunSummary, show: Show) -> str:
    """Return what a run came to as the run itself says it; a dash before its end. show: for flows that say it in a language."""
    return run.headline or numbers.DASH


def pair_row(name: str, one: str, other: str) -> list[Markup]:
    """Return a row in which what differs is bold and carries a sign, so that colour is not needed."""
    differs = one != other
    shown = [markup("<b>{}</b>", text) if differs else text for text in (plain(one), plain(other))]
    return [cell(("≠ " if differs else "") + plain(name)), cell(shown[0]), cell(shown[1])]
