"""What a browser keeps for its reader: dark or light, which colour means up, which language pages begin in.

Colours and language are kept in cookies, which the server reads when a page is opened; dark or light is Streamlit's own, in the browser's
storage. Nothing of it is known to the engine, and no one else's pages change.
"""

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import unquote

import streamlit as st

from pages.server.static_files import base_path, mount
from pages.words.texts import Say

COOKIES: Final[Mapping[str, str]] = {"language": "tribunal-language", "up_down": "tribunal-up-down"}
_SCRIPT: Final = "preferences/preferences.js"
_CHANGED: Final = "preferences-to-keep"


def kept_choice(name: str, allowed: Sequence[str]) -> str | None:
    """Return what this browser keeps under a name of `COOKIES`; None where it keeps nothing, or nothing that is allowed."""
    value = unquote(str(st.context.cookies.get(COOKIES[name], "")))
    return value if value in allowed else None


def keep_choice(name: str, value: str) -> None:
    """Let this browser keep a choice, from the next drawing of the page on."""
    st.session_state[_CHANGED] = {**st.session_state.get(_CHANGED, {}), COOKIES[name]: value}


def draw_theme_switch(paths: Sequence[str], say: Say) -> None:
    """Draw the switch between dark, light and the system's choice. paths: of all pages, "" for the first."""
    base = base_path()
    places = [f"{base}/{path}" for path in paths] + ([base] if base else [])
    options = {"System": say("theme_system"), "Light": say("theme_light"), "Dark": say("theme_dark")}
    mount(_SCRIPT, "theme-switch", {"part": "theme", "paths": places, "label": say("theme"), "options": options}, "content")


def send_kept_choices() -> None:
    """Hand the browser what it is to keep, if there is anything."""
    if changed := st.session_state.get(_CHANGED):
        mount(_SCRIPT, "kept-choices", {"part": "keep", "cookies": changed})
