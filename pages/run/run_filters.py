"""What a reader looks for among the runs: the fields in which that is said, and the address that keeps it: `?q=btc&state=waits&page=2`.
A link shows the same."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any, Final, Literal, get_args

import streamlit as st
from pydantic import ConfigDict, Field, ValidationError

from engine.domain.frozen_model import FrozenModel
from engine.domain.run_filter import ListedState, RunFilter
from pages.frame.page_style import say_warning
from pages.frame.show import Show
from pages.run.run_list import flow_word
from pages.words.texts import form_word

_MOST_TEXT: Final = 200
ChosenState = Literal["open", "waits", "done", "stopped", "failed"]
STATES: Final[tuple[ChosenState, ...]] = get_args(ChosenState)
"""Those that a reader can choose."""
_WORDS: Final[Mapping[ChosenState, str]] = {
    "open": "state_open",
    "waits": "state_waits",
    "done": "state_finished",
    "stopped": "state_stopped",
    "failed": "state_failed",
}
_Day = Annotated[date, Field(ge=date(2000, 1, 1), le=date(2200, 1, 1))]


class RunQuery(FrozenModel):
    """What is looked for; "" and None = of any kind. first_day, last_day: UTC, both included; no field of the page has them, but an address
    may. page: from 1. The aliases are the parts of the address."""

    model_config = ConfigDict(validate_by_name=True)

    text: str = Field(default="", alias="q")
    market: str = ""
    flow: str = ""
    state: ChosenState | None = None
    first_day: _Day | None = Field(default=None, alias="from")
    last_day: _Day | None = Field(default=None, alias="to")
    page: int = Field(default=1, ge=1, le=1_000_000)

    def wanted(self, state: ListedState | None, headlines: Mapping[str, str]) -> RunFilter:
        """Return what the journal is asked for. state: in place of the reader's. headlines: word -> the outcome that it is a word for."""
        return RunFilter(
            text=" ".join(headlines.get(word.casefold(), word) for word in self.text.split())[:_MOST_TEXT],
            market=self.market or None,
            flows=(self.flow,) if self.flow else (),
            state=state,
            since=_midnight(self.first_day) if self.first_day is not None else None,
            until=_midnight(self.last_day + timedelta(days=1)) if self.last_day is not None else None,
        )

    def params(self) -> dict[str, str]:
        """Return the parts of the address that say it; what is of any kind is left out."""
        return {name: str(value) for name, value in self.model_dump(mode="json", by_alias=True, exclude_defaults=True).items()}


NAMES: Final = (*(field.alias or name for name, field in RunQuery.model_fields.items()), "decision")
"""The parts of the address."""


def read_query(params: Mapping[str, str]) -> tuple[RunQuery, list[str]]:
    """Return what an address asks for, and its parts that cannot be used, as `state=moon`; those are left out. `decision`, of older
    addresses, is a word of the text."""
    asked = {name: params[name][:_MOST_TEXT] for name in NAMES if params.get(name)}
    if decision := asked.pop("decision", ""):
        asked["q"] = f"{asked.get('q', '')} {decision}".strip()[:_MOST_TEXT]
    unusable: list[str] = []
    try:
        return RunQuery.model_validate(asked), unusable
    except ValidationError as problem:
        unusable = list(dict.fromkeys(str(error["loc"][0]) for error in problem.errors()))
    query = RunQuery.model_validate({name: value for name, value in asked.items() if name not in unusable})
    return query, [f"{name}={asked[name][:40]}" for name in unusable]


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


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
