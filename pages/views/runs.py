"""The runs: what goes on, what has been decided, how it was signed and what came of it; filters; and two runs side by side."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final
from urllib.parse import urlencode

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.domain.errors import TribunalError
from engine.domain.run import RunRecord, RunSummary
from pages.desks import flow_pages, page_of_flow
from pages.frame import numbers
from pages.frame.html import draw_html
from pages.frame.isolation import isolated, isolated_page
from pages.frame.language import choose_language
from pages.frame.page_style import say_error, say_warning
from pages.frame.shared_engine import get_engine
from pages.frame.show import Show
from pages.frame.tab_title import say_tab_title
from pages.run.compared import compared_head, compared_words
from pages.run.draw import slots
from pages.run.kept_runs import run_behind
from pages.run.run_filters import RunQuery, draw_filters, go_to, query_of_page
from pages.run.run_list import RunListing, runs_panel
from pages.run_lists.at_hand import headline_of, path_of
from pages.run_lists.follow_ups import follow_ups_of, proposals_of, results_of
from pages.words.texts import form_word

POLL_S = 2.0
AT_ONCE: Final = 50
MOST_OPEN: Final = 100
MOST_COMPARED: Final = 100  # in a box to choose from
_FIRST, _SECOND = "a", "b"


def runs() -> None:
    """Draw the page."""
    engine = get_engine()
    with st.sidebar:
        language = choose_language(engine)
    show = Show(language=language)
    query = query_of_page(show)
    with isolated(show.say("find_text"), show.say):
        markets, flows = engine.run_subjects()
        draw_filters(query, markets, flows, show)
    with isolated(show.say("compare"), show.say):
        _compare(engine, query, show)
    going = engine.find_runs(query.wanted("open", _headlines(show)), MOST_OPEN).runs if query.state in (None, "open") else ()
    if going:  # only these change: the long list is not sent again and again
        ids = [run.run_id for run in going]
        with slots(1)[0]:
            st.fragment(isolated_page(_open_runs, show.say), run_every=POLL_S)(engine, show, ids, query)
    if query.state != "open" or not going:
        with isolated(show.say("runs"), show.say):
            _ended_runs(engine, query, show, is_all=not going)
    engine.watch_over()


def _headlines(show: Show) -> dict[str, str]:
    """Return word -> the outcome it is a word for, where the journal has another one: `开空仓` -> `signal_entry_short`."""
    named = {words.split()[-1]: headline for page in flow_pages().values() for headline, words in page.choices(show).items()}
    return {word.casefold(): headline for word, headline in named.items() if word.casefold() not in headline}


def _open_runs(engine: Engine, show: Show, going: list[str], query: RunQuery) -> None:
    try:
        now = engine.find_runs(query.wanted("open", _headlines(show)), MOST_OPEN).runs
    except TribunalError as problem:
        say_error(problem)
        return
    if [run.run_id for run in now] != going:
        st.rerun()  # one has ended, or begun: the whole page once more
    say_tab_title(show.say("title_running", n=len(now)), show.say("nav_runs"))
    draw_html(runs_panel(now, show, show.say("runs_open"), RunListing(headline_of, path_of)))


def _ended_runs(engine: Engine, query: RunQuery, show: Show, *, is_all: bool) -> None:
    """Draw one page of the list, at once without what came of its orders, which brokers are asked for."""
    state = query.state if query.state in ("open", "waits", "done", "stopped", "failed") else "ended"
    found = engine.find_runs(query.wanted(state, _headlines(show)), AT_ONCE, AT_ONCE * (query.page - 1))
    if not found.runs and not is_all and not query.params():
        return
    first, last = AT_ONCE * (query.page - 1) + 1, AT_ONCE * (query.page - 1) + len(found.runs)
    counted = show.say("runs_found", first=numbers.number(first), last=numbers.number(last), total=numbers.number(found.total))
    if not found.runs:
        counted = show.say("runs_not_found") if query.params() else ""
    proposals, place, disputed = proposals_of(engine, found.runs), st.empty(), engine.disputes.counts()
    seeds = engine.seeds_of([run.run_id for run in found.runs])

    def panel(results: dict[str, str]) -> Markup:
        came = follow_ups_of(found.runs, proposals, results)
        listing = RunListing(headline_of, path_of, came, _compare_address(query, show), counted, disputed, seeds)
        return runs_panel(found.runs, show, "", listing)

    draw_html(panel({}), place)
    if found.total > AT_ONCE:
        with st.container(key="run-pages", horizontal=True):
            _step(query, -1, show.say("runs_newer"), has_more=query.page > 1)
            _step(query, 1, show.say("runs_older"), has_more=last < found.total)
    if results := results_of(engine, proposals, show):
        draw_html(panel(results), place)


def _step(query: RunQuery, by: int, word: str, *, has_more: bool) -> None:
    shown = f"← {word}" if by < 0 else f"{word} →"
    there = query.model_copy(update={"page": query.page + by})
    st.button(shown, key=f"runs-step-{by}", on_click=go_to, args=(there,), disabled=not has_more)


def _compare_address(query: RunQuery, show: Show) -> Callable[[str], str]:
    """Return what gives the address for a row: the first run is chosen, then the next is set beside it."""
    kept = {**query.params(), "lang": show.language}
    first = st.query_params.get(_FIRST) if _SECOND not in st.query_params else None

    def address(run_id: str) -> str:
        chosen = {_FIRST: run_id} if first in (None, run_id) else {_FIRST: first, _SECOND: run_id}
        return f"./runs?{urlencode({**kept, **chosen})}"

    return address


def _compare(engine: Engine, query: RunQuery, show: Show) -> None:
    """Draw two finished runs, of the reader's choice or the address's, side by side."""
    asked = {name: st.query_params.get(name) for name in (_FIRST, _SECOND)}
    found = engine.find_runs(query.wanted("done", _headlines(show)), MOST_COMPARED).runs
    named = {run.run_id: _named(run, show) for run in found}
    for run_id in asked.values():
        if run_id is not None and run_id not in named and (record := _finished(engine, run_id, show)) is not None:
            named[record.run_id] = f"{record.created_at:%m-%d %H:%M} · {record.request.subject[:60]}"
    if len(named) < 2:
        return
    named = _distinct(named)
    chosen = []
    with st.expander(show.say("compare"), expanded=any(run_id in named for run_id in asked.values())):
        columns = st.columns(2)
    for column, name, key, word in zip(columns, asked, ("first-run", "second-run"), ("compare_this", "compare_that"), strict=True):
        if key not in st.session_state and asked[name] in named:
            st.session_state[key] = asked[name]
        chosen.append(
            column.selectbox(
                form_word(word, show.language),
                list(named),
                index=None,
                format_func=lambda run_id: named.get(run_id, "—"),
                key=key,
                on_change=_chose,
            )
        )
    first, second = chosen
    if first is not None and second is not None:
        _side_by_side(engine, engine.record(first), engine.record(second), show)


def _chose() -> None:
    for name, key in ((_FIRST, "first-run"), (_SECOND, "second-run")):
        if chosen := st.session_state.get(key):
            st.query_params[name] = chosen
        else:
            st.query_params.pop(name, None)


def _finished(engine: Engine, run_id: str, show: Show) -> RunRecord | None:
    """Return a run that an address names; says so if it is unknown or has not finished."""
    record = engine.run(run_id[:40])
    if record is None:
        say_warning(form_word("unknown_run", show.language).format(run=run_id[:40]))
    elif record.status != "finished":
        say_warning(show.say("compare_unended", run=record.run_id))
        return None
    return record


def _side_by_side(engine: Engine, first: RunRecord, second: RunRecord, show: Show) -> None:
    page = page_of_flow(first.request.flow)
    own = replace(show, titles=page.titles(engine, show.language))
    disputed, versions = engine.disputes.counts(), [engine.prompts.versions(record.run_id) for record in (first, second)]
    others = [node for node in versions[0] if node in versions[1] and versions[0][node] != versions[1][node]]
    draw_html(compared_head(first, second, own, (disputed.get(first.run_id, 0), disputed.get(second.run_id, 0)), others))
    if first.request.flow != second.request.flow:
        return
    draw_html(page.compare(first, second, own))
    said = [run_behind(engine, record.run_id, page.reducer) for record in (first, second)]
    draw_html(compared_words(said[0], said[1], own))


def _distinct(named: Mapping[str, str]) -> dict[str, str]:
    """Return the names of runs, with the end of their ids where two have the same: one that is chosen is found again by its name."""
    times = Counter(named.values())
    return {run_id: f"{name} · {run_id.rpartition('-')[2]}" if times[name] > 1 else name for run_id, name in named.items()}


def _named(run: RunSummary, show: Show) -> str:
    parts = (f"{run.created_at:%m-%d %H:%M}", run.subject[:60], run.timeframe or "", headline_of(run, show) if run.headline else "")
    return " · ".join(part for part in parts if part)


runs()
