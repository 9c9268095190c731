"""The sidebar: which market, which model, which position. Gives what the user asked for; never starts anything itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine.api import Engine, parse_instant, usual_higher
from engine.domain.errors import TribunalError
from engine.domain.language import LANGUAGES, Language
from engine.domain.market import FeedName
from engine.domain.run import DecideRequest
from pages.parts.form_words import form_word
from pages.parts.palette import UpDown

TIMEFRAMES = ("1m", "5m", "15m", "1h", "4h", "1d")
FEEDS: tuple[FeedName, ...] = ("simulated", "recorded", "live")
UP_DOWN = ("auto", "green-up", "red-up", "blue-up")

Word = Callable[[str], str]


@dataclass(frozen=True)
class Asked:
    """What stands in the form. request: raises a TribunalError with one line when it cannot be used. up_down: the resolved setting."""

    language: Language
    up_down: UpDown
    request: Callable[[], DecideRequest]


def ask_form(engine: Engine) -> Asked:
    """Draw the form and give what stands in it."""
    with st.sidebar:
        language = _language(engine)
        word: Word = lambda key: form_word(key, language)  # noqa: E731 - one short name for one table
        feed, data_dir, exchange = _feed(engine, word)
        symbol = _market(engine, feed, data_dir, exchange, word)
        timeframe, higher = _timeframes(word)
        at = st.text_input(word("at"), help=word("at_help"), placeholder="2026-05-16T12:00Z", key="at")
        model, lies, seed = _model(engine, word)
        holding = _holding(word)
        up_down = _display(engine, language, word)

    def request() -> DecideRequest:
        return engine.request(
            symbol,
            feed=feed,
            data_dir=data_dir or None,
            exchange=exchange or None,
            at=parse_instant(at) if at.strip() else None,
            timeframe=timeframe,
            timeframe_htf=usual_higher(timeframe) if higher == "auto" else higher,
            model=model,
            lies=lies / 100,
            seed=seed,
            language=language,
            holding=holding,
        )

    return Asked(language, up_down, request)


def _language(engine: Engine) -> Language:
    """From the address (so that a link keeps it), else the settings."""
    wanted = st.query_params.get("lang", engine.settings.language)
    start = LANGUAGES.index(wanted) if wanted in LANGUAGES else 0
    names = {"en": "English", "zh": "中文"}
    chosen = st.segmented_control(
        "Language", LANGUAGES, default=LANGUAGES[start], format_func=names.__getitem__, key="language", label_visibility="collapsed"
    )
    language: Language = chosen or LANGUAGES[start]
    if st.query_params.get("lang", engine.settings.language) != language:
        st.query_params["lang"] = language
    return language


def _feed(engine: Engine, word: Word) -> tuple[FeedName, str, str]:
    settings = engine.settings
    feed: FeedName = st.selectbox(word("feed"), FEEDS, index=FEEDS.index(settings.default_feed), format_func=word, key="feed")
    data_dir, exchange = "", ""
    if feed == "recorded":
        data_dir = st.text_input(word("folder"), str(settings.data_dir or ""), key="folder")
    if feed == "live":
        exchange = st.text_input(word("exchange"), settings.exchange, help=word("exchange_help"), key="exchange")
    return feed, data_dir, exchange


@st.cache_data(ttl=60, show_spinner=False)
def _symbols(_engine: Engine, feed: FeedName, data_dir: str, exchange: str) -> list[str]:
    return [market.symbol for market in _engine.markets(feed, data_dir or None, exchange or None)]


def _market(engine: Engine, feed: FeedName, data_dir: str, exchange: str, word: Word) -> str:
    usual = "BTC/USDT:USDT"
    try:
        symbols = _symbols(engine, feed, data_dir, exchange) if feed != "live" else []
    except TribunalError as problem:
        st.warning(str(problem))
        symbols = []
    symbols = symbols or [usual]
    start = symbols.index(usual) if usual in symbols else 0
    return str(
        st.selectbox(
            word("market"), symbols, index=start, help=word("market_help"), accept_new_options=True, key=f"market-{feed}-{data_dir}"
        )
    )


def _timeframes(word: Word) -> tuple[str, str | None]:
    left, right = st.columns(2)
    timeframe = left.selectbox(word("timeframe"), TIMEFRAMES, index=TIMEFRAMES.index("15m"), key="timeframe")
    longer = [name for name in (*TIMEFRAMES, "1w") if TIMEFRAMES.index(timeframe) < (*TIMEFRAMES, "1w").index(name)]
    options = [*longer, None]
    start = options.index(usual_higher(timeframe)) if usual_higher(timeframe) in options else 0
    higher = right.selectbox(word("higher"), options, index=start, format_func=lambda name: name or word("none"), key=f"higher-{timeframe}")
    return timeframe, higher


def _model(engine: Engine, word: Word) -> tuple[str, float, int]:
    usual = engine.settings.default_model
    options = list(dict.fromkeys([usual, "scripted"]))
    model = str(st.selectbox(word("model"), options, help=word("model_help"), accept_new_options=True, key="model"))
    lies = 0.0
    if model == "scripted":
        lies = st.number_input(word("lies"), 0.0, 100.0, 20.0, step=5.0, help=word("lies_help"), key="lies", format="%.0f")
    seed = st.number_input(word("seed"), 0, 2**31 - 1, 0, help=word("seed_help"), key="seed")
    return model, lies, int(seed)


def _holding(word: Word) -> dict[str, Any] | None:
    with st.expander(word("holding")):
        side = st.selectbox(word("side"), ("flat", "long", "short"), format_func=word, key="side")
        if side == "flat":
            return None
        return {
            "side": side,
            "entry_price": st.number_input(word("entry_price"), min_value=0.0, key="entry_price", format="%g"),
            "size": st.number_input(word("size"), min_value=0.0, key="size", format="%g"),
            "leverage": st.number_input(word("leverage"), 1.0, 125.0, 1.0, key="leverage", format="%g"),
            "opened_at": st.text_input(word("opened_at"), placeholder="2026-05-16T08:00Z", key="opened_at"),
        }


def _display(engine: Engine, language: Language, word: Word) -> UpDown:
    chosen = st.selectbox(word("up_down"), UP_DOWN, index=UP_DOWN.index(engine.settings.up_down), format_func=word, key="up_down")
    by_language: UpDown = "red-up" if language == "zh" else "green-up"
    return by_language if chosen == "auto" else chosen
