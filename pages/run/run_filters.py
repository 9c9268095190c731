"""The fields in which a reader says which runs to look for. What is in them is in the address: a link shows the same."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from pages.frame.page_style import say_warning
from pages.frame.show import Show
from pages.run.run_list import flow_word
from pages.run.run_query import NAMES, STATES, ChosenState, RunQuery, read_query
from pages.words.form_texts import form_word

_WORDS: Final[Mapping[ChosenState, str]] = {
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


def draw_filters(query: RunQuery, markets: Sequence[str], flows: Sequence[str], show: Show) -> None:
    """Draw the fields as `query` has them; what a reader changes goes into the address before the page is drawn again."""
    say, language = show.say, show.language
    keys = {name: f"{name}-{language}" for name in ("text", "market", "flow", "state")}
    for name, key in keys.items():  # where the address says something else than the fields, they follow it
        if st.session_state.get(key) != (value := getattr(query, name)):
            st.session_state[key] = value
    change: dict[str, Any] = {"on_change": _changed, "args": (query, keys)}
    with st.container(key="run-filters", horizontal=True, vertical_alignment="bottom"):
        hint, help_ = say("find_runs_hint"), say("find_runs_help")
        st.text_input(say("find_text"), key=keys["text"], placeholder=hint, help=help_, max_chars=200, width=190, **change)
        any_of = {"": say("find_any")} | {each: each for each in (*markets, query.market) if each}
        st.selectbox(say("col_subject"), any_of, format_func=any_of.__getitem__, key=keys["market"], width=170, **change)
        if len(flows) > 1 or query.flow:
            kinds = {"": form_word("all_flows", language)} | {each: flow_word(each, say) for each in (*flows, query.flow) if each}
            st.selectbox(say("col_flow"), kinds, format_func=kinds.__getitem__, key=keys["flow"], width=130, **change)
        st.pills(say("col_state"), STATES, format_func=lambda state: say(_WORDS[state]), key=keys["state"], **change)
        if query.params():
            days = " – ".join(str(day or "…") for day in (query.first_day, query.last_day)) if query.first_day or query.last_day else ""
            st.button(f"{say('runs_clear')} {days}".rstrip(), key="runs-clear", on_click=go_to, args=(RunQuery(),), type="tertiary")


def go_to(query: RunQuery) -> None:
    """Let the address ask for something else; what else it carries stays."""
    others = {name: value for name, value in st.query_params.to_dict().items() if name not in NAMES}
    st.query_params.from_dict(others | query.params())


def _changed(query: RunQuery, keys: Mapping[str, str]) -> None:
    chosen = {name: st.session_state[key] for name, key in keys.items() if key in st.session_state}
    go_to(query.model_copy(update={**chosen, "text": " ".join(chosen["text"].split()), "page": 1}))
