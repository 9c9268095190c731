"""The words of a form in one language, boxes of options that have names in each, and which colour means up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

import streamlit as st

from engine.api import Engine
from engine.domain.text.language import Language
from pages.frame.palette import UP_DOWNS, UpDown
from pages.frame.preferences import kept_choice
from pages.words.texts import FORM_WORDS, form_word

TIMEFRAMES = ("1m", "5m", "15m", "1h", "4h", "1d", "1w")
OPENINGS = ("alternate", "together")
LOOKUPS = ("asked", "planned")
_MAINLAND = (".SH", ".SS", ".SZ", ".BJ")
UP_DOWN = ("auto", *UP_DOWNS)

Choice = TypeVar("Choice", bound=str | None)


@dataclass(frozen=True)
class FormWords:
    """The words of the form in one language."""

    language: Language

    def __call__(self, key: str) -> str:
        return form_word(key, self.language)

    def help(self, label: str) -> str | None:
        """Return what is said beside a label, None where nothing is."""
        return self(f"{label}_help") if f"{label}_help" in FORM_WORDS else None

    def name(self, option: str | None) -> str:
        """Return what an option is called: timeframes and numbers are the same in every language."""
        if option is not None and (option in TIMEFRAMES or option.isdigit()):
            return option
        return self(option or "none")

    def choice(
        self, label: str, options: Sequence[Choice], start: Choice, key: str, named: Callable[[Choice], str] | None = None
    ) -> Choice:
        """Return a box of options that have names in each language. The browser knows an option by its name alone, and would lose the
        choice when the names change: so every language has a box of its own, and the choice is carried over. named: gives the name of an
        option, None = its word."""
        at = options.index(_kept(options, start, key))
        chosen = st.selectbox(self(label), options, at, named or self.name, f"{key}-{self.language}", self.help(label))
        st.session_state[f"chosen-{key}"] = chosen
        return chosen

    def put(self, key: str, option: str | None) -> None:
        """Choose an option of a box or of segments that is drawn after this, as its reader would."""
        st.session_state[f"chosen-{key}"] = st.session_state[f"{key}-{self.language}"] = option

    def segments(
        self, label: str, options: Sequence[Choice], start: Choice, key: str, named: Callable[[Choice], str] | None = None
    ) -> Choice:
        """Return the chosen one of a few options that are side by side, one of which is always chosen. named: as of `choice`."""
        chosen = st.segmented_control(
            self(label),
            options,
            default=_kept(options, start, key),
            required=True,
            format_func=named or self.name,
            help=self.help(label),
            key=f"{key}-{self.language}",
            width="stretch",
        )
        found = chosen if chosen in options else start
        st.session_state[f"chosen-{key}"] = found
        return found


def _kept(options: Sequence[Choice], start: Choice, key: str) -> Choice:
    """Return what was chosen in whichever language, `start` before that."""
    kept: Choice = st.session_state.get(f"chosen-{key}", start)
    return kept if kept in options else start


def instant_text(instant: datetime | None) -> str:
    """Return an instant as the fields of forms take it, in UTC: `2026-05-16T12:00Z`; "" for none."""
    if instant is None:
        return ""
    at = instant.astimezone(UTC)
    return at.strftime("%Y-%m-%dT%H:%MZ" if not at.second and not at.microsecond else "%Y-%m-%dT%H:%M:%SZ")


def choose_up_down(engine: Engine, language: Language, symbol: str = "") -> UpDown:
    """Return which colour means up: what the reader chose, else what is usual. symbol: see `usual_up_down`."""
    start = kept_choice("up_down", UP_DOWN) or engine.settings.up_down
    chosen = FormWords(language).choice("up_down", UP_DOWN, start, "up_down")
    return next((known for known in UP_DOWNS if known == chosen), usual_up_down(language, symbol))


def usual_up_down(language: Language, symbol: str) -> UpDown:
    """Return which colour usually means up: red for shares of mainland China and on Chinese pages, green elsewhere.

    symbol: what the page is about, "" for several markets.
    """
    return "red-up" if language == "zh" or symbol.strip().upper().endswith(_MAINLAND) else "green-up"
