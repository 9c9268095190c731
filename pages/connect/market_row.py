"""The row of the market: where prices come from, and an exchange's candles at once."""

from typing import Final

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.domain.clock import utc_now
from engine.domain.connection import MarketReading
from engine.domain.market.instrument import FeedName
from pages.connect.pieces import RowState, leaves, outside_message, row_head, set_outside
from pages.frame import numbers
from pages.frame.cards import message
from pages.frame.escape import joined, markup
from pages.frame.html import draw_html
from pages.frame.page_style import run_action
from pages.frame.show import Show

_READ: Final = "connect-market-read"
_SETTINGS: Final = ("TRIBUNAL_FEED", "TRIBUNAL_EXCHANGE")
_SKEW_S: Final = 1.0


def market_head(engine: Engine, show: Show) -> Markup:
    """Return the line of the row."""
    say, settings = show.say, engine.settings
    outside = set_outside(engine, *_SETTINGS)
    if settings.default_feed != "live":
        return row_head(say("cn_market"), say(f"cn_{settings.default_feed}"), "", "demo", show, outside=outside)
    read = market_read()
    state: RowState = "not_checked"
    if read is not None and read.exchange == settings.exchange:
        state = "not_reached" if read.words else "works"
    return row_head(say("cn_market"), settings.exchange, say("cn_live_of", exchange=settings.exchange), state, show, outside=outside)


def market_read() -> MarketReading | None:
    """Return what this visitor's last look at an exchange gave."""
    read: MarketReading | None = st.session_state.get(_READ)
    return read


def market_leaves(engine: Engine, show: Show) -> Markup:
    """Return what an exchange is asked for prices."""
    settings, read = engine.settings, market_read()
    if settings.default_feed != "live":
        return leaves(show.say("cn_leaves_nothing"), "", show)
    host = read.host if read is not None and read.exchange == settings.exchange and read.host else settings.exchange
    return leaves(show.say("cn_leaves_candles"), show.say("cn_leaves_to", host=host), show)


def draw_market(engine: Engine, who: str, show: Show) -> None:
    """Draw the row's body: an exchange to read from, and the feed to use."""
    say, settings = show.say, engine.settings
    if outside := set_outside(engine, *_SETTINGS):
        draw_html(outside_message(outside, show))
    with st.container(key="connect-exchange", horizontal=True, vertical_alignment="bottom"):
        known = _exchanges(engine)
        start = known.index(settings.exchange) if settings.exchange in known else 0
        exchange = st.selectbox(say("cn_exchange"), known, start, key="connect-exchange-id", width=300)
        if st.button(say("cn_read_market"), key="connect-market-read-button", width="content"):
            with st.spinner(say("cn_reading_market", exchange=exchange)):
                st.session_state[_READ] = engine.connections.read_market(exchange)
            st.rerun()
    read = market_read()
    if read is not None and read.exchange == exchange:
        draw_html(_said(read, show))
    with st.container(key="connect-feeds", horizontal=True):
        fine = read is not None and read.exchange == exchange and not read.words
        if (settings.default_feed, settings.exchange) != ("live", exchange):
            _feed_button(engine, who, "live", exchange, say("cn_use_market", exchange=exchange), primary=fine)
        if settings.default_feed != "simulated":
            _feed_button(engine, who, "simulated", exchange, say("cn_use_simulated"))
        if settings.default_feed != "recorded" and settings.data_dir is not None:
            _feed_button(engine, who, "recorded", exchange, say("cn_use_recorded"))


def _feed_button(engine: Engine, who: str, feed: FeedName, exchange: str, word: str, *, primary: bool = False) -> None:
    if st.button(word, key=f"connect-feed-{feed}", type="primary" if primary else "secondary", width="content"):
        run_action(lambda: engine.connections.use_market(feed, exchange, who))


@st.cache_data(show_spinner=False)
def _exchanges(_engine: Engine) -> list[str]:
    return _engine.connections.exchanges()


def _said(read: MarketReading, show: Show) -> Markup:
    say = show.say
    if read.words:
        said = show.translated(read.words)
        return message(say("cn_market_refused", exchange=read.exchange), f"{said}. {say('cn_market_refused_do')}", bad=True)
    age = numbers.age((utc_now() - read.closed_at).total_seconds()) if read.closed_at is not None else numbers.DASH
    price = numbers.price(read.price)
    line = say("cn_market_read", symbol=read.symbol, price=price, age=age, n=numbers.number(read.markets))
    parts = [markup('<p class="tb" role="status"><b aria-hidden="true">✓</b> {}</p>', line)]
    if read.skew_s is not None:
        skew = say("cn_market_skew", seconds=numbers.seconds(abs(read.skew_s)))
        if abs(read.skew_s) > _SKEW_S:
            parts.append(message(skew[:1].upper() + skew[1:], say("cn_market_skew_do")))
        else:
            parts.append(markup('<p class="tb tb-lab">{}</p>', skew))
    return joined(parts)
