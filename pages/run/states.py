"""The states that a run, its proposal or a step of it can be in, as people read them: sign, word and colour, and of a step its seconds and
retries. The one table that every place draws from. Without streamlit.

A sign means one thing: no two states have the same one, and none is told by its colour alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from markupsafe import Markup

from engine.api import role_of
from engine.domain.shown_state import ASKS, ShownState
from pages.frame import numbers
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.run.live_seat import running_seconds
from pages.run.view import RunView, Turn
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


_MOST_ROLES: Final = 6  # that are named where the prompts of many changed


def speaker(node: str) -> str:
    """Return who is behind a node of the flow, on either path: `position_bull` -> `bull`, `entry_grounding` -> `grounding`."""
    return "grounding" if node.endswith("grounding") else role_of(node)


def prompted_roles(nodes: Sequence[str], show: Show) -> str:
    """Return whose prompts changed: the first names, and how many more there are. A question that is asked again, or is about the memory
    of a role, is the role's."""
    names = list(dict.fromkeys(show.name(role_of(node.removesuffix("_again").removesuffix("_memory"))) for node in nodes))
    left = len(names) - _MOST_ROLES
    listed = show.say("list_comma").join(names[:_MOST_ROLES])
    return show.say("prompts_more_roles", roles=listed, n=left) if left > 0 else listed


def state(kind: StepState, words: str | Markup) -> Markup:
    """Return a state: sign and word, then colour."""
    sign, tone = STEP_SIGNS[kind]
    return markup('<span class="tb-st {} {}"><b aria-hidden="true">{}</b>{}</span>', kind, tone, sign, words)


def stage_state(nodes: Sequence[Turn], view: RunView, *, closed: bool) -> StepState:
    """Return the state of a stage. nodes: those of its workers that have started, the newest of each. closed: nothing more comes of it."""
    if not nodes:
        return unreached(view, closed=closed)
    silent = sum(node.state == "abstained" for node in nodes)
    if any(node.state == "failed" for node in nodes) or (silent == len(nodes) and (closed or view.ending is not None)):
        return "failed"
    if closed:
        return "partly" if silent else "done"
    return "running" if view.ending is None else "stopped"


def unreached(view: RunView, *, closed: bool = False) -> StepState:
    """Return the state of a stage before any of its nodes has started. closed: a later stage has started."""
    if view.ending is None:
        return "skipped" if closed else "waiting"
    return "skipped" if closed or (view.ending.status == "finished" and view.ending.is_valid) else "not_reached"


def stage_word(kind: StepState, nodes: Sequence[Turn], say: Say, *, busy: str = "writing") -> str:
    """Return the word of a stage's state: `1 of 4 abstained` where somebody did. busy: the key of what it does while it goes on."""
    silent = sum(node.state == "abstained" for node in nodes)
    if silent and kind in ("partly", "failed"):
        return say("n_abstained", n=silent, of=len(nodes))
    return say(busy if kind == "running" else kind)


def node_state(node: Turn, show: Show, view: RunView, *, busy: str = "writing") -> Markup:
    """Return the state of a role with its seconds and retries."""
    say = show.say
    if node.state == "waiting":
        kind = unreached(view)
        return state(kind, say(kind))
    if node.state == "retrying":
        return state("retrying", _retrying(node, say))
    spent = node.seconds(clock_of(view, show))
    again = f" · {retries(len(node.retries), say)}" if node.retries else ""
    if node.state == "running":
        return state("running", markup("{} {}{}", say(busy), running_seconds(spent, show) if spent is not None else "", again))
    return state(node.state, f"{say(node.state)} {numbers.seconds(spent) if spent is not None else ''}".rstrip() + again)


def retries(count: int, say: Say) -> str:
    """Return `1 retry`."""
    return say("retries_1") if count == 1 else say("retries_n", n=count)


def _retrying(node: Turn, say: Say) -> str:
    last = node.retries[-1] if node.retries else None
    if last is None:
        return say("retrying")
    if last.repair:
        return say("repairing")
    return say("retrying_in", wait=numbers.seconds(last.wait_s), n=last.attempt)


def clock_of(view: RunView, show: Show) -> datetime | None:
    """Return the time running seconds are counted to: the page's clock, the last event's without one, the end's once there is one."""
    return view.ending.at if view.ending else (show.now or view.last_at)


def requests_sent(view: RunView) -> int:
    """Model calls so far: counted where a role has ended, one for each attempt where it goes on."""
    spoke = [node for node in view.nodes.values() if node.usage or node.texts or node.retries]
    return sum(node.usage.requests if node.usage else 1 + len(node.retries) for node in spoke)
