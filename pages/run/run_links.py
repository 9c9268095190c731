"""Runs as links: the address of one, how it is called where there is room for a few words, and the short list of those at hand in the
sidebar. HTML, without streamlit.

An address is relative to the page it is on, so that the path under which the server is reached is kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode

from markupsafe import Markup

from engine.domain.run import RunSummary
from engine.domain.shown_state import ShownState
from engine.domain.text.language import Language
from pages.frame import numbers
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.states import STATE_SIGNS, state_chip

_MOST = 28


def short_subject(subject: str) -> str:
    """Return `BTC` of `BTC/USDT:USDT`, a ticker as it is, the beginning of a question."""
    base = subject.partition("/")[0] if "/" in subject and " " not in subject else subject
    return base if len(base) <= _MOST else f"{base[: _MOST - 1].rstrip()}…"


def run_title(state: ShownState, subject: str, progress: tuple[int, int] | None, word: str, show: Show) -> str:
    """Return `… BTC 3/9` while it goes on, `● BTC short to sign`, `◆ BTC Wait`, `■ BTC stopped`. word: what it came to, in the
    shortest words. progress: how many of how many are done, None if unknown."""
    said = [STATE_SIGNS[state][0], short_subject(subject)]
    if state in ("starting", "running"):
        said += [f"{progress[0]}/{progress[1]}"] if progress is not None else []
    elif state == "finished":
        said += [word]
    elif state in ("stopped", "failed", "invalid", "interrupted"):
        said += [show.say(f"state_{state}")]
    else:
        said += [word, show.say(f"state_{state}")]
    return " ".join(part for part in said if part)


Headline = Callable[[RunSummary, Show], str]
"""What a run came to, in plain words."""
Path = Callable[[str], str]
"""Flow -> the path of the page that its runs are shown on, "" for the first."""


def run_address(run_id: str, path: str, language: Language) -> str:
    """Return `./equities?run=ID&lang=en`, from any page of this server."""
    return f"./{path}?{urlencode({'run': run_id, 'lang': language})}"


@dataclass(frozen=True)
class RunLine:
    """A run of a list, with how it is shown."""

    run: RunSummary
    state: ShownState


def runs_aside(lines: Sequence[RunLine], shown: str | None, show: Show, now: datetime, headline: Headline, path: Path) -> Markup:
    """Return the runs as one line each: state, market, timeframe, what it came to, and when; "" for none. shown: the run of this page."""
    if not lines:
        return Markup()
    rows = joined(_row(line, shown, show, now, headline, path) for line in lines)
    every = markup('<a href="./runs?lang={}" target="_self">{}</a>', show.language, show.say("at_hand_all"))
    top = markup('<div class="tb-h"><h2>{}</h2><span class="sp"></span>{}</div>', show.say("at_hand"), every)
    return markup('<nav class="tb tb-hand" aria-label="{}">{}<ul>{}</ul></nav>', show.say("at_hand"), top, rows)


def _row(line: RunLine, shown: str | None, show: Show, now: datetime, headline: Headline, path: Path) -> Markup:
    run, chip = line.run, state_chip(line.state, show.say)
    came_to = headline(run, show) if run.status == "finished" and run.headline is not None and run.is_valid is not False else ""
    sign = came_to.partition(" ")[0] if len(came_to.partition(" ")[0]) == 1 else ""
    words = came_to.removeprefix(chip.glyph).lstrip() if line.state == "finished" and came_to else f"{sign} {chip.words}".lstrip()
    name = " ".join(part for part in (short_subject(run.subject), run.timeframe) if part)
    here = Markup(' aria-current="page"') if run.run_id == shown else ""
    spoken = " · ".join(part for part in (run.subject, run.timeframe, came_to, chip.words, numbers.stamp(run.created_at)) if part)
    return markup(
        '<li class="{}"><a href="{}" target="_self" title="{}"{}><i aria-hidden="true">{}</i><b>{}</b> <span class="w">{}</span>'
        '<span class="t">{}</span></a></li>',
        chip.css_class,
        run_address(run.run_id, path(run.flow), show.language),
        spoken,
        here,
        chip.glyph,
        name,
        words,
        _when(run.created_at, now),
    )


def _when(at: datetime, now: datetime) -> str:
    """Return `09:05` of today, `05-17` of another day, in UTC."""
    instant = at.astimezone(UTC)
    return instant.strftime("%H:%M" if instant.date() == now.astimezone(UTC).date() else "%m-%d")
