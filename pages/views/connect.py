"""Connect: a model, a market, an account and alerts, from the demo to the real thing, while the program runs. Only an operator changes
them."""

from collections.abc import Callable
from functools import partial
from typing import Final

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.domain.connection import RunCost
from pages.connect.account_row import account_head, account_leaves, account_place, draw_account
from pages.connect.alerts_row import alerts_head, alerts_leaves, draw_alerts
from pages.connect.check import check_panel
from pages.connect.market_row import draw_market, market_head, market_leaves, market_read
from pages.connect.model_row import FOUND, SAID, draw_model, find_servers, model_head, model_leaves, model_state, tested
from pages.connect.side import draw_costs, keys_card
from pages.frame import numbers
from pages.frame.cards import head, heading, level, message
from pages.frame.escape import joined, markup
from pages.frame.html import draw_html
from pages.frame.isolation import isolated, isolated_html
from pages.frame.language import choose_language
from pages.frame.login import asks_login, may_connect, who_acts
from pages.frame.page_frame import HOME
from pages.frame.page_style import run_action
from pages.frame.shared_engine import get_engine
from pages.frame.show import Show
from pages.run.cost_lines import figure

_OPEN: Final = "connect-open"
_CHECKED: Final = "checked"
_SCRIPT: Final = "scripted"
Draw = Callable[[Engine, str, Show], None]


def connect() -> None:
    """Draw the page."""
    engine = get_engine()
    who, may_change = who_acts(engine), may_connect(engine)
    with st.sidebar:
        language = choose_language(engine)
    show = Show(language=language)
    say = show.say
    top = markup(
        '<div class="tb tb-market"><span class="sym">{}</span><span class="kv">{}</span></div>', say("nav_connect"), say("cn_about")
    )
    draw_html(top)
    with isolated(say("cn_ready"), say):
        _bar(engine, show, may_change=may_change)
    if said := st.session_state.pop(SAID, ""):
        draw_html(message(said, done=True))
    if not may_change:
        draw_html(_nobody(engine, show))
    left, right = st.columns([2.42, 1])
    with left:
        _row(engine, who, show, "model", (model_head, draw_model, model_leaves), may_change=may_change)
        _row(engine, who, show, "market", (market_head, draw_market, market_leaves), may_change=may_change)
        _row(engine, who, show, "account", (account_head, draw_account, account_leaves), may_change=may_change)
        _row(engine, who, show, "alerts", (alerts_head, draw_alerts, alerts_leaves), may_change=may_change)
        if may_change:
            with isolated(say("check_title"), say):
                _check(engine, show)
    with right:
        with isolated(say("cn_cost_title"), say):
            draw_costs(engine, who, show, may_change=may_change)
        draw_html(isolated_html(say("cn_keys_title"), say, partial(keys_card, engine, show)))
    gap = "" if language == "zh" else " "
    draw_html(markup('<footer class="tb tb-notice">{}{}{}</footer>', say("notice"), gap, say("cn_outside_wins")))


def _nobody(engine: Engine, show: Show) -> Markup:
    say = show.say
    if asks_login():
        return message(say("cn_only_operator", who=engine.settings.operator), say("cn_only_operator_do"))
    return message(say("cn_open_server"), say("cn_open_server_do"))


def _bar(engine: Engine, show: Show, *, may_change: bool) -> None:
    """Draw how far the program is from the real thing, in figures, and what to do next."""
    say, settings = show.say, engine.settings
    with st.container(key="readiness", horizontal=True, vertical_alignment="center"):
        draw_html(isolated_html(say("cn_ready"), say, partial(_readiness, engine, show)), width="stretch")
        with st.container(key="readiness-side", width="content"):
            found = next((server for server in st.session_state.get(FOUND, ()) if server.speakers), None)
            scripted = settings.default_model == _SCRIPT
            if scripted and may_change and found is None:
                if st.button(say("cn_look"), key="connect-look-first", type="primary", width="content"):
                    find_servers(engine, show)
                    st.session_state[_OPEN] = "model"
                    st.rerun()
            elif st.button(say("cn_run"), key="connect-run", type="secondary" if scripted else "primary", width="content"):
                run_action(lambda: _run(engine, show))
            draw_html(markup('<span class="tb tb-lab">{}</span>', say("cn_run_means")))


def _run(engine: Engine, show: Show) -> None:
    """Begin a decision with what is connected, about the market that was read here or the usual one, and go to it."""
    settings, read = engine.settings, market_read()
    was_read = read is not None and settings.default_feed == "live" and read.exchange == settings.exchange and not read.words
    symbol = read.symbol if read is not None and was_read else engine.decisions.usual_market()
    run_id = engine.start(engine.decisions.request(symbol, language=show.language, propose=True))
    st.switch_page(st.session_state[HOME], query_params={"run": run_id, "lang": show.language})


