"""Who is in front of the page: someone who has logged in where a login is configured, else the local operator.

Where a login is configured, no one sees anything of a run, and no one answers anything, before they have logged in: `app.py` asks here
before any page runs. A server that others can reach without a login says so, and refuses to open with real money behind it.
"""

from urllib.parse import urlsplit

import streamlit as st

from engine.api import Engine
from pages.frame.cards import message
from pages.frame.escape import visible
from pages.frame.html import draw_html
from pages.frame.page_style import say_error
from pages.server.origin_check import OwnVisitors
from pages.words.texts import Say

_OWN = frozenset({"127.0.0.1", "localhost", "::1"})
_MOST_NAME = 80


def asks_login() -> bool:
    """Return whether a login is configured for this server."""
    return bool(st.secrets.load_if_toml_exists()) and "auth" in st.secrets


def is_in() -> bool:
    """Return whether the visitor may see anything."""
    return not asks_login() or bool(st.user.get("is_logged_in", False))


def who_acts(engine: Engine) -> str:
    """Under which name this person answers. Stops the page for someone who should have logged in."""
    if not asks_login():
        return engine.trading.operator
    if not is_in():
        st.stop()
    name = next((found for key in ("email", "name", "sub") if isinstance(found := st.user.get(key), str) and found.strip()), None)
    if name is None:  # a login without a name signs nothing
        say_error("the login gives neither an email address nor a name")
        st.stop()
    return visible(" ".join(name.split()))[:_MOST_NAME]


def bound_to() -> str:
    """Return the address the server listens on; empty for all of them."""
    return str(st.get_option("server.address") or "")


def is_open_to_all(engine: Engine) -> bool:
    """Return whether people elsewhere can reach this server without a login: at the address it is bound to, or through a proxy."""
    public = urlsplit(engine.settings.public_url or "//localhost").hostname
    return not {bound_to().strip("[]").lower(), public} <= _OWN and not asks_login()


def may_connect(engine: Engine) -> bool:
    """Return whether this person may change what the program is connected with: a person who has logged in, of those only the one whom
    TRIBUNAL_OPERATOR names where it does; without a login the local operator, but nobody on a server that others can reach."""
    if not asks_login():
        return not is_open_to_all(engine)
    named = " ".join(engine.settings.operator.split()).casefold()
    return is_in() and (not named or who_acts(engine).casefold() == named)


def refuse_unguarded() -> None:
    """Stop everything on a server that was not started with `app.py`: it would answer pages of any other program of this machine."""
    if st.context.headers and not OwnVisitors.is_installed:  # no headers, no visitor: a test
        say_error("this server answers anybody: start it with `streamlit run app.py`")
        st.stop()


def refuse_open_live(engine: Engine, say: Say) -> None:
    """Stop everything where real orders could be approved by anyone who reaches the address."""
    settings = engine.settings
    if is_open_to_all(engine) and settings.live == "yes" and engine.trading.capabilities.real_money:
        draw_html(message(say("live_refused"), f"{say('open_to_all')} {say('open_to_all_do')}", bad=True))
        st.stop()


def login_page(say: Say) -> None:
    """All that someone sees who has not logged in."""
    draw_html(message(say("login_title"), say("login_text")))
    st.button(say("login"), type="primary", key="login", on_click=st.login)
