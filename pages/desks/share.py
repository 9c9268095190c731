"""Showing a finished run to others: its picture, and a link that plays it and lets nobody sign. The saved file is `pages/run/rerun.py`'s.

The buttons are HTML, because only what a reader presses may write to the clipboard, and a rerun comes too late for that; what they do is in
`assets/run/share.js`.
"""

from typing import Final

import streamlit as st
from markupsafe import Markup

from pages.frame.escape import joined, markup
from pages.frame.html import draw_html
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.run.live_stream import visit_token
from pages.run.look_back import moment_key
from pages.run.playback import play
from pages.run.run_links import run_address
from pages.run.view import RunView
from pages.server.static_files import mount

WATCH: Final = "watch"
"""What a link says that plays a run."""
_PLAYED: Final = "watched-run"
_UNSEEN: Final = 3
"""Drawings before the browser has painted one: of the visit, of its beginning to tick, and the one that the first tick asks for."""


def is_watching() -> bool:
    """Return whether this page was opened by a link that plays a run: nothing is signed, begun or changed on it."""
    return WATCH in st.query_params


def begin_watching(view: RunView, show: Show) -> None:
    """Say what is watched, with the way to the run itself; play it from the start, once. view: of a run that has ended."""
    address = run_address(view.run_id or "", "", show.language).partition("?")[2]
    draw_html(
        markup(
            '<div class="tb tb-watch" role="status">{} <a href="?{}" target="_self">{}</a></div>',
            show.say("watching"),
            address,
            show.say("watching_open"),
        )
    )
    shown, drawn = st.session_state.get(_PLAYED, (None, 0))
    drawn = drawn + 1 if shown == view.run_id else 1
    if drawn <= _UNSEEN:
        play(moment_key(view), 1)
    st.session_state[_PLAYED] = view.run_id, drawn


def draw_share(run_id: str, path: str, up_down: UpDown, show: Show, *, picture: bool) -> None:
    """Draw the buttons and mount their script. path: of the run's page. picture: whether there is one. Only for a visitor who
    may see the run."""
    draw_html(share_buttons(show, picture=picture))
    link = f"{run_address(run_id, path, show.language)}&{WATCH}=1"
    words = {name: show.say(word) for name, word in _WORDS.items()}
    data = {"run": run_id, "visit": visit_token(), "language": show.language}
    mount("run/share.js", "share-script", {**data, "up_down": up_down, "link": link, "words": words})


_WORDS: Final = {
    "made": "share_made",
    "copied": "share_copied",
    "saved": "share_saved",
    "linked": "share_linked",
    "failed": "share_failed",
    "ended": "lie_ended",
}


def share_buttons(show: Show, *, picture: bool) -> Markup:
    """Return the buttons, and the place in which it is said what they did. picture: whether there is one."""
    say, kinds = show.say, ["link"]
    words = {"picture": (say("share_picture_help"), say("share_picture")), "link": (say("share_link_help"), say("share_link"))}
    if picture:
        kinds.insert(0, "picture")
    buttons = joined(markup('<button type="button" data-share="{}" title="{}">{}</button>', kind, *words[kind]) for kind in kinds)
    return markup(
        '<div class="tb tb-share" role="group" aria-label="{}">{}<span role="status" aria-live="polite"></span></div>',
        say("share"),
        buttons,
    )
