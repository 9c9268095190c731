"""The pieces every panel is made of: cards, heads, role chips, directions, tables, skeletons. Builders of HTML, without streamlit.

What is given as `Markup` is as it is; a plain text is escaped, whichever slot it is put into.
"""

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from pages.frame import numbers
from pages.frame.escape import joined, markup, plain
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
    "market": ("M", "市", ""),
    "news": ("N", "闻", ""),
    "fundamentals": ("F", "基", ""),
    "macro": ("Ma", "宏", "two"),
    "policy": ("Po", "策", "two"),
    "sector": ("Se", "业", "two"),
    "technical": ("Te", "技", "two"),
    "international": ("In", "外", "two"),
    "strategy": ("St", "略", "sq two"),
    "bull_researcher": ("▲", "多", "up"),
    "bear_researcher": ("▼", "空", "dn"),
    "research_manager": ("M", "总", "sq"),
    "risky": ("+", "激", "oc"),
    "neutral": ("=", "中", "oc"),
    "safe": ("−", "稳", "oc"),
    "risk_judge": ("J", "判", "sq"),
    "trader": ("T", "易", "sq"),
    "you": ("H", "人", "ring"),
}

ARROWS = {"LONG": "▲", "SHORT": "▼", "NEUTRAL": "◆"}


def tint(role: str) -> str:
    """Return the class that carries a role's colour; one for all the desk does not know."""
    return {"you": "human"}.get(role, role if role in CHIPS else "other")


def card(*inner: object, label: str = "", css_class: str = "") -> Markup:
    """Return a panel."""
    aria = markup(' role="region" aria-label="{}"', label) if label else ""
    return markup('<section class="tb tb-card {}"{}>{}</section>', css_class, aria, joined(inner))


def titled(title: str, *inner: object, beside: object = "") -> Markup:
    """Return a panel with its name in its head. beside: what there is to know at once."""
    return card(head(heading(title), beside), *inner, label=title)


def head(left: object, *right: object) -> Markup:
    """Return a panel's head: what it is, and what there is to know at once."""
    return markup('<div class="tb-h">{}<span class="sp"></span>{}</div>', left, joined(right))


def heading(text: str) -> Markup:
    """Return a panel's name."""
    return markup("<h2>{}</h2>", text)


def label(text: str, number: str = "") -> Markup:
    """Return a small grey word with its number."""
    bold = markup(" <b>{}</b>", number) if number else ""
    return markup('<span class="tb-lab">{}{}</span>', text, bold)


def chip(role: str, show: Show, *, bare: bool = False) -> Markup:
    """Return a role: colour, shape, letter and name (`bare`: for screen readers only)."""
    name = show.name(role)
    letters = CHIPS.get(role, (name[:1].upper(), name[:1], ""))
    letter = letters[show.language == "zh"]
    words = markup('<span class="tb-sr">{}</span>', name) if bare else plain(name)
    return markup('<span class="tb-role {} {}"><i aria-hidden="true">{}</i>{}</span>', tint(role), letters[2], letter, words)


def direction(word: str | None, confidence: float | None, show: Show, *, bar: bool = True) -> Markup:
    """Return `▼ Short 61` with a bar of the confidence."""
    if word is None:
        return Markup()
    text = f"{ARROWS.get(word, '◆')} {show.say(word) if word in ARROWS else word}"
    if confidence is not None:
        text += f" {numbers.number(confidence)}"
    meter = (
        markup('<span class="bar" aria-hidden="true"><span style="width:{}%"></span></span>', share(confidence))
        if bar and confidence is not None
        else ""
    )
    return markup('<span class="tb-dir">{}{}</span>', text, meter)


def share(value: float | None) -> str:
    """Return a width in percent, within 0-100."""
    return f"{min(100.0, max(0.0, value or 0.0)):.1f}".removesuffix(".0")


def skeleton(*widths: int) -> Markup:
    """Grey lines that hold the room of text to come."""
    lines = joined(markup('<span style="width:{}%"></span>', width) for width in widths)
    return markup('<div class="tb-skel" aria-hidden="true">{}</div>', lines)


def message(bold: str, rest: str = "", *, bad: bool = False, done: bool = False) -> Markup:
    """Return a message: what happened, what it means, what to do. done: it went as it was asked."""
    sign, css_class = ("✕", " bad") if bad else ("✓", " done") if done else ("!", "")
    return markup('<div class="tb tb-msg{}"><b aria-hidden="true">{}</b><span><b>{}</b> {}</span></div>', css_class, sign, bold, rest)


def level(name: str, value: str, small: str = "", *, then: str = "", bad: bool = False, quiet: bool = False, own_class: str = "") -> Markup:
    """Return a number of the verdict bar with its name and a remark. then: what it was, below. bad: a warning, with a sign before it.
    quiet: not in bold. own_class: of this number alone."""
    css_class = " dash" if value == numbers.DASH else (" tb-bad" if bad else "") + (" quiet" if quiet else "")
    sign = Markup('<b aria-hidden="true">!</b> ') if bad else ""
    shown = markup('<span class="v{}">{}{}</span><span class="s">{}</span>', css_class, sign, value, small)
    shown += markup('<span class="s">{}</span>', then) if then else ""
    whose = markup(' class="{}"', own_class) if own_class else ""
    return markup('<div{}><span class="tb-lab">{}</span>{}</div>', whose, name, shown)


def verdict_card(word: str, means: str, levels: Iterable[Markup], label: str) -> Markup:
    """Return what many decisions came to, in a word, and the numbers that it rests on."""
    act = markup(
        '<div class="tb-act"><span class="arrow tb-muted" aria-hidden="true">◆</span><div><div class="word">{}</div>'
        '<div class="tb-lab">{}</div></div></div>',
        word,
        means,
    )
    return card(markup('<div class="tb-verdict">{}<div class="tb-lev">{}</div></div>', act, joined(levels)), label=label)


def table(heads: tuple[tuple[str, bool], ...], rows: Sequence[Sequence[Markup]], css_class: str = "") -> Markup:
    """Return a table that scrolls sideways by itself. heads: (text, right-aligned). rows: of cells, `<td ...>` included."""
    top = joined(markup('<th scope="col"{}>{}</th>', " class=r" if right else "", text) for text, right in heads)
    body = joined(markup("<tr>{}</tr>", joined(cells)) for cells in rows)
    inner = markup("<thead><tr>{}</tr></thead><tbody>{}</tbody>", top, body)
    return markup('<div class="tb-scroll" tabindex="0"><table class="tb-tab {}">{}</table></div>', css_class, inner)


def cell(content: object, css_class: str = "") -> Markup:
    """Return a table cell."""
    return markup('<td class="{}">{}</td>', css_class, content) if css_class else markup("<td>{}</td>", content)


def listed(rows: Iterable[tuple[object, object]]) -> Markup:
    """Return names with their values, one below the other."""
    return markup('<div class="tb-dl wide">{}</div>', joined(markup("<span>{}</span><span>{}</span>", *row) for row in rows))
