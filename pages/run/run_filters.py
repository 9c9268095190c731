"""The fields in which a reader says which runs to look for. What is in them is in the address: a link shows the same."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from engine.domain.run_filter import ListedState
from pages.frame.page_style import say_warning
from pages.frame.show import Show
from pages.run.run_list import flow_word
from pages.run.run_query import NAMES, STATES, RunQuery, read_query
from pages.words.form_texts import form_word

_QUERY: Final = "runs-query"
_WORDS: Final[Mapping[ListedState, str]] = {
    "open": "state_open",
    "waits": "state_waits",
    "done": "state_finished",
    "stopped": "state_stopped",
    "failed": "state_failed",
}


def query_of_page(show: Show) -> RunQuery:
    """Return what the address asks for, and say what of it cannot be used."""
    query, unusable = read_query(st.query_params.to_dict())
    if unusable:
        say_warning(show.say("runs_unusable", what=show.say("list_comma").join(unusable)))
    return query


def draw_filters(query: RunQuery, markets: Sequence[str], flows: Sequence[str], decisions: Mapping[str, str], show: Show) -> None:
    """Draw the fields as `query` has them; what a reader changes goes into the address before the page is drawn again. decisions: what runs
    can come to, with words for each."""
    say, language = show.say, show.language
    if st.session_state.get(_QUERY) != query:  # the address says something else than the fields, which follow it
        for key, value in _values(query, language).items():
            st.session_state[key] = value
        st.session_state[_QUERY] = query
    change: dict[str, Any] = {"on_change": _changed, "args": (language,)}

    def box(name: str, word: str, options: Sequence[str], names: Mapping[str, str], empty: str, width: int) -> None:
        chosen = st.session_state.get(f"{name}-{language}") or ""
        every = list(dict.fromkeys(["", *options, chosen]))
        st.selectbox(
            word, every, format_func=lambda each: names.get(each, each) if each else empty, key=f"{name}-{language}", width=width, **change
        )

    with st.container(key="run-filters", horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            say("find_text"),
            key=f"find-{language}",
            placeholder=say("find_text_hint"),
            help=say("find_text_help"),
            max_chars=200,
            width=140,
            **change,
        )
        box("market", say("col_subject"), markets, {}, say("find_any"), 155)
        if len(flows) > 1 or query.flow:
            box("flow", say("col_flow"), flows, {flow: flow_word(flow, say) for flow in flows}, form_word("all_flows", language), 115)
        box("state", say("col_state"), STATES, {state: say(word) for state, word in _WORDS.items()}, say("find_any"), 132)
        box("decision", say("col_decision"), list(decisions), decisions, say("find_any"), 132)
        st.date_input(say("find_from"), value=None, key=f"from-{language}", width=118, **change)
        st.date_input(say("find_to"), value=None, key=f"to-{language}", width=118, **change)
        if query.params():
            st.button(say("runs_clear"), key="runs-clear", on_click=go_to, args=(RunQuery(),), type="tertiary")


def go_to(query: RunQuery) -> None:
    """Let the address ask for something else; what else it carries stays."""
    wanted = query.params()
    for name in NAMES:
        if name in wanted:
            st.query_params[name] = wanted[name]
        else:
            st.query_params.pop(name, None)


def _values(query: RunQuery, language: str) -> dict[str, object]:
    return {
        f"find-{language}": query.text,
        f"market-{language}": query.market,
        f"flow-{language}": query.flow,
        f"state-{language}": query.state or "",
        f"decision-{language}": query.decision,
        f"from-{language}": query.first_day,
        f"to-{language}": query.last_day,
    }


def _changed(language: str) -> None:
    found = {name: st.session_state.get(f"{name}-{language}") for name in ("find", "market", "flow", "state", "decision", "from", "to")}
    query = RunQuery(
        text=" ".join(str(found["find"] or "").split()),
        market=found["market"] or "",
        flow=found["flow"] or "",
        state=found["state"] or None,
        decision=found["decision"] or "",
        first_day=found["from"],
        last_day=found["to"],
    )
    st.session_state[_QUERY] = query
    go_to(query)
