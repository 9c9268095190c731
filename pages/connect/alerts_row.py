"""The row of alerts: where messages go and when, a test of it, and whether a person has seen one arrive."""

from collections.abc import Sequence
from typing import Final

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.api.connections import ALERTS, ALERTS_WHEN
from engine.domain.alert import TOPICS, AlertTopic, SentAlert
from pages.connect.pieces import leaves, outside_message, row_head, set_outside
from pages.frame.cards import message
from pages.frame.escape import joined, markup
from pages.frame.html import draw_html
from pages.frame.page_style import run_action
from pages.frame.show import Show

_SENT: Final = "connect-alerts-sent"
_TYPED_N: Final = "connect-alerts-n"


def alerts_head(engine: Engine, show: Show) -> Markup:
    """Return the line of the row."""
    say, state = show.say, engine.connections.alert_state()
    topics = say("list_comma").join(say(f"cn_alerts_when_{topic}") for topic in engine.settings.alerts_when)
    rest = say("cn_alerts_about") if state == "off" else say("cn_alerts_untested") if state == "untested" else topics
    return row_head(say("cn_alerts"), _kinds(engine, show), rest, state, show, outside=set_outside(engine, ALERTS))


def alerts_leaves(engine: Engine, show: Show) -> Markup:
    """Return what leaves this machine with an alert."""
    if kinds := _kinds(engine, show):
        return leaves(show.say("cn_leaves_alert"), show.say("cn_leaves_alert_to", kinds=kinds), show)
    return leaves(show.say("cn_leaves_nothing"), show.say("cn_would_leave_alert"), show)


def draw_alerts(engine: Engine, who: str, show: Show) -> None:
    """Draw the row's body: the addresses, a test, and whether it arrived."""
    say, fixed = show.say, set_outside(engine, ALERTS)
    is_set = bool(engine.connections.alert_kinds)
    if fixed:
        draw_html(outside_message(fixed, show))
    with st.form("connect-alerts-form", border=False):
        typed = st.text_input(
            say("cn_alerts_where"),
            type="password",
            key=f"connect-alerts-{st.session_state.get(_TYPED_N, 0)}",
            autocomplete="new-password",
            placeholder="•" * 12 if is_set else "ntfy://…",
            help=say("cn_alerts_where_help"),
            disabled=bool(fixed),
            max_chars=500,
        )
        when = st.pills(
            say("cn_alerts_when"),
            TOPICS,
            selection_mode="multi",
            default=engine.settings.alerts_when,
            format_func=lambda topic: say(f"cn_alerts_when_{topic}"),
            key="connect-alerts-when",
            disabled=bool(set_outside(engine, ALERTS_WHEN)),
        )
        shut = bool(fixed and set_outside(engine, ALERTS_WHEN))
        if st.form_submit_button(say("cn_alerts_keep"), key="connect-alerts-keep", disabled=shut) and (typed.strip() or is_set):
            _keep(engine, typed, when, who)
    if not is_set:
        return
    with st.container(key="connect-alerts-buttons", horizontal=True):
        if st.button(say("cn_alerts_send"), key="connect-alerts-test", width="content"):
            run_action(lambda: _send(engine, show))
        if st.session_state.get(_SENT) and st.button(
            say("cn_alerts_arrived"), key="connect-alerts-arrived", type="primary", width="content"
        ):
            st.session_state.pop(_SENT)
            run_action(engine.connections.say_alerts_arrived)
        if not fixed and st.button(say("cn_alerts_forget"), key="connect-alerts-forget", type="tertiary", width="content"):
            st.session_state.pop(_SENT, None)
            run_action(lambda: engine.connections.forget([ALERTS], who))
    if sent := st.session_state.get(_SENT):
        draw_html(_said(sent, show))


def _kinds(engine: Engine, show: Show) -> str:
    return show.say("list_comma").join(f"{kind}://•••" for kind in engine.connections.alert_kinds)


def _keep(engine: Engine, typed: str, when: Sequence[AlertTopic], who: str) -> None:
    """Keep what was typed and chosen, and let the browser forget the address."""
    st.session_state[_TYPED_N] = st.session_state.get(_TYPED_N, 0) + 1
    if typed.strip():
        st.session_state.pop(_SENT, None)
    run_action(lambda: engine.connections.keep_alerts(typed, who, when))


def _send(engine: Engine, show: Show) -> None:
    with st.spinner(show.say("cn_alerts_sending")):
        st.session_state[_SENT] = engine.connections.test_alerts(show.language)


def _said(sent: list[SentAlert], show: Show) -> Markup:
    say = show.say
    taken = joined(markup("<li><b>✓</b> {}</li>", say("cn_alerts_taken", kind=each.kind)) for each in sent if each.is_sent)
    lost = [message(say("cn_alerts_failed", kind=each.kind), say("cn_alerts_failed_do"), bad=True) for each in sent if not each.is_sent]
    return joined([markup('<ul class="tb tb-opt" role="status">{}</ul>', taken) if taken else Markup(), *lost])
