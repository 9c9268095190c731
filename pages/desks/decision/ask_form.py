"""The sidebar: which market, which model, and folded away what experiments need. Gives what the user asked for; starts nothing itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine.api import Engine
from engine.domain.chaos import CHAOS_KINDS, Chaos
from engine.domain.clock import parse_instant
from engine.domain.decision import DEBATE_SIDES
from engine.domain.errors import BadInput, TribunalError
from engine.domain.market.instrument import USUAL_MARKETS, FeedName, usual_of
from engine.domain.market.timeframe import usual_higher
from engine.domain.run import DecideRequest
from engine.domain.text.language import Language
from pages.desks.decision.guided_demo import GUIDE
from pages.frame.escape import markup
from pages.frame.form_words import OPENINGS, TIMEFRAMES, FormWords, choose_up_down, instant_text
from pages.frame.html import draw_html
from pages.frame.language import choose_language
from pages.frame.page_style import say_warning
from pages.run.attached import draw_attached, target_of_address
from pages.run.flow_page import RunForm
from pages.words.texts import role_name, words_in

_OPEN = "experiment-open"
FEEDS: tuple[FeedName, ...] = ("simulated", "recorded", "live")


@dataclass(frozen=True)
class Asked(RunForm):
    """The values in the form of a decision. symbol, feed: as chosen, whether they can be used or not. market: the same request without a
    position, for its chart."""

    symbol: str
    feed: FeedName
    market: Callable[[], DecideRequest]


def ask_form(engine: Engine) -> Asked:
    """Draw the form and give what is in it."""
    with st.sidebar:
        language = choose_language(engine)
        word = FormWords(language)
        feed, data_dir, exchange = _feed(engine, word)
        _begin_with(target_of_address(), feed, data_dir)
        symbol = _market(engine, feed, data_dir, exchange, word)
        timeframe, higher = _timeframes(word)
        model = _model(engine, word)
        with st.expander(word("experiment"), expanded=bool(st.session_state.get(_OPEN)), key="experiment"):
            at = st.text_input(word("at"), help=word("at_help"), placeholder="2026-05-16T12:00Z", key="at")
            openings = word.segments("openings", OPENINGS, "alternate", "openings", "openings_help")
            lies, seed = _script(model, word)
            chaos = _chaos(engine, word)
            holding, is_whole = _holding(word)
            up_down = choose_up_down(engine, language)
        evidence = draw_attached(engine, language)

    hint = word("folder_first") if feed == "recorded" and not data_dir.strip() else "" if is_whole else word("holding_first")

    def asked_for(holding: dict[str, Any] | None) -> DecideRequest:
        return engine.decisions.request(
            symbol,
            feed=feed,
            data_dir=data_dir or None,
            exchange=exchange or None,
            at=parse_instant(at) if at.strip() else None,
            timeframe=timeframe,
            openings=openings,
            timeframe_htf=usual_higher(timeframe) if higher == "auto" else higher,
            model=model,
            lies=lies / 100,
            seed=seed,
            chaos=chaos,
            language=language,
            holding=holding,
            evidence=evidence or None,
            propose=holding is None,  # what is decided for a position that only the form states is nobody's to order
        )

    def request() -> DecideRequest:
        if hint:
            raise BadInput(hint)
        return asked_for(holding)

    return Asked(language, up_down, model, request, symbol, feed, lambda: asked_for(None), hint=hint)


def fill_ask_form(request: DecideRequest, language: Language) -> None:
    """Put what a decision was asked for into the form, before it is drawn."""
    word, state = FormWords(language), st.session_state
    state[_OPEN] = GUIDE.is_own(request)
    word.put("feed", request.feed)
    word.put("openings", request.openings)
    folder = (request.data_dir or "") if request.feed == "recorded" else ""
    state["folder"], state["exchange"] = folder, request.exchange or ""
    state[f"market-{request.feed}-{folder}"] = request.symbol
    if request.timeframe in TIMEFRAMES[:-1]:
        state["timeframe"] = request.timeframe
        if request.timeframe_htf in (*TIMEFRAMES[TIMEFRAMES.index(request.timeframe) + 1 :], None):
            word.put(f"higher-{request.timeframe}", request.timeframe_htf)
    state["at"] = instant_text(request.at)
    state["model"], state["lies"], state["seed"] = request.model, round(100 * request.lies, 6), request.seed
    state[f"liar-{language}"] = request.chaos.role if request.chaos is not None else "nobody"
    if request.chaos is not None:
        state[f"lie-{language}"] = request.chaos.kind
    word.put("side", request.holding.side if request.holding is not None else "flat")
    if request.holding is not None:
        held = request.holding
        state["entry_price"], state["size"], state["leverage"] = held.entry_price, held.size, held.leverage
        state["opened_at"] = instant_text(held.opened_at)


def _begin_with(target: Mapping[str, str], feed: str, data_dir: str) -> None:
    """Put the market and the instant that evidence was handed to into the form, before they are drawn."""
    if "symbol" in target:
        st.session_state[f"market-{feed}-{data_dir}"] = target["symbol"]
    if "at" in target:
        st.session_state["at"] = target["at"]


def _feed(engine: Engine, word: FormWords) -> tuple[FeedName, str, str]:
    settings = engine.settings
    feed = word.choice("feed", FEEDS, settings.default_feed, "feed")
    data_dir, exchange = "", ""
    if feed == "recorded":
        data_dir = st.text_input(word("folder"), str(settings.data_dir or ""), key="folder")
    if feed == "live":
        exchange = st.text_input(word("exchange"), settings.exchange, help=word("exchange_help"), key="exchange")
    return feed, data_dir, exchange


@st.cache_data(ttl=60, show_spinner=False)
def _symbols(_engine: Engine, feed: FeedName, data_dir: str, exchange: str) -> list[str]:
    return [market.symbol for market in _engine.decisions.markets(feed, data_dir or None, exchange or None)]


def _market(engine: Engine, feed: FeedName, data_dir: str, exchange: str, word: FormWords) -> str:
    try:
        is_known = feed == "simulated" or (feed == "recorded" and bool(data_dir.strip()))
        symbols = _symbols(engine, feed, data_dir, exchange) if is_known else []
    except TribunalError as problem:
        say_warning(problem)
        symbols = []
    symbols = symbols or [USUAL_MARKETS[0]]
    start = symbols.index(usual_of(symbols))
    return str(
        st.selectbox(
            word("market"), symbols, index=start, help=word("market_help"), accept_new_options=True, key=f"market-{feed}-{data_dir}"
        )
    )


def _timeframes(word: FormWords) -> tuple[str, str | None]:
    left, right = st.columns(2)
    timeframe = left.selectbox(word("timeframe"), TIMEFRAMES[:-1], index=TIMEFRAMES.index("15m"), key="timeframe")
    options = [*TIMEFRAMES[TIMEFRAMES.index(timeframe) + 1 :], None]
    usual = usual_higher(timeframe)
    with right:
        higher = word.choice("higher", options, usual if usual in options else options[0], f"higher-{timeframe}")
    return timeframe, higher


def _model(engine: Engine, word: FormWords) -> str:
    usual = engine.settings.default_model
    options = list(dict.fromkeys([usual, "scripted"]))
    model = str(st.selectbox(word("model"), options, help=word("model_help"), accept_new_options=True, key="model"))
    if engine.benches.is_untested(model):
        st.caption(word("model_untested"))
    return model


def _script(model: str, word: FormWords) -> tuple[float, int]:
    """Return the percentage of planted lies and the seed."""
    lies = 0.0
    if model == "scripted":
        lies = st.number_input(word("lies"), 0.0, 100.0, 20.0, step=5.0, help=word("lies_help"), key="lies", format="%.0f")
    return lies, int(st.number_input(word("seed"), 0, 2**31 - 1, 0, help=word("seed_help"), key="seed"))


def _chaos(engine: Engine, word: FormWords) -> Chaos | None:
    """Return one lie, planted in one role: a switch for demonstrations."""
    titles = {analyst.key: analyst.title[word.language] for analyst in engine.decisions.analysts}
    roles = ("nobody", *titles, *DEBATE_SIDES, "executor")
    names = titles | {role: role_name(role, words_in(word.language)) for role in roles[1 + len(titles) :]} | {"nobody": word("nobody")}
    role = st.selectbox(word("chaos"), roles, format_func=names.__getitem__, help=word("chaos_help"), key=f"liar-{word.language}")
    if role == "nobody":
        return None
    kind = st.selectbox(word("lie_kind"), CHAOS_KINDS, format_func=lambda key: word(f"lie_{key}"), key=f"lie-{word.language}")
    return Chaos(role=role, kind=kind)


def _holding(word: FormWords) -> tuple[dict[str, Any] | None, bool]:
    """Return the position that is stated, None without one; and whether all of it has been typed."""
    side = word.choice("holding", ("flat", "long", "short"), "flat", "side")
    if side == "flat":
        return None, True
    stated = {
        "side": side,
        "entry_price": st.number_input(word("entry_price"), min_value=0.0, value=None, key="entry_price", format="%g"),
        "size": st.number_input(word("size"), min_value=0.0, value=None, key="size", format="%g"),
        "leverage": st.number_input(word("leverage"), 1.0, 125.0, 1.0, key="leverage", format="%g"),
        "opened_at": st.text_input(word("opened_at"), placeholder="2026-05-16T08:00Z", key="opened_at"),
    }
    is_whole = bool(stated["entry_price"]) and bool(stated["size"])
    if not is_whole:
        draw_html(markup('<p class="tb tb-lab" role="status">{}</p>', word("holding_first")))
    return stated, is_whole
