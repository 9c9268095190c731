"""The seat of a text that is being written: where a panel lets the browser draw its words as they arrive, and seconds that run on by
themselves.

A seat holds what was written when the page was drawn, so a page without the stream of events shows the same, later. `assets/live/live.js`
finds the seats and clocks of a page wherever they are.
"""

from markupsafe import Markup

from pages.frame import numbers
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.run.view import Turn


def seat_name(node: Turn, part: str = "") -> str:
    """Return the name of the seat that one attempt of a node's turn is written in. part: of its text, where the panel shows it in parts."""
    return ".".join((node.name, str(node.n), str(node.attempt), part))


def live_seat(node: Turn, words: Markup, part: str = "") -> Markup:
    """Return the words of a node in their seat while it writes; the words alone afterwards."""
    if node.state != "running":
        return words
    return markup('<div data-live="{}" data-at="{}">{}</div>', seat_name(node, part), len(node.text), words)


def running_seconds(spent: float | None, show: Show) -> Markup | str:
    """Return seconds that the browser counts on; of a run that has ended, or in a file, they stand still."""
    words = numbers.seconds(spent)
    return words if spent is None or show.now is None else markup('<span data-spent="{:.2f}">{}</span>', spent, words)
