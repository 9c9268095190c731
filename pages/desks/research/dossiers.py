"""The list of earlier questions beside the form: what was asked, when, its state, what was found, how sure it is. Each is a link."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.domain.clock import utc_now
from engine.domain.errors import TribunalError
from engine.domain.run import RunSummary
from engine.domain.run_filter import RunFilter
from engine.domain.shown_state import state_of_run
from engine.domain.text.language import Language
from pages.frame import numbers
from pages.frame.escape import joined, markup
from pages.frame.html import draw_html
from pages.frame.show import Show
from pages.run.run_links import run_address
from pages.run.states import state_chip
from pages.words.texts import form_word

_FLOWS: Final = ("plan", "research")
_PATH: Final = "research"
_SHOWN, _MANY = 12, 8


@dataclass(frozen=True)
class DossierLine:
    """One question of the list. statements: how many, None where there are none to be read. unsupported: of them. confidence: 0-1."""

    run: RunSummary
    statements: int | None = None
    unsupported: int = 0
    confidence: float | None = None


def draw_dossiers(engine: Engine, language: Language) -> None:
    """Draw the newest questions that people asked, and where they are many a box that looks for words in them."""
    wanted = RunFilter(flows=_FLOWS, asked_by_people=True)
    found = engine.find_runs(wanted, _SHOWN)
    if not found.total:
        return
    if found.total > _MANY:
        words = st.text_input(form_word("rs_find", language), key=f"research-find-{language}", max_chars=80)
        found = engine.find_runs(wanted.model_copy(update={"text": words}), _SHOWN) if words.strip() else found
    lines = [_line(engine, run) for run in found.runs]
    draw_html(dossier_list(lines, found.total, Show(language=language), st.query_params.get("run"), utc_now()))


def dossier_list(lines: Sequence[DossierLine], found: int, show: Show, now_shown: str | None, now: datetime) -> Markup:
    """Return the list. found: how many there are, of which `lines` are the newest. now_shown: the run that the page shows. now: aware,
    for what is of another day."""
    say = show.say
    rows = joined(_row(line, show, line.run.run_id == now_shown, now) for line in lines)
    nothing = markup('<p class="tb-lab">{}</p>', say("rs_none_found")) if not lines else Markup()
    older = markup('<p class="tb-lab">{}</p>', say("rs_older", n=found - len(lines))) if found > len(lines) else Markup()
    title = say("rs_dossiers")
    return markup('<nav class="tb tb-dossiers" aria-label="{}"><b class="t">{}</b>{}{}{}</nav>', title, title, rows, nothing, older)


def _row(line: DossierLine, show: Show, is_shown: bool, now: datetime) -> Markup:
    run, say = line.run, show.say
    chip = state_chip(state_of_run(run.status, None, is_valid=run.is_valid), say)
    at = run.created_at.astimezone(UTC)
    when = at.strftime("%H:%M" if at.date() == now.astimezone(UTC).date() else "%m-%d")
    about = [say("rs_statements_n", n=line.statements)] if line.statements is not None else []
    about += [f"{line.unsupported} ?"] if line.unsupported else []
    about += [numbers.share(line.confidence)] if line.confidence is not None else []
    address = run_address(run.run_id, _PATH, show.language)
    state = markup('<span class="g" aria-hidden="true">{}</span>', chip.glyph)
    question = markup('<span class="q">{}<span class="tb-sr">, {}</span></span>', run.subject, chip.words)
    stamp = markup('<time datetime="{}" title="{}">{}</time>', at.isoformat(), numbers.stamp(at), when)
    small = markup('<span class="s">{}</span>', " · ".join(about) or chip.words)
    current = Markup(' aria-current="page"') if is_shown else ""
    return markup('<a href="{}" target="_self"{}>{}{}{}{}</a>', address, current, state, question, stamp, small)


def _line(engine: Engine, run: RunSummary) -> DossierLine:
    """Return a run with what its dossier holds; one that cannot be read is a line all the same."""
    if run.status != "finished":
        return DossierLine(run)
    try:
        dossier = engine.research.dossier(run.run_id)
    except TribunalError:
        return DossierLine(run)
    unsupported = sum(each.status == "unsupported" for each in dossier.statements)
    return DossierLine(run, len(dossier.statements), unsupported, dossier.confidence)
