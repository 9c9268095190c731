"""The argument in three lines: the judge's ruling, then the strongest verified point of each side and what was corrected of it. HTML,
without streamlit."""

import re
from collections.abc import Sequence
from itertools import pairwise

from markupsafe import Markup

from engine.domain.claims import Claim
from pages.claims.claim_card import stated, truth
from pages.claims.claim_markup import mark_claims
from pages.claims.prose import prose
from pages.decision.debate import ruling
from pages.decision.decision_view import DecisionView
from pages.frame import json_fields, numbers
from pages.frame.cards import card, chip, head, heading, label, tint
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show
from pages.run.view import NodeView
from pages.words.fact_names import fact_name, fact_timeframe

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^\s\d])|(?<=[。！？])|\n+")
_MOST = 220  # characters of a line
_MOST_FIXED = 3
_ORDER = ("judge", "bull", "bear")


def brief_panel(view: DecisionView, show: Show) -> Markup:
    """Return nothing before anybody has spoken."""
    say = show.say
    if not any(view.role(side).text for side in _ORDER):
        return Markup()
    checked = view.checked
    summary = say("verified_of", good=checked.verified, total=checked.verified + checked.false, fixed=checked.false) if checked else ""
    lines = joined(_line(view.role(side), side, view, show) for side in _ORDER)
    return card(
        head(heading(say("three_lines")), label(summary)), markup('<div class="tb-brief">{}</div>', lines), label=say("three_lines")
    )


def _line(node: NodeView, side: str, view: DecisionView, show: Show) -> Markup:
    """Return who, for the judge what it ruled, and the sentence; false statements that do not stand in it follow it."""
    say, claims = show.say, view.checked.said_by(side) if view.checked else ()
    span = telling(node.text, claims)
    top = chip(side, show)
    if side == "judge":
        confidence = json_fields.number(node.result, "confidence")
        sure = label(say("confidence"), numbers.number(confidence)) if confidence is not None and node.state == "done" else ""
        top = markup('<div class="row">{}{}{}</div>', top, ruling(node, show), sure)
    if span is None:
        return markup('<section class="{}">{}<p class="tb-muted">{}</p></section>', tint(side), top, say("silent"))
    inside = _within(claims, span)
    if side != "judge" and view.checked and not any(claim.verdict == "true" for claim in inside):
        words, inside = markup('<p class="tb-muted">{}</p>', say("none_verified")), []
    else:
        words = mark_claims(node.text, claims, show, span=span)
    return markup(
        '<section class="{}">{}{}{}</section>', tint(side), top, words, _fixed([each for each in claims if each not in inside], show)
    )


def _fixed(claims: Sequence[Claim], show: Show) -> Markup:
    """Return `corrected: RSI(14) 28.4 48.6`, the false value struck."""
    false = [claim for claim in claims if claim.verdict == "false"]
    if not false:
        return Markup()
    corrections = [
        markup(
            '{} <span class="tb-claim no"><del>{}</del> <ins>{}</ins></span>',
            " ".join(part for part in (fact_timeframe(claim.key), fact_name(claim.key, show.language)) if part),
            stated(claim, show),
            truth(claim, show),
        )
        for claim in false[:_MOST_FIXED]
    ]
    more = [plain(show.say("and_more", n=len(false) - _MOST_FIXED))] if len(false) > _MOST_FIXED else []
    return markup('<p class="tb-lab">{} {}</p>', show.say("corrected"), Markup(" · ").join(corrections + more))


def telling(text: str, claims: Sequence[Claim]) -> tuple[int, int] | None:
    """Return the sentence to be shown: the one with most that was verified, of equals with least that was false, then the first. None of no
    text."""
    sentences = _sentences(text)
    if not sentences:
        return None

    def weight(span: tuple[int, int]) -> tuple[int, int]:
        verdicts = [claim.verdict for claim in _within(claims, span)]
        return verdicts.count("true"), -verdicts.count("false")

    return max(sentences, key=weight)  # the first of equals


def _within(claims: Sequence[Claim], span: tuple[int, int]) -> list[Claim]:
    return [claim for claim in claims if span[0] <= claim.start < span[1]]


def _sentences(text: str) -> list[tuple[int, int]]:
    """Return spans of code points of what is prose, sentence by sentence, none too long to be one line."""
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
