"""The line above the bar of a run: what is decided about, its price, and of which kind market and model are. HTML, no streamlit."""

from collections.abc import Iterable
from typing import Final

from markupsafe import Markup

from pages.frame import numbers
from pages.frame.escape import joined, markup
from pages.frame.show import Show

FEEDS: Final = ("simulated", "recorded", "live")


def subject_line(subject: str, parts: Iterable[Markup] = (), tags: Markup | str = "") -> Markup:
    """Return the line. parts: what is known of the subject. tags: at its end."""
    shown = markup('<span class="sym">{}</span>{}<span class="sp"></span>{}', subject, joined(parts), tags)
    return markup('<div class="tb tb-market">{}</div>', shown)


def priced(price: str, change: float | None) -> Markup:
    """Return a price and its change in percent, with a sign and a colour for its way; nothing for a change that is not known."""
    shown = markup('<span class="px">{}</span>', price)
    if change is None:
        return shown
    css_class, arrow = ("tb-up", "▲") if change > 0 else ("tb-down", "▼") if change < 0 else ("", "◆")
    return shown + markup(
        '<span class="kv {}"><span aria-hidden="true">{}</span> {}</span>', css_class, arrow, numbers.signed_percent(change)
    )


def figure(name: str, value: str, more: str = "") -> Markup:
    """Return a name with its value, and a remark behind it."""
    return markup('<span class="kv">{} <b>{}</b>{}</span>', name, value, f" {more}" if more else "")


def run_tags(feed: str, model: str, show: Show) -> Markup:
    """Return which market and which model, always on screen: `Recorded market`, `Scripted model`."""
    market = markup('<span class="tb-tag">{}</span>', show.say(f"{feed}_market")) if feed in FEEDS else ""
    return markup('<span class="tb-tags">{}{}</span>', market, _model_tag(model, show))


def _model_tag(model: str, show: Show) -> Markup:
    """Return `Scripted model`, in the colour of a warning, or the model's name."""
    if model == "scripted":
        return markup('<a class="tb-tag warn" href="./connect?lang={}" target="_self">{}</a>', show.language, show.say("scripted_model"))
    return markup('<span class="tb-tag">{}</span>', show.say("model_tag", name=model)) if model else Markup()