def _readiness(engine: Engine, show: Show) -> Markup:
    say, settings = show.say, engine.settings
    test, read = tested(engine), market_read()
    scripted = settings.default_model == _SCRIPT
    cost = engine.costs.of("decision", waits=False) if not scripted else None
    glyph, word, means = _state(engine, show)
    act = markup(
        '<div class="tb-act" role="status"><span class="arrow" aria-hidden="true">{}</span><div><div class="word">{}</div>'
        '<div class="tb-lab">{}</div></div></div>',
        glyph,
        word,
        means,
    )
    first = numbers.seconds(test.first_word_s) if test is not None and test.first_word_s is not None else ""
    model = say("cn_scripted") if scripted else settings.default_model
    live = settings.default_feed == "live"
    price = numbers.price(read.price) if read is not None and live and read.exchange == settings.exchange and read.price else ""
    levels = [
        level(say("cn_model"), model, first),
        level(say("cn_a_run"), *_figures(cost, "money", show)),
        level(say("cn_takes"), *_figures(cost, "time", show)),
        level(say("cn_market"), settings.exchange if live else say("cn_demo_state"), price),
        level(say("cn_account"), account_place(engine, show), ""),
    ]
    waits = " wait" if scripted else ""
    return markup('<div class="tb tb-verdict{}">{}<div class="tb-lev">{}</div></div>', waits, act, joined(levels))


def _figures(cost: RunCost | None, name: str, show: Show) -> tuple[str, str]:
    if cost is None:
        return numbers.DASH, ""
    value, most = figure(cost, name, "median"), figure(cost, name, "p95")
    if value == numbers.DASH:
        return value, show.say("cn_no_price") if name == "money" else show.say("cn_untested")
    return value, show.say("cn_p95", value=most)


def _state(engine: Engine, show: Show) -> tuple[str, str, str]:
    """Return glyph, word and remark of the bar."""
    say, settings = show.say, engine.settings
    if settings.default_model == _SCRIPT:
        return "○", say("cn_demo"), say("cn_demo_means")
    state = model_state(tested(engine))
    if state not in ("works", "untested"):
        return "✕", say("cn_not_ready"), say(f"cn_{state}")
    means = say("cn_not_tested") if state == "untested" else say("cn_ready_means")
    if not engine.trading.capabilities.real_money:
        return "✓" if state == "works" else "○", say("cn_ready"), means
    return "✓", say("cn_ready_real" if settings.live == "yes" else "cn_ready_sandbox"), account_place(engine, show)


def _row(
    engine: Engine,
    who: str,
    show: Show,
    name: str,
    parts: tuple[Callable[[Engine, Show], Markup], Draw, Callable[[Engine, Show], Markup]],
    *,
    may_change: bool,
) -> None:
    """Draw a row: its line, when it is open what can be done, and what leaves this machine."""
    say, (line, body, foot) = show.say, parts
    title = say(f"cn_{name}")
    opened = st.session_state.get(_OPEN, "model" if engine.settings.default_model == _SCRIPT else "")
    is_open = may_change and opened == name
    with st.container(border=True, key=f"connect-{name}"):
        with st.container(key=f"connect-top-{name}", horizontal=True, vertical_alignment="center"):
            draw_html(isolated_html(title, say, partial(line, engine, show)), width="stretch")
            word = f"{say('cn_close' if is_open else 'cn_change')} · {title}"
            if may_change and st.button(word, key=f"connect-open-{name}", width="content"):
                st.session_state[_OPEN] = "" if is_open else name
                st.rerun()
        if is_open:
            with isolated(title, say):
                body(engine, who, show)
        draw_html(isolated_html(title, say, partial(foot, engine, show)))


def _check(engine: Engine, show: Show) -> None:
    """Draw the button and what the last check of this visitor found, in the language it was asked in."""
    say = show.say
    with st.container(border=True, key="check"):
        draw_html(markup('<div class="tb">{}<p class="tb-muted">{}</p></div>', head(heading(say("check_title"))), say("check_text")))
        if st.button(say("check_run"), key="check-run", width="content"):
            with st.spinner(say("checking_now")):
                st.session_state[_CHECKED] = engine.check(language=show.language)
    if lines := st.session_state.get(_CHECKED):
        draw_html(isolated_html(say("check_title"), say, partial(check_panel, lines, show)))


connect()
