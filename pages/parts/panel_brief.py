"""The argument in three lines: what bull, bear and judge each said that matters most, inked. HTML, without streamlit."""

import re
from collections.abc import Sequence
from itertools import pairwise

from engine.domain.claims import Claim
from pages.parts.escape import plain
from pages.parts.ink import ink
from pages.parts.panel_frame import card, chip, head, heading, label, tint
from pages.parts.prose import prose
from pages.parts.run_nouns import NodeView, RunView
from pages.parts.showing import Show

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^\s\d])|(?<=[。！？])|\n+")
_MOST = 220  # characters of a line


def brief_panel(view: RunView, show: Show) -> str:
    """Nothing before anybody has spoken."""
    say = show.say
    if not any(view.role(side).text for side in ("bull", "bear", "judge")):
        return ""
    checked = view.checked
    told = say("verified_of", good=checked.verified, total=checked.verified + checked.false, fixed=checked.false) if checked else ""
    lines = "".join(_line(view.role(side), side, view, show) for side in ("bull", "bear", "judge"))
    return card(head(heading(say("three_lines")), label(told)), f'<div class="tb-brief">{lines}</div>', label=say("three_lines"))


def _line(node: NodeView, side: str, view: RunView, show: Show) -> str:
    claims = view.checked.said_by(side) if view.checked else ()
    span = telling(node.text, claims)
    words = ink(node.text, claims, show, span=span) if span else f'<p class="tb-muted">{plain(show.say("silent"))}</p>'
    return f'<section class="{tint(side)}">{chip(side, show)}{words}</section>'


def telling(text: str, claims: Sequence[Claim]) -> tuple[int, int] | None:
    """The sentence to be shown: the first that had to be corrected, else the one with most that was checked, else the first."""
    sentences = _sentences(text)
    if not sentences:
        return None

    def weight(span: tuple[int, int]) -> tuple[bool, int]:
        inside = [claim for claim in claims if span[0] <= claim.start < span[1]]
        return any(claim.verdict == "false" for claim in inside), len(inside)

    return max(sentences, key=weight)  # the first of equals


def _sentences(text: str) -> list[tuple[int, int]]:
    """Spans of code points of what is prose, sentence by sentence, none too long to be one line."""
    found = []
    for block in prose(text):
        for line in block.lines if block.kind != "h" else ():
            start, end = line[0].start, line[-1].end
            for piece in _pieces(text[start:end]):
                begin = start + piece[0]
                found.append((begin, min(start + piece[1], begin + _MOST)))
    return found


def _pieces(line: str) -> list[tuple[int, int]]:
    cuts = [0, *(match.end() for match in _SENTENCE.finditer(line)), len(line)]
    return [(begin, end) for begin, end in pairwise(cuts) if line[begin:end].strip()]
