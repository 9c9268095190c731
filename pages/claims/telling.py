"""Of what somebody said, the one sentence that tells most, and what was false of the rest: for whoever has no time for all of it. HTML,
without streamlit."""

import re
from collections.abc import Sequence
from itertools import pairwise

from markupsafe import Markup

from engine.domain.claims import Claim
from pages.claims.claim_card import stated, truth
from pages.claims.prose import prose
from pages.frame.escape import markup, plain
from pages.frame.show import Show
from pages.words.fact_names import fact_name, fact_timeframe

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^\s\d])|(?<=[。！？])|\n+")
_MOST = 220  # characters of a line
_MOST_FIXED = 3


def corrections(claims: Sequence[Claim], show: Show) -> Markup:
    """Return `corrected: RSI(14) 28.4 48.6`, the false value struck; "" where none is false."""
    false = [claim for claim in claims if claim.verdict == "false"]
    if not false:
        return Markup()
    fixed = [
        markup(
            '{} <span class="tb-claim no"><del>{}</del> <ins>{}</ins></span>',
            " ".join(part for part in (fact_timeframe(claim.key), fact_name(claim.key, show.language)) if part),
            stated(claim, show),
            truth(claim, show),
        )
        for claim in false[:_MOST_FIXED]
    ]
    more = [plain(show.say("and_more", n=len(false) - _MOST_FIXED))] if len(false) > _MOST_FIXED else []
    return markup('<p class="tb-lab">{} {}</p>', show.say("corrected"), Markup(" · ").join(fixed + more))


def telling(text: str, claims: Sequence[Claim]) -> tuple[int, int] | None:
    """Return the sentence to be shown: the one with most that was verified, of equals with least that was false, then the first. None of no
    text."""
    sentences = _sentences(text)
    if not sentences:
        return None

    def weight(span: tuple[int, int]) -> tuple[int, int]:
        verdicts = [claim.verdict for claim in within(claims, span)]
        return verdicts.count("true"), -verdicts.count("false")

    return max(sentences, key=weight)  # the first of equals


def passage(text: str, claims: Sequence[Claim]) -> tuple[int, int] | None:
    """Return that sentence with those around it that there is room for, whole ones, what follows first. None of no text."""
    best, sentences = telling(text, claims), _sentences(text)
    if best is None:
        return None
    first = last = sentences.index(best)
    while last + 1 < len(sentences) and sentences[last + 1][1] - sentences[first][0] <= _MOST:
        last += 1
    while first and sentences[last][1] - sentences[first - 1][0] <= _MOST:
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
