"""The sign, the word and the colour of every state that a run, its proposal or a step of it can be in: the one table that every place
draws from. Without streamlit.

A sign means one thing: no two states have the same one, and none is told by its colour alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from markupsafe import Markup

from engine.domain.shown_state import ASKS, ShownState
from pages.frame.escape import markup
from pages.words.texts import Say

Tone = Literal["", "on", "done", "warn", "bad"]
"""Muted, the reader's turn or something going on, done as it was asked, take care, bad."""
StepState = Literal[
    "waiting", "running", "retrying", "abstained", "done", "partly", "failed", "stopped", "gate_closed", "skipped", "not_reached"
]
"""Of a node, or of a stage with all its nodes. partly: some of them abstained."""

NO_RUN: Final = "○"
"""The sign of a page before any run."""
STATE_SIGNS: Final[Mapping[ShownState, tuple[str, Tone]]] = {
    "starting": ("◌", "on"),
    "running": ("…", "on"),
    "interrupted": ("↻", "warn"),
    "stopped": ("■", ""),
    "failed": ("✕", "bad"),
    "invalid": ("⊘", "bad"),
    "finished": ("◆", ""),
    "waits": ("●", "on"),
    "edited": ("✎", "on"),
    "signed": ("◐", "on"),
    "locked": ("▣", "warn"),
    "halted": ("‖", "warn"),
    "blocked": ("⊠", "warn"),
    "no_order": ("⊟", "warn"),
    "approved": ("▷", "on"),
    "sent": ("↗", "on"),
    "filled": ("✓", "done"),
    "rejected": ("⊖", ""),
    "expired": ("◷", ""),
    "superseded": ("»", ""),
    "not_ordered": ("!", "bad"),
    "unknown": ("?", "bad"),
    "levels_filled": ("⇕", "done"),
    "levels_failed": ("≠", "bad"),
}
STEP_SIGNS: Final[Mapping[StepState, tuple[str, Tone]]] = {
    "waiting": ("○", ""),
    "running": ("", "on"),  # a circle that turns, drawn by the style sheet
    "retrying": ("↻", "warn"),
    "abstained": ("–", "warn"),
    "done": ("✓", ""),
    "partly": ("◑", "warn"),
    "failed": ("✕", "bad"),
    "stopped": ("■", ""),
    "gate_closed": ("⊘", "bad"),
    "skipped": ("»", ""),
    "not_reached": ("·", ""),
}


@dataclass(frozen=True)
class Chip:
    """A state as people read it: sign and words, then colour."""

    glyph: str
    words: str
    css_class: Tone = ""

    def html(self) -> Markup:
        """Return it with a frame, for a place of its own."""
        return markup('<span class="tb-chip {}"><b aria-hidden="true">{}</b> {}</span>', self.css_class, self.glyph, self.words)

    def line(self) -> Markup:
        """Return it without a frame, for a line of text or a table."""
        return markup('<span class="tb-st {}"><b aria-hidden="true">{}</b>{}</span>', self.css_class, self.glyph, self.words)


def state_chip(state: ShownState, say: Say, words: str = "") -> Chip:
    """Return a state's chip. words: more than its one word, where there is more to say."""
    sign, tone = STATE_SIGNS[state]
    return Chip(sign, words or say(f"state_{state}"), tone)


def asks(state: ShownState) -> bool:
    """Return whether a state asks for the reader's answer."""
    return state in ASKS
