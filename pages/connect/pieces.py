"""What the rows of the page have in common: a head of one line, options, what leaves this machine. HTML, without streamlit."""

from collections.abc import Sequence
from typing import Final, Literal
from urllib.parse import urlsplit

from markupsafe import Markup

from engine.api import Engine
from engine.domain.connection import KeptSetting, ModelState
from pages.frame.cards import message
from pages.frame.escape import markup
from pages.frame.show import Show

RowState = Literal["works", "useless", "key_refused", "refused", "not_reached", "untested", "off", "demo", "not_checked"]
_SIGNS: Final[dict[RowState, tuple[str, str, str]]] = {
    "works": ("✓", "done", "cn_works"),
    "useless": ("!", "warn", "cn_useless"),
    "key_refused": ("✕", "bad", "cn_key_refused"),
    "refused": ("✕", "bad", "cn_refused"),
    "not_reached": ("○", "bad", "cn_not_reached"),
    "untested": ("○", "", "cn_untested"),
    "off": ("○", "", "cn_off"),
    "demo": ("○", "", "cn_demo_state"),
    "not_checked": ("○", "", "cn_not_checked"),
}
"""Glyph, class and word of a state: a shape and a word before a colour."""


def row_head(name: str, bold: str, rest: str, state: RowState, show: Show, *, outside: Sequence[KeptSetting] = ()) -> Markup:
    """Return the one line of a row. bold, rest: what is connected, and a remark. outside: settings of it that the environment makes."""
    tag = markup('<span class="tb-tag">{}</span>', show.say("cn_outside")) if outside else Markup()
    return markup(
        '<div class="tb tb-cn"><h2>{}</h2><span class="s"><b>{}</b> <span class="tb-muted">{}</span></span>{}{}</div>',
        name,
        bold,
        rest,
        tag,
        state_mark(state, show),
    )


def state_mark(state: RowState | ModelState, show: Show) -> Markup:
    """Return `✓ works`."""
    sign, css_class, word = _SIGNS[state]
    return markup('<span class="tb-st {}"><b aria-hidden="true">{}</b>{}</span>', css_class, sign, show.say(word))


def leaves(what: str, where: str, show: Show) -> Markup:
    """Return the foot of a row: what leaves this machine, and to whom."""
    return markup('<p class="tb tb-leave">{} <b>{}</b> {}</p>', show.say("cn_leaves"), what, where)


def outside_message(settings: Sequence[KeptSetting], show: Show) -> Markup:
    """Return that some of a row cannot be changed here, and why; nothing where all of it can."""
    if not settings:
        return Markup()
    names = show.say("list_comma").join(setting.name for setting in settings)
    return message(show.say("cn_outside"), show.say("cn_outside_means", names=names))


def set_outside(engine: Engine, *names: str) -> list[KeptSetting]:
    """Return those of the settings that the environment makes."""
    return [kept for name in names if (kept := engine.connections.kept(name)).place == "outside"]


def host_of(address: str) -> str:
    """Return `api.openai.com`, or host and port where a port is in the address."""
    return urlsplit(address).netloc or address
