"""How a step of a run stands, as people read it: glyph, word, seconds and retries. Builders of HTML, without streamlit."""

from datetime import datetime

from markupsafe import Markup

from engine.api import role_of
from pages.frame import numbers
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.run.view import NodeState, NodeView, RunView
from pages.words.texts import Say

GLYPHS: dict[NodeState, str] = {
    "waiting": "○",
    "running": "",
    "retrying": "↻",
    "abstained": "–",
    "done": "✓",
    "failed": "✕",
    "stopped": "■",
}


def speaker(node: str) -> str:
    """Return who is behind a node of the flow, on either path: `position_bull` -> `bull`, `entry_grounding` -> `grounding`."""
    return "grounding" if node.endswith("grounding") else role_of(node)


def state(kind: NodeState, words: str) -> Markup:
    """Return a state: glyph and word, then colour."""
    return markup('<span class="tb-st {}"><b aria-hidden="true">{}</b>{}</span>', kind, GLYPHS[kind], words)


def node_state(node: NodeView, show: Show, view: RunView, *, busy: str = "writing") -> Markup:
    """Return the state of a role with its seconds and retries."""
    say = show.say
    if node.state == "waiting":
        return state("stopped", say("not_reached")) if view.ending else state("waiting", say("waiting"))
    if node.state == "retrying":
        return state("retrying", _retrying(node, say))
    spent = node.seconds(clock_of(view, show))
    words = [say(busy if node.state == "running" else node.state)]
    if spent is not None:
        words.append(numbers.seconds(spent))
    text = " ".join(words)
    if node.retries:
        text += f" · {retries(len(node.retries), say)}"
    return state(node.state, text)


def retries(count: int, say: Say) -> str:
    """Return `1 retry`."""
    return say("retries_1") if count == 1 else say("retries_n", n=count)


def _retrying(node: NodeView, say: Say) -> str:
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
