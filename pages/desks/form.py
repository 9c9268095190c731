"""The form of a desk in the sidebar: its fields are data, drawn here and filled here with what a run was asked for.

Fields are drawn in order, so what one starts with or offers can depend on the values before it.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from typing import Any, Final, Literal, NamedTuple

import streamlit as st

from engine.api import Engine
from engine.domain.clock import parse_instant
from engine.domain.errors import TribunalError
from engine.domain.market.instrument import FeedName
from engine.domain.text.language import Language
from pages.frame.form_words import OPENINGS, FormWords, choose_up_down, instant_text
from pages.frame.language import choose_language
from pages.frame.page_style import say_warning
from pages.frame.palette import UpDown

_OPEN: Final = "experiment-open"

Kind = Literal["choice", "segments", "pick", "text", "clock", "date", "toggle", "number", "percent", "seed"]


def _instant(text: str) -> datetime | None:
    return parse_instant(text) if text.strip() else None


class _Box(NamedTuple):
    """A widget. more: of its arguments. asked: its value as a request has it. filled: that of a request for it. empty: without it."""

    widget: Callable[..., Any]
    more: Mapping[str, Any] = {}
    asked: Callable[[Any], Any] = lambda value: value
    filled: Callable[[Any], Any] = lambda value: value
    empty: Any = None


_PERCENT: Final = {"min_value": 0.0, "max_value": 100.0, "step": 5.0, "format": "%.0f"}
_BOXES: Final[Mapping[Kind, _Box]] = {
    "choice": _Box(FormWords.choice),
    "segments": _Box(FormWords.segments, {}, lambda option: int(option) if option.isdigit() else option, str),
    "pick": _Box(st.selectbox, {"accept_new_options": True}),
    "text": _Box(st.text_input, {}, lambda text: text.strip() or None, lambda text: text or "", ""),
    "clock": _Box(st.text_input, {"placeholder": "2026-05-16T12:00Z"}, _instant, instant_text, ""),
    "date": _Box(st.date_input, {"min_value": date(1990, 1, 1)}),
    "toggle": _Box(st.toggle),
    "number": _Box(st.number_input, {"format": "%g"}),
    "percent": _Box(st.number_input, _PERCENT, lambda percent: percent / 100, lambda share: round(100 * share, 6), 0.0),
    "seed": _Box(st.number_input, {"min_value": 0, "max_value": 2**31 - 1}),
}


@st.cache_data(ttl=60, show_spinner=False)
def listed(_engine: Engine, kind: Literal["markets", "companies"], feed: FeedName, folder: str) -> dict[str, Any]:
    """Return symbol -> market or company, of a source that names those it has; nothing of a live one, and before its folder is known.
    Raises a TribunalError for one that cannot be read."""
    if feed == "live" or (feed == "recorded" and not folder.strip()):
        return {}
    found = _engine.decisions.markets(feed, folder or None) if kind == "markets" else _engine.equities.listings(feed, folder or None)
    return {each.symbol: each for each in found}


class Drawn(dict[str, Any]):
    """The values of a form by the names of its fields, of those drawn so far, and what a desk keeps beside them."""

    up_down: UpDown

    def __init__(self, engine: Engine, word: FormWords) -> None:
        super().__init__()
        self.engine, self.word, self.language = engine, word, word.language

    def listed(self, kind: Literal["markets", "companies"]) -> dict[str, Any]:
        """Return what the source names; says so where it cannot be read."""
        try:
            return listed(self.engine, kind, self["feed"], self["data_dir"])
        except TribunalError as problem:
            say_warning(problem)
            return {}

    @property
    def folder_hint(self) -> str:
        """That the folder of recordings has still to be typed; "" where it has not."""
        return self.word("folder_first") if self["feed"] == "recorded" and not self["data_dir"].strip() else ""


@dataclass(frozen=True)
class Field:
    """One field of a form.

    name: of its value, as requests call it; `chaos.role` is a field of `chaos`. kind: `choice` and `segments` have options with words in
    each language, `pick` also takes what is typed. key: of the widget, behind the form's prefix; `{feed}` in it is the value of that field.
    word: key of its label. start, options: as they are, or from the form so far, a start also from the options. shown: what an option is
    called. when: whether it is there. below: draws what is said under it. folded: it is among the experiments. column: of two. help: key of
    what is said beside it, None = that of the label, if there is one. more: of the widget.
    """

    name: str
    kind: Kind
    key: str
    word: str
    start: Any = None
    options: Sequence[Any] | Callable[[Drawn], Sequence[Any]] = ()
    shown: Callable[[Drawn, str], str] | None = None
    when: Callable[[Mapping[str, Any]], bool] = lambda _: True
    below: Callable[[Drawn], None] | None = None
    folded: bool = True
    column: int | None = None
    help: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    def draw(self, prefix: str, form: Drawn) -> Any:
        """Draw the field and return its value."""
        key, box = prefix + self.key.format_map(form), _BOXES[self.kind]
        options = self.options(form) if callable(self.options) else self.options
        start = self.start(form, options) if callable(self.start) else self.start
        shown = partial(self.shown, form) if self.shown is not None else None
        if self.kind in ("choice", "segments"):
            return box.widget(form.word, self.word, options, start, key, shown)
        said = form.word(self.help) if self.help is not None else form.word.help(self.word)
        own = {"key": key, "help": said, "persist_state": "session", **box.more, **self.more}
        if self.kind == "pick":
            return box.widget(form.word(self.word), options, options.index(start) if start in options else 0, shown or str, **own)
        return box.widget(form.word(self.word), value=start, **own)

    def put(self, prefix: str, value: Any, word: FormWords, values: Mapping[str, Any]) -> None:
        """Put a value into the widget before it is drawn. values: of the fields before it."""
        key = prefix + self.key.format_map(values)
        if self.kind in ("choice", "segments"):
            word.put(key, value)
        else:
            st.session_state[key] = value


@dataclass(frozen=True)
class DeskForm:
    """A form. prefix: of the keys of its widgets. fields: in order."""

    prefix: str
    fields: Sequence[Field]

    def draw(self, engine: Engine, given: Mapping[str, Any], *, colours_by: str = "") -> Drawn:
        """Draw the language, the fields, and folded away those of experiments and what means up.

        given: values to begin with, by the names of fields. colours_by: the field with the symbol on which colours depend.
        """
        form = Drawn(engine, FormWords(choose_language(engine)))
        self._draw(form, given, folded=False)
        with st.expander(form.word("experiment"), expanded=bool(st.session_state.get(_OPEN)), key="experiment"):
            self._draw(form, given, folded=True)
            form.up_down = choose_up_down(engine, form.language, form[colours_by] if colours_by else "")
        return form

    def _draw(self, form: Drawn, given: Mapping[str, Any], *, folded: bool) -> None:
        columns: Sequence[Any] = ()
        for each in (one for one in self.fields if one.folded is folded):
            if not each.when(form):
                form[each.name] = _BOXES[each.kind].empty
                continue
            if each.name in given:
                each.put(self.prefix, given[each.name], form.word, form)
            columns = st.columns(2) if each.column == 0 else columns
            with columns[each.column] if each.column is not None else nullcontext():
                form[each.name] = each.draw(self.prefix, form)
                if each.below is not None:
                    each.below(form)

    def asked(self, form: Drawn) -> dict[str, Any]:
        """Return the values as a request takes them, of the fields that are there. Raises BadInput for one that cannot be read."""
        found: dict[str, Any] = {"language": form.language}
        for each in (one for one in self.fields if one.when(form)):
            outer, _, name = each.name.rpartition(".")
            (found.setdefault(outer, {}) if outer else found)[name] = _BOXES[each.kind].asked(form[each.name])
        return found

    def fill(self, asked: Mapping[str, Any], language: Language, *, opened: bool) -> None:
        """Put what a run was asked for into the form, before it is drawn. opened: whether its experiments are shown."""
        st.session_state[_OPEN] = opened
        values, word = dict(asked), FormWords(language)
        for each in self.fields:
            outer, _, name = each.name.rpartition(".")
            inside = (asked[outer] if outer else asked) or {}
            values[each.name] = _BOXES[each.kind].filled(inside[name]) if name in inside else each.start
            if each.when(values):
                each.put(self.prefix, values[each.name], word, values)


def _usual_feed(form: Drawn, _: object) -> str:
    return form.engine.settings.default_feed


def _usual_folder(form: Drawn, _: object) -> str:
    return str(form.engine.settings.data_dir or "")


def _models(form: Drawn) -> list[str]:
    return list(dict.fromkeys([form.engine.settings.default_model, "scripted"]))


FEED: Final = Field("feed", "choice", "feed", "feed", _usual_feed, ("simulated", "recorded", "live"), folded=False)
FOLDER: Final = Field("data_dir", "text", "folder", "folder", _usual_folder, when=lambda form: form["feed"] == "recorded", folded=False)
MODEL: Final = Field("model", "pick", "model", "model", options=_models, folded=False)
AT: Final = Field("at", "clock", "at", "at", "")
OPENING: Final = Field("openings", "segments", "openings", "openings", OPENINGS[0], OPENINGS)
LIES: Final = Field("lies", "percent", "lies", "lies", 20.0, when=lambda form: form["model"] == "scripted")
SEED: Final = Field("seed", "seed", "seed", "seed", 0)
