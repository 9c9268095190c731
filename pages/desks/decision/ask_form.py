"""What a decision can be asked for with: market, timeframe and model; folded away, what experiments need."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import streamlit as st

from engine.api import Engine
from engine.domain.chaos import CHAOS_KINDS
from engine.domain.decision import DEBATE_SIDES
from engine.domain.errors import BadInput
from engine.domain.market.instrument import USUAL_MARKETS, usual_of
from engine.domain.market.timeframe import usual_higher
from engine.domain.run import DecideRequest
from engine.domain.text.language import Language
from pages.desks.decision.guided_demo import GUIDE
from pages.desks.form import AT, FEED, FOLDER, LIES, MODEL, OPENING, SEED, DeskForm, Drawn, Field
from pages.frame.escape import markup
from pages.frame.form_words import TIMEFRAMES
from pages.frame.html import draw_html
from pages.run.attached import draw_attached, target_of_address
from pages.run.flow_page import RunForm
from pages.words.texts import role_name, words_in


@dataclass(frozen=True)
class Asked(RunForm):
    """What is in the form of a decision. market: the same request without a position, for its chart."""

    market: Callable[[], DecideRequest] = field(kw_only=True)


def _markets(form: Drawn) -> list[str]:
    return list(form.listed("markets")) or [USUAL_MARKETS[0]]


def _higher(form: Drawn) -> list[str | None]:
    return [*TIMEFRAMES[TIMEFRAMES.index(form["timeframe"]) + 1 :], None]


def _usual_higher(form: Drawn, options: Sequence[str | None]) -> str | None:
    usual = usual_higher(form["timeframe"])
    return usual if usual in options else options[0]


def _say_untested(form: Drawn) -> None:
    if form.engine.benches.is_untested(form["model"]):
        st.caption(form.word("model_untested"))


def _liars(form: Drawn) -> list[str]:
    return ["nobody", *(analyst.key for analyst in form.engine.decisions.analysts), *DEBATE_SIDES, "executor"]


def _liar(form: Drawn, role: str) -> str:
    titles = {analyst.key: analyst.title[form.language] for analyst in form.engine.decisions.analysts}
    return titles.get(role) or (form.word(role) if role == "nobody" else role_name(role, words_in(form.language)))


def _lie(form: Drawn, kind: str) -> str:
    return form.word(f"lie_{kind}")


def _is_held(form: Mapping[str, Any]) -> bool:
    return bool(form["holding.side"] != "flat")


def _lacks_holding(form: Drawn) -> bool:
    """Return whether a position is stated, and not yet all of it."""
    return _is_held(form) and not (form["holding.entry_price"] and form["holding.size"])


def _say_lacking(form: Drawn) -> None:
    if _lacks_holding(form):
        draw_html(markup('<p class="tb tb-lab" role="status">{}</p>', form.word("holding_first")))


_LISTED: Final = {"accept_new_options": False}
_FORM: Final = DeskForm(
    "",
    (
        FEED,
        FOLDER,
        Field(
            "exchange",
            "text",
            "exchange",
            "exchange",
            lambda form, _: form.engine.settings.exchange,
            when=lambda form: form["feed"] == "live",
            folded=False,
        ),
        Field("symbol", "pick", "market-{feed}-{data_dir}", "market", lambda _, symbols: usual_of(symbols), _markets, folded=False),
        Field("timeframe", "pick", "timeframe", "timeframe", "15m", TIMEFRAMES[:-1], folded=False, column=0, more=_LISTED),
        Field("timeframe_htf", "choice", "higher-{timeframe}", "higher", _usual_higher, _higher, folded=False, column=1),
        replace(MODEL, below=_say_untested),
        AT,
        OPENING,
        LIES,
        SEED,
        Field("chaos.role", "choice", "liar", "chaos", "nobody", _liars, _liar),
        Field(
            "chaos.kind", "choice", "lie", "lie_kind", CHAOS_KINDS[0], CHAOS_KINDS, _lie, when=lambda form: form["chaos.role"] != "nobody"
        ),
        Field("holding.side", "choice", "side", "holding", "flat", ("flat", "long", "short")),
        Field("holding.entry_price", "number", "entry_price", "entry_price", when=_is_held, more={"min_value": 0.0}),
        Field("holding.size", "number", "size", "size", when=_is_held, more={"min_value": 0.0}),
        Field("holding.leverage", "number", "leverage", "leverage", 1.0, when=_is_held, more={"min_value": 1.0, "max_value": 125.0}),
        Field("holding.opened_at", "clock", "opened_at", "opened_at", "", when=_is_held, below=_say_lacking),
    ),
)


def ask_form(engine: Engine) -> Asked:
    """Draw the form and give what is in it."""
    with st.sidebar:
        form = _FORM.draw(engine, target_of_address())
        evidence = draw_attached(engine, form.language)
    hint = form.folder_hint or (form.word("holding_first") if _lacks_holding(form) else "")

    def asked_for(*, held: bool) -> DecideRequest:
        asked = _FORM.asked(form) | {"evidence": evidence or None, "propose": not held}  # of a position that only the form states: no order
        chaos, holding = asked["chaos"], asked["holding"]
        asked |= {"chaos": chaos if chaos["role"] != "nobody" else None, "holding": holding if held else None}
        return engine.decisions.request(**asked)

    def request() -> DecideRequest:
        if hint:
            raise BadInput(hint)
        return asked_for(held=_is_held(form))

    return Asked(form.language, form.up_down, form["model"], request, form, hint, market=partial(asked_for, held=False))


def fill_ask_form(request: DecideRequest, language: Language) -> None:
    """Put what a decision was asked for into the form, before it is drawn."""
    _FORM.fill(request.model_dump(), language, opened=GUIDE.is_own(request))
