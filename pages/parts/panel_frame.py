"""The pieces every panel is made of: cards, heads, role chips, states, directions, skeletons. Builders of HTML, without streamlit.

What is given as `html` is already safe; every other text is escaped here.
"""

from datetime import datetime

from engine.domain.roles import side_of
from pages.parts import figures
from pages.parts.escape import plain
from pages.parts.run_nouns import NodeState, NodeView, RunView
from pages.parts.showing import Show
from pages.parts.words import Say

CHIPS = {  # letter in English and Chinese, shape
    "indicator": ("I", "指", ""),
    "trend": ("T", "势", ""),
    "sentiment": ("S", "情", ""),
    "pattern": ("P", "形", ""),
    "bull": ("▲", "多", "up"),
    "bear": ("▼", "空", "dn"),
    "judge": ("J", "判", "sq"),
    "grounding": ("G", "证", "sq"),
    "executor": ("E", "执", "sq"),
    "you": ("H", "人", "ring"),
}
GLYPHS: dict[NodeState, str] = {
    "waiting": "○",
    "running": "",
    "retrying": "↻",
    "abstained": "–",
    "done": "✓",
    "failed": "✕",
    "stopped": "■",
}
ARROWS = {"LONG": "▲", "SHORT": "▼", "NEUTRAL": "◆"}


def tint(role: str) -> str:
    """The class that carries a role's colour; one for all the desk does not know."""
    return {"you": "human"}.get(role, role if role in CHIPS else "other")


def card(*inner: str, label: str = "", look: str = "") -> str:
    """A panel."""
    aria = f' role="region" aria-label="{plain(label)}"' if label else ""
    return f'<section class="tb tb-card {look}"{aria}>{"".join(inner)}</section>'


def head(left: str, *right: str) -> str:
    """A panel's head: what it is, and what there is to know at once."""
    return f'<div class="tb-h">{left}<span class="sp"></span>{"".join(right)}</div>'


def heading(text: str) -> str:
    """A panel's name."""
    return f"<h3>{plain(text)}</h3>"


def label(text: str, number: str = "") -> str:
    """A small grey word with its number."""
    bold = f" <b>{plain(number)}</b>" if number else ""
    return f'<span class="tb-lab">{plain(text)}{bold}</span>'


def speaker(node: str) -> str:
    """Who is behind a node of the flow, on either path: `position_bull` -> `bull`, `entry_grounding` -> `grounding`."""
    return "grounding" if node.endswith("grounding") else side_of(node)


def chip(role: str, show: Show, *, bare: bool = False) -> str:
    """A role: colour, shape, letter and name (`bare`: for screen readers only)."""
    name = show.name(role)
    letters = CHIPS.get(role, (name[:1].upper(), name[:1], ""))
    letter = letters[show.language == "zh"]
    words = f'<span class="tb-sr">{plain(name)}</span>' if bare else plain(name)
    return f'<span class="tb-role {tint(role)} {letters[2]}"><i aria-hidden="true">{plain(letter)}</i>{words}</span>'


def state(kind: NodeState, words: str) -> str:
    """A state: glyph and word, then colour."""
    return f'<span class="tb-st {kind}"><b aria-hidden="true">{GLYPHS[kind]}</b>{plain(words)}</span>'


def node_state(node: NodeView, show: Show, view: RunView, *, busy: str = "writing") -> str:
    """The state of a role with its seconds and retries."""
    say = show.say
    if node.state == "waiting":
        return state("stopped", say("not_reached")) if view.ending else state("waiting", say("waiting"))
    if node.state == "retrying":
        return state("retrying", _retrying(node, say))
    spent = node.seconds(clock_of(view, show))
    words = [say(busy if node.state == "running" else node.state)]
    if spent is not None:
        words.append(figures.seconds(spent))
    text = " ".join(words)
    if node.retries:
        text += f" · {retries(len(node.retries), say)}"
    return state(node.state, text)


def retries(count: int, say: Say) -> str:
    """`1 retry`."""
    return say("retries_1") if count == 1 else say("retries_n", n=count)


def _retrying(node: NodeView, say: Say) -> str:
    last = node.retries[-1] if node.retries else None
    if last is None:
        return say("retrying")
    if last.repair:
        return say("repairing")
    return say("retrying_in", wait=figures.seconds(last.wait_s), n=last.attempt)


def clock_of(view: RunView, show: Show) -> datetime | None:
    """The time running seconds are counted to: the page's clock, the last event's without one, the end's once there is one."""
    return view.ending.at if view.ending else (show.now or view.last_at)


def direction(word: str | None, confidence: float | None, show: Show, *, bar: bool = True) -> str:
    """`▼ Short 61` with a bar of the confidence."""
    if word is None:
        return ""
    text = f"{ARROWS.get(word, '◆')} {show.say(word) if word in ARROWS else word}"
    if confidence is not None:
        text += f" {figures.number(confidence)}"
    meter = (
        f'<span class="bar" aria-hidden="true"><span style="width:{share(confidence)}%"></span></span>'
        if bar and confidence is not None
        else ""
    )
    return f'<span class="tb-dir">{plain(text)}{meter}</span>'


def share(value: float | None) -> str:
    """A width in percent, within 0-100."""
    return f"{min(100.0, max(0.0, value or 0.0)):.1f}".removesuffix(".0")


def skeleton(*widths: int) -> str:
    """Grey lines that hold the room of text to come."""
    return '<div class="tb-skel" aria-hidden="true">' + "".join(f'<span style="width:{width}%"></span>' for width in widths) + "</div>"


def message(bold: str, rest: str = "", *, bad: bool = False, done: bool = False) -> str:
    """A message: what happened, what it means, what to do. done: it went as it was asked."""
    sign, look = ("✕", " bad") if bad else ("✓", " done") if done else ("!", "")
    return f'<div class="tb tb-msg{look}"><b aria-hidden="true">{sign}</b><span><b>{plain(bold)}</b> {plain(rest)}</span></div>'


def level(name: str, value: str, small: str = "", *, then: str = "", bad: bool = False) -> str:
    """A number of the verdict bar with its name and a remark. then: what it was, below. bad: a warning, with a sign before it."""
    look = " dash" if value == figures.DASH else " tb-bad" if bad else ""
    sign = '<b aria-hidden="true">!</b> ' if bad else ""
    shown = f'<span class="v{look}">{sign}{plain(value)}</span><span class="s">{plain(small)}</span>'
    shown += f'<span class="s">{plain(then)}</span>' if then else ""
    return f'<div><span class="tb-lab">{plain(name)}</span>{shown}</div>'


def table(heads: tuple[tuple[str, bool], ...], rows: list[list[str]], look: str = "") -> str:
    """A table that scrolls sideways by itself. heads: (text, right-aligned). rows: safe HTML cells, `<td ...>` included."""
    top = "".join(f'<th scope="col"{" class=r" if right else ""}>{plain(text)}</th>' for text, right in heads)
    body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in rows)
    return (
        f'<div class="tb-scroll" tabindex="0"><table class="tb-tab {look}"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def cell(html: str, look: str = "") -> str:
    """A table cell of safe HTML."""
    return f'<td class="{look}">{html}</td>' if look else f"<td>{html}</td>"
