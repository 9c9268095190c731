"""The row of the account: where orders go, the keys of an exchange's account, what it holds and what its key may do."""

from typing import Final

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.api.connections import EXCHANGE, EXCHANGE_KEYS
from engine.domain.broker_capabilities import DEFAULT_BROKER
from engine.domain.connection import AccountReading
from pages.connect.pieces import RowState, leaves, outside_message, row_head, set_outside
from pages.frame import numbers
from pages.frame.cards import cell, message, table
from pages.frame.escape import joined, markup
from pages.frame.html import draw_html
from pages.frame.page_style import run_action
from pages.frame.show import Show

_READ: Final = "connect-account-read"
_KEYS_N: Final = "connect-account-n"
_WORDS: Final = ("cn_api_key", "cn_api_secret", "cn_api_password")


def account_place(engine: Engine, show: Show) -> str:
    """Return where orders go."""
    say, settings = show.say, engine.settings
    if not engine.trading.capabilities.real_money:
        return say("cn_paper")
    return _exchange_place(engine, show) if settings.broker == EXCHANGE else settings.broker


def _exchange_place(engine: Engine, show: Show) -> str:
    settings = engine.settings
    return show.say("cn_real" if settings.live == "yes" else "cn_sandbox", exchange=settings.exchange)


def account_head(engine: Engine, show: Show) -> Markup:
    """Return the line of the row."""
    say, read = show.say, _read()
    outside = set_outside(engine, "TRIBUNAL_BROKER", *EXCHANGE_KEYS)
    if not engine.trading.capabilities.real_money:
        return row_head(say("cn_account"), say("cn_paper"), say("cn_paper_means"), "works", show, outside=outside)
    state: RowState = "not_checked" if read is None else "not_reached" if read.words else "works"
    return row_head(say("cn_account"), account_place(engine, show), "", state, show, outside=outside)


def account_leaves(engine: Engine, show: Show) -> Markup:
    """Return what leaves this machine for an account."""
    if not engine.trading.capabilities.real_money:
        return leaves(show.say("cn_leaves_nothing"), "", show)
    return leaves(show.say("cn_leaves_account"), show.say("cn_leaves_account_to", host=engine.settings.exchange), show)


def draw_account(engine: Engine, who: str, show: Show) -> None:
    """Draw the row's body: keys, what was read with them, and where orders go from now on."""
    say, place = show.say, _exchange_place(engine, show)
    fixed = set_outside(engine, *EXCHANGE_KEYS)
    if outside := [*set_outside(engine, "TRIBUNAL_BROKER"), *fixed]:
        draw_html(outside_message(outside, show))
    kept = engine.connections.kept(EXCHANGE_KEYS[0])
    _draw_keys(engine, who, place, show, fixed=bool(fixed))
    with st.container(key="connect-account-buttons", horizontal=True):
        if kept.is_set and st.button(say("cn_read_account"), key="connect-account-read-button", width="content"):
            with st.spinner(say("cn_reading_account")):
                st.session_state[_READ] = engine.connections.read_account()
            st.rerun()
        if kept.is_set and not fixed and st.button(say("cn_forget"), key="connect-account-forget", type="tertiary", width="content"):
            st.session_state.pop(_READ, None)
            run_action(lambda: engine.connections.forget([name for name in EXCHANGE_KEYS if engine.connections.kept(name).is_set], who))
    if (read := _read()) is not None:
        draw_html(_said(read, kept.is_set, show))
    _draw_brokers(engine, who, show, has_keys=kept.is_set)
    if engine.settings.live != "yes":
        draw_html(markup('<p class="tb tb-lab">{}</p>', say("cn_real_off")))
    elif engine.trading.asks_live:
        link = markup('<a href="./settings?lang={}" target="_self">{}</a>', show.language, say("nav_settings"))
        draw_html(markup('<p class="tb">{} {}</p>', say("cn_real_words"), link))


def _draw_brokers(engine: Engine, who: str, show: Show, *, has_keys: bool) -> None:
    """Draw where orders may go from now on."""
    say = show.say
    with st.container(key="connect-brokers", horizontal=True):
        at_exchange = engine.settings.broker == EXCHANGE
        if not at_exchange and has_keys:
            word = say("cn_use_real" if engine.settings.live == "yes" else "cn_use_sandbox")
            if st.button(word, key="connect-use-exchange", width="content"):
                run_action(lambda: engine.connections.use_account(EXCHANGE, who))
        if engine.trading.capabilities.real_money and st.button(say("cn_use_paper"), key="connect-use-paper", width="content"):
            run_action(lambda: engine.connections.use_account(DEFAULT_BROKER, who))


def _draw_keys(engine: Engine, who: str, place: str, show: Show, *, fixed: bool) -> None:
    """Draw the form that takes keys; they are never shown again."""
    say = show.say
    with st.form("connect-account-keys", border=False):
        draw_html(markup('<p class="tb tb-lab">{}</p>', say("cn_account_keys", place=place)))
        columns, n = st.columns(3), st.session_state.get(_KEYS_N, 0)
        typed = {
            name: column.text_input(
                say(word),
                type="password",
                key=f"connect-{word}-{n}",
                autocomplete="new-password",
                placeholder="•" * 12 if engine.connections.kept(name).is_set else "",
                disabled=fixed,
                max_chars=500,
            )
            for name, word, column in zip(EXCHANGE_KEYS, _WORDS, columns, strict=True)
        }
        if st.form_submit_button(say("cn_keep_account"), key="connect-account-keep", disabled=fixed) and typed[EXCHANGE_KEYS[0]]:
            run_action(lambda: _keep(engine, who, typed, show))


def _read() -> AccountReading | None:
    read: AccountReading | None = st.session_state.get(_READ)
    return read


def _keep(engine: Engine, who: str, typed: dict[str, str], show: Show) -> None:
    """Read the account with what was typed, keep it where that worked, and let the browser forget it."""
    st.session_state[_KEYS_N] = st.session_state.get(_KEYS_N, 0) + 1
    with st.spinner(show.say("cn_reading_account")):
        st.session_state[_READ] = engine.connections.keep_account(typed, who)


def _said(read: AccountReading, is_kept: bool, show: Show) -> Markup:
    say = show.say
    if read.words:
        what, do = ("cn_account_unread", "cn_account_unread_do") if is_kept else ("cn_account_refused", "cn_account_refused_do")
        return message(say(what), f"{show.translated(read.words)}. {say(do)}", bad=True)
    trades = {True: ("✓", "cn_may_trade"), False: ("✕", "cn_may_not_trade"), None: ("○", "cn_trade_unsaid")}[read.may_trade]
    withdraws = {False: ("✓", "cn_may_not_withdraw"), True: ("✕", "cn_may_withdraw"), None: ("○", "cn_withdraw_unsaid")}[read.may_withdraw]
    rights = joined(markup("<li><b>{}</b> {}</li>", sign, say(key)) for sign, key in (trades, withdraws))
    rows = [
        (cell(currency), cell(numbers.said(free, ""), "r"), cell(numbers.said(total, ""), "r")) for currency, free, total in read.balances
    ]
    heads = ((say("cn_balances"), False), (say("cn_free"), True), (say("cn_total"), True))
    return markup('<ul class="tb tb-opt" role="status">{}</ul>{}', rights, table(heads, rows) if rows else "")
