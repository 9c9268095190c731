"""What the equities desk can be asked with: which company and as of when; folded away, who analyses and how deep."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import Any, Final

import streamlit as st

from engine.api import Engine
from engine.domain.errors import BadInput
from engine.domain.run import RunRequest
from engine.domain.text.language import Language
from pages.desks.equities.guided_demo import GUIDE
from pages.desks.form import FEED, FOLDER, LIES, MODEL, OPENING, SEED, DeskForm, Drawn, Field
from pages.frame.escape import markup
from pages.frame.form_words import LOOKUPS
from pages.frame.html import draw_html
from pages.run.attached import draw_attached, target_of_address
from pages.run.flow_page import RunForm

_SESSIONS: Final = ("pre_open", "post_close")
_PRESETS: Final = ("stock", "index")
_USUAL: Final = "AAPL"
_EXAMPLES: Final = ("AAPL", "NVDA", "JPM", "600519.SH", "^GSPC")


def _symbols(form: Drawn) -> list[str]:
    form["listed"] = form.listed("companies")
    return list(form["listed"]) or [_USUAL]


def _named(form: Drawn, symbol: str) -> str:
    listing = form["listed"].get(symbol)
    return f"{symbol} · {listing.name}" if listing is not None and listing.name != symbol else symbol


def _look_up(form: Drawn) -> None:
    """Keep which preset the company usually has, and say where its lot is not known."""
    listing, rules = form["listed"].get(form["symbol"]), form.engine.equities.listing(form["symbol"])
    form["usual"] = "index" if listing is not None and listing.kind == "index" else "stock"
    if rules is not None and rules.lot_assumed:
        draw_html(markup('<p class="tb tb-lab tb-warned">! {}</p>', form.word("eq_lot_unknown").format(symbol=rules.symbol)))


def _say_depth(form: Drawn) -> None:
    """Keep who would speak, and say what a depth comes to: turns of the debates, tool calls of an analyst, calls of a model."""
    meaning = form.engine.equities.depth(form["preset"], int(form["depth"]))
    text = form.word("eq_depth_means_index" if form["preset"] == "index" else "eq_depth_means").format(
        research=meaning.research_turns, risk=meaning.risk_turns, tools=meaning.tool_calls, calls=meaning.model_calls
    )
    draw_html(markup('<p class="tb tb-lab">{}</p>', text))
    form["tool_limit"] = meaning.tool_calls
    form["analysts"] = tuple(analyst.key for analyst in form.engine.equities.analysts(form["preset"]))


_FORM: Final = DeskForm(
    "equity-",
    (
        FEED,
        FOLDER,
        Field("symbol", "pick", "symbol-{feed}-{data_dir}", "eq_symbol", _USUAL, _symbols, _named, below=_look_up, folded=False),
        Field("trade_date", "date", "date", "eq_trade_date", folded=False),
        MODEL,
        Field("session", "segments", "session", "eq_session", "post_close", _SESSIONS),
        Field("preset", "segments", "preset-{usual}", "eq_preset", lambda form, _: form["usual"], _PRESETS),
        Field("depth", "segments", "depth", "eq_depth", "1", ("1", "2", "3", "4", "5"), below=_say_depth),
        replace(OPENING, when=lambda form: form["preset"] == "stock"),  # which has no debate
        Field("lookups", "segments", "lookups", "lookups", LOOKUPS[0], LOOKUPS),
        LIES,
        replace(SEED, help="eq_seed_help"),
    ),
)


def equity_form(engine: Engine) -> RunForm:
    """Draw the form and give what is in it."""
    with st.sidebar:
        form = _FORM.draw(engine, _given(target_of_address()), colours_by="symbol")
        evidence = draw_attached(engine, form.language)
    hint = form.folder_hint

    def request() -> RunRequest:
        if hint:
            raise BadInput(hint)
        return engine.equities.request(**_FORM.asked(form), evidence=evidence or None, propose=form["preset"] == "stock" or None)

    return RunForm(form.language, form.up_down, form["model"], request, form, hint)


def _given(target: Mapping[str, str]) -> dict[str, Any]:
    """Return the company and the date that evidence was handed to; a session or a date that is none is left out."""
    found: dict[str, Any] = {"symbol": target["symbol"]} if "symbol" in target else {}
    if target.get("session") in _SESSIONS:
        found["session"] = target["session"]
    with suppress(ValueError):
        found["trade_date"] = date.fromisoformat(target.get("date", ""))
    return found


def fill_equity_form(request: RunRequest, language: Language) -> None:
    """Put what a run was asked for into the form, before it is drawn."""
    asked = request.model_dump()
    for usual in _PRESETS:  # which of the two it is, the source says
        _FORM.fill({**asked, "usual": usual, "preset": asked["preset"] or usual}, language, opened=GUIDE.is_own(request))


def draw_examples(form: RunForm) -> None:
    """Offer a few companies and an index of the simulated market, where no run is shown."""
    if form.values["feed"] != "simulated":
        return
    with st.container(key="examples", horizontal=True):
        for symbol in _EXAMPLES:
            st.button(
                symbol,
                key=f"example-{symbol}",
                on_click=_ask_about,
                args=(symbol,),
                width="content",
                disabled=symbol == form.values["symbol"],
            )


def _ask_about(symbol: str) -> None:
    st.session_state["equity-symbol-simulated-"] = symbol
