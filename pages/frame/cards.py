"""The pieces every panel is made of: cards, heads, role chips, directions, tables, skeletons. Builders of HTML, without streamlit.

What is given as `html` is already safe; every other text is escaped here.
"""

from pages.frame import numbers
from pages.frame.escape import plain
from pages.frame.show import Show

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

ARROWS = {"LONG": "▲", "SHORT": "▼", "NEUTRAL": "◆"}


def tint(role: str) -> str:
    """Return the class that carries a role's colour; one for all the desk does not know."""
    return {"you": "human"}.get(role, role if role in CHIPS else "other")


def card(*inner: str, label: str = "", css_class: str = "") -> str:
    """Return a panel."""
    aria = f' role="region" aria-label="{plain(label)}"' if label else ""
    return f'<section class="tb tb-card {css_class}"{aria}>{"".join(inner)}</section>'


def head(left: str, *right: str) -> str:
    """Return a panel's head: what it is, and what there is to know at once."""
    return f'<div class="tb-h">{left}<span class="sp"></span>{"".join(right)}</div>'


def heading(text: str) -> str:
    """Return a panel's name."""
    return f"<h3>{plain(text)}</h3>"


def label(text: str, number: str = "") -> str:
    """Return a small grey word with its number."""
    bold = f" <b>{plain(number)}</b>" if number else ""
    return f'<span class="tb-lab">{plain(text)}{bold}</span>'


def chip(role: str, show: Show, *, bare: bool = False) -> str:
    """Return a role: colour, shape, letter and name (`bare`: for screen readers only)."""
    name = show.name(role)
    letters = CHIPS.get(role, (name[:1].upper(), name[:1], ""))
    letter = letters[show.language == "zh"]
    words = f'<span class="tb-sr">{plain(name)}</span>' if bare else plain(name)
    return f'<span class="tb-role {tint(role)} {letters[2]}"><i aria-hidden="true">{plain(letter)}</i>{words}</span>'


def direction(word: str | None, confidence: float | None, show: Show, *, bar: bool = True) -> str:
    """Return `▼ Short 61` with a bar of the confidence."""
    if word is None:
        return ""
    text = f"{ARROWS.get(word, '◆')} {show.say(word) if word in ARROWS else word}"
    if confidence is not None:
        text += f" {numbers.number(confidence)}"
    meter = (
        f'<span class="bar" aria-hidden="true"><span style="width:{share(confidence)}%"></span></span>'
        if bar and confidence is not None
        else ""
    )
    return f'<span class="tb-dir">{plain(text)}{meter}</span>'


def share(value: float | None) -> str:
    """Return a width in percent, within 0-100."""
    return f"{min(100.0, max(0.0, value or 0.0)):.1f}".removesuffix(".0")


def skeleton(*widths: int) -> str:
    """Grey lines that hold the room of text to come."""
    return '<div class="tb-skel" aria-hidden="true">' + "".join(f'<span style="width:{width}%"></span>' for width in widths) + "</div>"


def message(bold: str, rest: str = "", *, bad: bool = False, done: bool = False) -> str:
    """Return a message: what happened, what it means, what to do. done: it went as it was asked."""
    sign, css_class = ("✕", " bad") if bad else ("✓", " done") if done else ("!", "")
    return f'<div class="tb tb-msg{css_class}"><b aria-hidden="true">{sign}</b><span><b>{plain(bold)}</b> {plain(rest)}</span></div>'


def level(name: str, value: str, small: str = "", *, then: str = "", bad: bool = False) -> str:
    """Return a number of the verdict bar with its name and a remark. then: what it was, below. bad: a warning, with a sign before it."""
    css_class = " dash" if value == numbers.DASH else " tb-bad" if bad else ""
    sign = '<b aria-hidden="true">!</b> ' if bad else ""
    shown = f'<span class="v{css_class}">{sign}{plain(value)}</span><span class="s">{plain(small)}</span>'
    shown += f'<span class="s">{plain(then)}</span>' if then else ""
    return f'<div><span class="tb-lab">{plain(name)}</span>{shown}</div>'


def table(heads: tuple[tuple[str, bool], ...], rows: list[list[str]], css_class: str = "") -> str:
    """Return a table that scrolls sideways by itself. heads: (text, right-aligned). rows: safe HTML cells, `<td ...>` included."""
    top = "".join(f'<th scope="col"{" class=r" if right else ""}>{plain(text)}</th>' for text, right in heads)
    body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in rows)
    inner = f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="tb-scroll" tabindex="0"><table class="tb-tab {css_class}">{inner}</table></div>'


def cell(html: str, css_class: str = "") -> str:
    """Return a table cell of safe HTML."""
    return f'<td class="{css_class}">{html}</td>' if css_class else f"<td>{html}</td>"
