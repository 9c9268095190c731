"""What the frame of every page does in the browser: the sidebar's room, keys, one stop of Tab for each text. The script is
`assets/frame/frame.js`; here it is mounted, and given its words.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

from engine.domain.text.language import Language
from pages.server.static_files import LOADER, address_of
from pages.words.texts import Say

KEYS = ("r", "e", "a", "x", "j", "k", "space", "?")
"""In the order they are listed; the words are `key_r` and so on, of the last `key_help`."""


def mount_frame(say: Say, language: Language) -> None:
    """Put the script into the page. It is the same element on every page, so it is mounted once a visit."""
    lines = "\n".join(f"{key}\t{say('key_help' if key == '?' else f'key_{key}')}" for key in KEYS)
    _component()(
        key="browser-frame",
        data={
            "script": address_of("frame/frame.js"),
            "lang": language,
            "keys": lines,
            "title": say("keys"),
            "ask": say("key_ask"),
            "yes": say("key_yes"),
            "no": say("key_no"),
            "close": say("key_close"),
            "skip": say("skip_to_page"),
        },
        height=1,
    )


@cache
def _component() -> Callable[..., Any]:
    return st.components.v2.component("tribunal_frame", js=LOADER, isolate_styles=False)
