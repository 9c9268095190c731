"""The bar at the top of every run: what it came to or who is speaking, and beside the word its numbers, the words that are being written,
or why nothing is ordered. One height in every state. With it what is said of the order's size. HTML, without streamlit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from pages.claims.claim_markup import mark_claims
from pages.frame import json_fields, numbers
from pages.frame.cards import chip, tint
from pages.frame.escape import joined, markup
from pages.frame.json_fields import Fields
from pages.frame.show import Show
from pages.run.live_seat import live_seat
from pages.run.states import node_state, speaker
from pages.run.view import RunView, Turn


def sized_line(result: Fields, show: Show) -> Markup:
    """Return which confidence an entry was sized by, where that is not the stated one. result: of the node that decided."""
    calibrated = json_fields.number(result, "calibrated_confidence")
    return Markup() if calibrated is None else markup('<p class="tb-lab">{}</p>', show.say("sized_by", n=numbers.number(calibrated)))


_MOST: Final = 4


@dataclass(frozen=True)
class BarWords:
    """glyph, word, remark: what is there. tone: the class of the glyph's colour. settled: whether the run has ended."""

    glyph: str
    word: str
    remark: Markup | str = ""
    tone: str = ""
    settled: bool = False


def bar(headline: BarWords, body: Markup, label: str, css_class: str = "") -> Markup:
    """Return the bar. Its word is announced politely, on a change of state only: what is written is outside of that. label: its name.
    css_class: more classes."""
    said = markup('<div><div class="word">{}</div><div class="tb-lab">{}</div></div>', headline.word, headline.remark)
    act = markup(
        '<div class="tb-act" role="status" aria-live="polite"><span class="arrow {}" aria-hidden="true">{}</span>{}</div>',
        headline.tone,
        headline.glyph,
        said,
    )
    waits = "" if headline.settled else " wait"
    return markup('<section class="tb tb-verdict{} {}" role="region" aria-label="{}">{}{}</section>', waits, css_class, label, act, body)


def levels(numbers: Sequence[Markup]) -> Markup:
    """Return numbers side by side; "" for none."""
    return markup('<div class="tb-lev">{}</div>', joined(numbers)) if numbers else Markup()


def reasons(words: Markup) -> Markup:
    """Return why nothing is ordered; "" where there is nothing to say."""
    return markup('<div class="tb-why">{}</div>', words) if words else Markup()


def _this_turn(node: Turn) -> Mapping[str, tuple[int, int]]:
    return {"": (len(node.earlier), len(node.text))}


def now_said(
    view: RunView,
    show: Show,
    role: Callable[[str], str] = speaker,
    parts: Callable[[Turn], Mapping[str, tuple[int, int]]] = _this_turn,
) -> Markup:
    """Return what each of those who speak now has written so far, of which the bar shows the end; "" while nobody does. role: node -> whose
    colour and name it has. parts: of a node's text, as `FlowPage.live_parts` gives them."""
    busy = [node for node in view.nodes.values() if node.state in ("running", "retrying") and not node.is_reader]
    speaking = [node for node in busy if node.text or node.state == "retrying"][:_MOST]
    said = joined(_said(node, role(node.name), parts(node), view, show) for node in speaking)
    return markup('<div class="tb-now n{}">{}</div>', len(speaking), said) if speaking else Markup()


def _said(node: Turn, role: str, parts: Mapping[str, tuple[int, int]], view: RunView, show: Show) -> Markup:
    pending = show.pending.get(node.name, ())
    words = joined(
        live_seat(node, mark_claims(node.text, (), show, span=span, pending=pending, growing=span[1] == len(node.text)), part)
        for part, span in parts.items()
        if node.text
    )
    said = words or node_state(node, show, view)
    return markup('<div class="{}">{}<div class="txt"><div>{}</div></div></div>', tint(role), chip(role, show), said)
