"""The sidebar of the equities desk: which company, as of when, who analyses and how deep. Gives what was asked for; starts nothing."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Literal

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.domain.equity.listing import Listing
from engine.domain.errors import BadInput, TribunalError
from engine.domain.market.instrument import FeedName
from engine.domain.run import RunRequest
from engine.domain.text.language import Language
from pages.frame.escape import markup
from pages.frame.form_words import LOOKUPS, OPENINGS, FormWords, choose_up_down
from pages.frame.html import draw_html
from pages.frame.language import choose_language
from pages.frame.page_style import say_warning
from pages.run.attached import draw_attached, target_of_address
from pages.run.flow_page import RunForm
from pages.words.form_texts import form_word

_FEEDS: tuple[FeedName, ...] = ("simulated", "recorded", "live")
_SESSIONS = ("pre_open", "post_close")
_PRESETS = ("stock", "index")
_USUAL = "AAPL"
_EXAMPLES = ("AAPL", "NVDA", "JPM", "600519.SH", "^GSPC")
_DEPTHS = ("1", "2", "3", "4", "5")


@dataclass(frozen=True)
class EquityForm(RunForm):
    """The values in the form. symbol, feed, session: as chosen, whether they can be used or not. preset, depth, tool_limit: of the run it
    asks for. analysts: the keys of those who would speak."""

    symbol: str
    feed: FeedName
    session: str
    preset: str
    depth: int
    tool_limit: int
    analysts: tuple[str, ...]


def equity_form(engine: Engine) -> EquityForm:
    """Draw the form and give what is in it."""
    with st.sidebar:
        language = choose_language(engine)
        word = FormWords(language)
        feed = word.choice("feed", _FEEDS, engine.settings.default_feed, "equity-feed")
        data_dir = st.text_input(word("folder"), str(engine.settings.data_dir or ""), key="equity-folder") if feed == "recorded" else ""
        hint = word("folder_first") if feed == "recorded" and not data_dir.strip() else ""
        symbol, listing = _company(engine, feed, data_dir, word)
        _say_unknown_lot(engine, symbol, word)
        day = st.date_input(word("eq_trade_date"), None, date(1990, 1, 1), help=word("eq_trade_date_help"), key="equity-date")
        session = word.segments("eq_session", _SESSIONS, "post_close", "equity-session")
        usual = "index" if listing is not None and listing.kind == "index" else "stock"
        preset = word.segments("eq_preset", _PRESETS, usual, f"equity-preset-{usual}")
        depth = int(word.segments("eq_depth", _DEPTHS, "1", "equity-depth", "eq_depth_help"))
        draw_html(depth_line(engine, preset, depth, word))
        pace = _pace(preset, word)
        model, lies = _model(engine, word)
        seed = int(st.number_input(word("seed"), 0, 2**31 - 1, 0, help=word("eq_seed_help"), key="equity-seed"))
        up_down = choose_up_down(engine, language, symbol)
        evidence = draw_attached(engine, language)

    def request() -> RunRequest:
        if hint:
            raise BadInput(hint)
        return engine.equities.request(
            symbol,
            feed=feed,
            data_dir=data_dir or None,
            trade_date=day if isinstance(day, date) else None,
            session=session,
            preset=preset,
            depth=depth,
            **pace,
            model=model,
            lies=lies / 100,
            seed=seed,
            language=language,
            evidence=evidence or None,
            propose=preset == "stock" or None,
        )

    of_preset: Literal["stock", "index"] = "index" if preset == "index" else "stock"
    analysts = tuple(analyst.key for analyst in engine.equities.analysts(of_preset))
    return EquityForm(
        language,
        up_down,
        model,
        request,
        symbol,
        feed,
        session,
        preset,
        depth,
        engine.equities.depth(of_preset, depth).tool_calls,
        analysts,
        hint=hint,
    )


def _pace(preset: str, word: FormWords) -> dict[str, str]:
    """Draw the options that shorten a run and return them as request fields. An index has no debate, so it has no openings to choose."""
    openings = word.segments("openings", OPENINGS, "alternate", "equity-openings", "openings_help") if preset == "stock" else OPENINGS[0]
    return {"openings": openings, "lookups": word.segments("lookups", LOOKUPS, "asked", "equity-lookups", "lookups_help")}


def _begin_with(target: Mapping[str, str], feed: str, data_dir: str, word: FormWords) -> None:
    """Put the company and the date that evidence was handed to into the form, before they are drawn; a date that is none is left out."""
    if "symbol" in target:
        st.session_state[f"equity-symbol-{feed}-{data_dir}"] = target["symbol"]
    if target.get("session") in _SESSIONS:
        word.put("equity-session", target["session"])
    with suppress(ValueError):
        st.session_state["equity-date"] = date.fromisoformat(target.get("date", ""))


def draw_examples(form: EquityForm) -> None:
    """Offer a few companies and an index of the simulated market, where no run is shown."""
    if form.feed != "simulated":
        return
    with st.container(key="examples", horizontal=True):
        for symbol in _EXAMPLES:
            st.button(symbol, key=f"example-{symbol}", on_click=_ask_about, args=(symbol,), width="content", disabled=symbol == form.symbol)


def _ask_about(symbol: str) -> None:
    st.session_state["equity-symbol-simulated-"] = symbol


def fill_equity_form(request: RunRequest, language: Language) -> None:
    """Put what a run was asked for into the form, before it is drawn."""
    asked, word, state = request.model_dump(mode="json"), FormWords(language), st.session_state
    feed = asked["feed"]
    word.put("equity-feed", feed)
    folder = (asked["data_dir"] or "") if feed == "recorded" else ""
    state["equity-folder"], state[f"equity-symbol-{feed}-{folder}"] = folder, asked["symbol"]
    state["equity-date"] = date.fromisoformat(asked["trade_date"]) if asked["trade_date"] else None
    word.put("equity-session", asked["session"])
    for usual in _PRESETS:  # which of the two it is, the source says
        word.put(f"equity-preset-{usual}", asked["preset"] or usual)
    word.put("equity-depth", str(asked["depth"]))
    word.put("equity-openings", asked.get("openings", "alternate"))
    word.put("equity-lookups", asked.get("lookups", "asked"))
    state["equity-model"], state["equity-lies"], state["equity-seed"] = request.model, round(100 * request.lies, 6), request.seed


@st.cache_data(ttl=60, show_spinner=False)
def _listings(_engine: Engine, feed: FeedName, data_dir: str) -> list[Listing]:
    return list(_engine.equities.listings(feed, data_dir or None))


def _company(engine: Engine, feed: FeedName, data_dir: str, word: FormWords) -> tuple[str, Listing | None]:
    """Return the symbol, and its listing where the source names those it has."""
    _begin_with(target_of_address(), feed, data_dir, word)
    found: dict[str, Listing] = {}
    if feed == "simulated" or (feed == "recorded" and data_dir.strip()):
        try:
            found = {listing.symbol: listing for listing in _listings(engine, feed, data_dir)}
        except TribunalError as problem:
            say_warning(problem)
    symbols = list(found) or [_USUAL]
    start = symbols.index(_USUAL) if _USUAL in symbols else 0

    def named(symbol: str) -> str:
        listing = found.get(symbol)
        return f"{symbol} · {listing.name}" if listing is not None and listing.name != symbol else symbol

    chosen = str(
        st.selectbox(
            word("eq_symbol"),
            symbols,
            index=start,
            format_func=named,
            help=word("eq_symbol_help"),
            accept_new_options=True,
            key=f"equity-symbol-{feed}-{data_dir}",
        )
    )
    return chosen, found.get(chosen)


def _say_unknown_lot(engine: Engine, symbol: str, word: FormWords) -> None:
    rules = engine.equities.listing(symbol)
    if rules is not None and rules.lot_assumed:
        draw_html(markup('<p class="tb tb-lab tb-warned">! {}</p>', word("eq_lot_unknown").format(symbol=rules.symbol)))


def _model(engine: Engine, word: FormWords) -> tuple[str, float]:
    """Return the model, and the share of planted lies in percent, which only the scripted one has."""
    options = list(dict.fromkeys([engine.settings.default_model, "scripted"]))
    model = str(st.selectbox(word("model"), options, help=word("model_help"), accept_new_options=True, key="equity-model"))
    if model != "scripted":
        return model, 0.0
    return model, st.number_input(word("lies"), 0.0, 100.0, 20.0, step=5.0, help=word("lies_help"), key="equity-lies", format="%.0f")


def depth_line(engine: Engine, preset: str, depth: int, word: FormWords) -> Markup:
    """Return what a depth comes to: turns of the debates, tool calls of an analyst, calls of a model."""
    meaning = engine.equities.depth("index" if preset == "index" else "stock", depth)
    key = "eq_depth_means_index" if preset == "index" else "eq_depth_means"
    text = form_word(key, word.language).format(
        research=meaning.research_turns, risk=meaning.risk_turns, tools=meaning.tool_calls, calls=meaning.model_calls
    )
    return markup('<p class="tb tb-lab">{}</p>', text)
