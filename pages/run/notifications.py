"""Notifications: a sound and a message of the browser when the run of this page ends, for readers who ask for them."""

from typing import Final

from engine.domain.proposal import WAITING
from pages.frame.show import Show
from pages.run.view import RunView
from pages.server.static_files import mount
from pages.words.texts import Say

_SCRIPT: Final = "notifications/notifications.js"


def draw_notification_switch(run_id: str | None, view: RunView, show: Show, subject: str, outcome: str) -> None:
    """Draw the button, and hand the browser what the page's run is doing. view: may know nothing of the run yet. subject, outcome: what the
    run is about, and what it came to."""
    say, ending = show.say, view.ending
    waits = ending is not None and view.filed is not None and view.filed.state in WAITING
    words = {  # one level of plain words: for anything deeper Streamlit loads pandas, which takes half a second of the first page
        "label": say("notify"),
        "off": say("notify_off"),
        "title": say("notify_ended", symbol=subject, action=outcome),
        "body": say("notify_waits") if waits else say("nothing_to_sign"),
    }
    mount(_SCRIPT, "notifications", {"run": run_id, "going": ending is None, **words}, "content")


def draw_notification_choice(say: Say) -> None:
    """Draw the button alone, where there is no run to watch."""
    words = {"label": say("notify"), "off": say("notify_off"), "title": "", "body": ""}
    mount(_SCRIPT, "notification-choice", {"run": None, "going": False, **words}, "content")
