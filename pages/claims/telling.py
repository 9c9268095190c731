"""Of what someone said, the one sentence that argues most for their own side, and what was false of the rest: for readers without the time
for all of it. HTML, without streamlit."""

import re
from collections.abc import Sequence
from itertools import pairwise

from markupsafe import Markup

from engine.domain.claims import Claim
from pages.claims.claim_card import stated, struck_value, truth
from pages.claims.claim_markup import mark_claims
from pages.claims.prose import prose
from pages.claims.reading import named
from pages.frame.cards import card, head, heading, label, tint
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show

Span = tuple[int, int]
"""Code points of a text, from and to."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^\s\d])|(?<=[。！？])|\n+")
_CONCEDES = re.compile(
    r"\b(?:to be fair|in (?:all )?fairness|fair enough|granted|admittedly|i (?:\w+ ){0,2}(?:grant|concede|admit|acknowledge|allow)"
    r"|(?:other|opposing|losing|opposite) side(?: still)?(?: (?:has|have|keeps?|gets?|scores?|wins?|is right|this)\b|:)"
    r"|(?:speaks?|counts?|argues?|works?|goes) against (?:me|us|my|our)\b|against it stands|on the other scale|points? elsewhere"
    r"|can(?: ?not|['’]t) (?:argue away|deny|dispute|dismiss|ignore)"
    r"|(?:bulls?|bears?|opponents?|colleagues?) (?:has|have|makes?) (?:an? |one )?(?:good |fair |valid |real )?points?\b)"
    r"|公允地说|平心而论|公平地说|承认|不可否认|无可否认|诚然|固然|对(?:我|我方|本方)不利|对方.{0,4}有|让给对方|辩不掉|无法(?:反驳|否认)"
    r"|与之相对的|天平另一端|落败一方|另一边还能|指向别处",
    re.IGNORECASE,
)
"""How people give a point to the other side, in either language."""
_SIDES = {
    "bull": re.compile(r"\b(?:buyers?|bulls?|bullish|upside)\b|买方|多方|多头|上行|看多|做多|看涨", re.IGNORECASE),
    "bear": re.compile(r"\b(?:sellers?|bears?|bearish|downside)\b|卖方|空方|空头|下行|看空|做空|看跌", re.IGNORECASE),
}
"""Whose words a sentence uses."""
_MOST = 220  # characters of a line
_MOST_FIXED = 3


def corrections(claims: Sequence[Claim], show: Show) -> Markup:
    """Return `corrected: RSI(14) 28.4 48.6`, the false value struck, dotted where that is disputed; "" where none is false."""
    false = [claim for claim in claims if claim.verdict == "false"]
    if not false:
        return Markup()
    fixed = [markup("{} {}", named(claim, show), _fixed(claim, show)) for claim in false[:_MOST_FIXED]]
    more = [plain(show.say("and_more", n=len(false) - _MOST_FIXED))] if len(false) > _MOST_FIXED else []
    return markup('<p class="tb-lab">{} {}</p>', show.say("corrected"), Markup(" · ").join(fixed + more))


def _fixed(claim: Claim, show: Show) -> Markup:
    value = struck_value(claim, stated(claim, show), show)
    if show.dispute(claim) is not None:
        return value
    return markup('<span class="tb-claim no">{} <ins>{}</ins></span>', value, truth(claim, show))


def brief_card(title: str, summary: str, lines: Sequence[Markup]) -> Markup:
    """Return the argument in a few lines."""
    return card(head(heading(title), label(summary)), markup('<div class="tb-brief">{}</div>', joined(lines)), label=title)


def brief_line(role: str, top: Markup, text: str, claims: Sequence[Claim], span: Span | None, show: Show, *, sure: bool = False) -> Markup:
    """Return the sentence of one speaker, then the false statements that are not in it. top: who, and what was ruled. span: of it, None
    where none was said. sure: it is shown only where something in it was verified."""
    if span is None:
        words, left = _muted("only_concedes" if text.strip() else "silent", show), list[Claim]()
    elif sure and not any(claim.verdict == "true" for claim in within(claims, span)):
        words, left = _muted("none_verified", show), list(claims)
    else:
        inside = within(claims, span)
        words, left = mark_claims(text, claims, show, span=span), [claim for claim in claims if claim not in inside]
    return markup('<section class="{}">{}{}{}</section>', tint(role), top, words, corrections(left, show))


def _muted(key: str, show: Show) -> Markup:
    return markup('<p class="tb-muted">{}</p>', show.say(key))


def telling(text: str, claims: Sequence[Claim], side: str = "", *, leans: bool = True) -> Span | None:
    """Return the sentence to be shown: one that concedes no point, with verified values in the words of its own side, then the one with
    most that was verified, with least that was false, the first. side: `bull` or `bear`; anyone who speaks for neither may be shown
    conceding where nothing else was said. leans: whether the words of a sentence tell for which side it argues. None where there is no
    such sentence."""
    sentences = _sentences(text)
    own = [span for span in sentences if not _CONCEDES.search(text, *span)]
    shown = own if own or side in _SIDES else sentences

    def weight(span: tuple[int, int]) -> tuple[bool, int, int]:
        verdicts = [claim.verdict for claim in within(claims, span)]
        true = verdicts.count("true")
        return true > 0 and (not leans or _lean(text[slice(*span)], side) >= 0), true, -verdicts.count("false")

    return max(shown, key=weight, default=None)  # the first of equals


def _lean(sentence: str, side: str) -> int:
    """Return how much more a sentence speaks in the words of its own side than of the other; 0 where there are no sides."""
    if side not in _SIDES:
        return 0
    other = "bear" if side == "bull" else "bull"
    return len(_SIDES[side].findall(sentence)) - len(_SIDES[other].findall(sentence))


def passage(text: str, claims: Sequence[Claim], side: str = "") -> Span | None:
    """Return that sentence with those around it that there is room for, whole ones that concede nothing, what follows first. None as
    of `telling`."""
    best, sentences = telling(text, claims, side), _sentences(text)
    if best is None:
        return None
    first = last = sentences.index(best)

    def fits(begin: int, end: int, added: int) -> bool:
        return sentences[end][1] - sentences[begin][0] <= _MOST and not _CONCEDES.search(text, *sentences[added])

    while last + 1 < len(sentences) and fits(first, last + 1, last + 1):
        last += 1
    while first and fits(first - 1, last, first - 1):
        first -= 1
    return sentences[first][0], sentences[last][1]


def within(claims: Sequence[Claim], span: tuple[int, int]) -> list[Claim]:
    """Return the claims that begin in a span."""
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
