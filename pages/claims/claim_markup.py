"""Given a role's text and the claims found in it, gives HTML: the words as they were said, with the claims in them marked.

Every character of the text is escaped; only the tags written here are markup, so nothing a model writes can be an element, a
link or an image. Offsets are code points of the original text. Where claims overlap the graver verdict is shown:
false, moved, unverifiable, true.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from engine.api import role_of
from engine.domain.claims import Claim
from pages.claims.claim_card import aria, card, truth
from pages.claims.disputing import drawn_verdict
from pages.claims.prose import Block, Span, prose
from pages.claims.stepped import to_step
from pages.frame.escape import joined, markup, plain, visible
from pages.frame.numbers import restyled, restyled_prose
from pages.frame.show import Show

_GRAVITY = {"false": 0, "moved": 1, "unverifiable": 2, "true": 3}
_AROUND = {
    "p": (Markup("<p>"), Markup("</p>")),
    "li": (Markup("<li>"), Markup("</li>")),
    "item": (Markup('<p class="tb-item">'), Markup("</p>")),
    "h": (Markup('<p class="tb-sub">'), Markup("</p>")),
}
_LIST = Markup("<ul>"), Markup("</ul>")
_LOOK = {"false": "no", "moved": "mv", "unverifiable": "un", "true": "ok"}


@dataclass(frozen=True, slots=True)
class Mark:
    """A span of the text that is marked. claim: None = found but not checked yet. name: what `data-claim` says."""

    start: int
    end: int
    claim: Claim | None
    name: str


@dataclass(frozen=True, slots=True)
class GrowingBlock:
    """A block of a text that is still being written, in plain strings: no HTML. kind: as of `Block`. pieces: (look, words), where a look
    is made of `b` bold and `p` a claim not checked yet, and `br` begins a line."""

    kind: str
    pieces: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of characters with one look."""

    start: int
    end: int
    bold: bool
    mark: Mark | None


def mark_claims(
    text: str,
    claims: Iterable[Claim],
    show: Show,
    *,
    span: tuple[int, int] | None = None,
    pending: Sequence[tuple[int, int]] = (),
    growing: bool = False,
) -> Markup:
    """Return the prose of `text` (or of its part `span`) as HTML paragraphs, claims marked.

    claims: those of this text's speaker. pending: spans not checked yet. growing: the role is still writing; a caret is at the end.
    """
    placed = [(claim, 0) for claim in claims]
    return _mark(text, place_marks(placed, pending, len(text)), show, span or (0, len(text)), growing=growing)


def _mark(text: str, marks: Sequence[Mark], show: Show, span: tuple[int, int], *, growing: bool = False) -> Markup:
    blocks = prose(text, *span, growing=growing)
    lines = [[_pieces(line, marks) for line in block.lines] for block in blocks]
    last = {piece.mark.name: piece for block in lines for line in block for piece in line if piece.mark is not None}
    caret = Markup('<span class="tb-caret"></span>') if growing else ""
    rendered = [
        Markup("<br>").join(_line(text, line, last, show) for line in block) + (caret if index == len(blocks) - 1 else "")
        for index, block in enumerate(lines)
    ]
    if not blocks:
        return markup("<p>{}</p>", caret) if caret else Markup()
    return _wrap(blocks, rendered)


def growing_blocks(text: str, span: tuple[int, int], pending: Sequence[tuple[int, int]]) -> tuple[GrowingBlock, ...]:
    """Return what `mark_claims` shows of `text[span]` while it is being written, for a browser that draws it by itself."""
    marks = place_marks((), pending, len(text))
    return tuple(
        GrowingBlock(
            block.kind, tuple(piece for n, line in enumerate(block.lines) for piece in _growing_pieces(text, line, marks, later=n > 0))
        )
        for block in prose(text, *span, growing=True)
    )


def _growing_pieces(text: str, line: Sequence[Span], marks: Sequence[Mark], *, later: bool) -> list[tuple[str, str]]:
    drawn = [
        ("b" * piece.bold + "p" * (piece.mark is not None), visible(_shown(text[piece.start : piece.end], piece.mark)))
        for piece in _pieces(line, marks)
    ]
    return [("br", ""), *drawn] if later else drawn


def _shown(said: str, mark: Mark | None) -> str:
    """Return words of a text that has not been checked, with their numbers as everywhere on the desk."""
    return restyled_prose(said) if mark is None else restyled(said)


def quoted(words: str, text: str, claims: Iterable[Claim], show: Show) -> Markup:
    """Return `words`, which a role said somewhere in `text`, marked as they are there. claims: of `text`.

    Where they are not in it unchanged (a field of a JSON answer), a claim is marked wherever its own words are.
    """
    at = text.find(words)
    if at >= 0:
        placed = [(claim, -at) for claim in claims if at <= claim.start and claim.end <= at + len(words)]
    else:
        placed = [(claim, where - claim.start) for claim in claims for where in _occurrences(claim.text, words)]
    return _mark(words, place_marks(placed, (), len(words)), show, (0, len(words)))


def _occurrences(part: str, text: str) -> list[int]:
    """Return where a part begins, each time it is there."""
    found, at = [], text.find(part) if part else -1
    while at >= 0:
        found.append(at)
        at = text.find(part, at + len(part))
    return found


def place_marks(placed: Iterable[tuple[Claim, int]], pending: Sequence[tuple[int, int]], length: int) -> tuple[Mark, ...]:
    """Return marks in reading order that do not overlap. placed: claims with the distance of each from its own place. A claim is marked on
    its value, or on all of it where the value's span is not usable."""
    wanted = []
    for index, (claim, by) in enumerate(placed):
        start, end = claim.value_start, claim.value_end
        if not claim.start <= start < end <= claim.end:
            start, end = claim.start, claim.end
        start, end = start + by, end + by
        if 0 <= start < end <= length:
            wanted.append((_GRAVITY[claim.verdict], start, Mark(start, end, claim, f"{role_of(claim.source)}-{index}")))
    wanted += [(4, start, Mark(start, end, None, f"pending-{start}")) for start, end in pending if 0 <= start < end <= length]
    kept: list[Mark] = []
    for _, _, mark in sorted(wanted, key=lambda item: item[:2]):
        if all(mark.end <= other.start or mark.start >= other.end for other in kept):
            kept.append(mark)
    return tuple(sorted(kept, key=lambda mark: mark.start))


def _pieces(line: Sequence[Span], marks: Sequence[Mark]) -> list[Piece]:
    pieces = []
    for span in line:
        at = span.start
        for mark in marks:
            start, end = max(mark.start, span.start), min(mark.end, span.end)
            if start >= end:
                continue
            if at < start:
                pieces.append(Piece(at, start, span.bold, None))
            pieces.append(Piece(start, end, span.bold, mark))
            at = end
        if at < span.end:
            pieces.append(Piece(at, span.end, span.bold, None))
    return pieces


def _line(text: str, pieces: Sequence[Piece], last: dict[str, Piece], show: Show) -> Markup:
    """Return one line; neighbouring pieces of one mark become one element."""
    out, index = [], 0
    while index < len(pieces):
        mark, stop = pieces[index].mark, index + 1
        while mark is not None and stop < len(pieces) and pieces[stop].mark is mark:
            stop += 1
        words = joined(_words(text, piece, show) for piece in pieces[index:stop])
        out.append(words if mark is None else _marked(mark, words, text, show, complete=last[mark.name] is pieces[stop - 1]))
        index = stop
    return joined(out)


def _words(text: str, piece: Piece, show: Show) -> Markup:
    said = text[piece.start : piece.end]
    words = plain(restyled_prose(said) if piece.mark is None else _figures(said, piece.mark, show))
    return markup("<strong>{}</strong>", words) if piece.bold else words


def _figures(said: str, mark: Mark, show: Show) -> str:
    """Return marked words with their numbers as everywhere on the desk; the record keeps its own."""
    return restyled(said if mark.claim is None else to_step(said, mark.claim, show))


def _marked(mark: Mark, words: Markup, text: str, show: Show, *, complete: bool) -> Markup:
    claim = mark.claim
    if claim is None:
        return markup('<span class="tb-claim pend" title="{}">{}</span>', show.say("pending"), words)
    stated = text[mark.start : mark.end]
    fact = show.facts.get(claim.key)
    time = markup(' data-time="{}"', fact.bar_time) if fact is not None and fact.bar_time is not None else ""
    verdict, holds_button = drawn_verdict(claim, show), show.disputing and claim.is_struck
    opening = markup(
        '<span class="tb-claim {}" tabindex="0" role="{}" data-claim="{}" data-key="{}"{} aria-label="{}">',
        _LOOK[verdict] + (" uc" if claim.confirmed == "unconfirmed" else ""),
        "group" if holds_button else "button",
        mark.name,
        claim.key,
        time,
        aria(claim, _figures(stated, mark, show), show),
    )
    said = markup("<del>{}</del>", words) if verdict == "false" else words
    if not complete:
        return markup("{}{}</span>", opening, said)
    is_other = verdict == "false" or (verdict == "moved" and claim.has_moved)
    fix = (
        markup('<span class="tb-sr tb-to"> → </span><ins>{}</ins>', truth(claim, show)) if is_other else ""
    )  # so that a copy reads as two values
    return markup("{}{}{}{}</span>", opening, said, fix, card(claim, stated, show))


def _wrap(blocks: Sequence[Block], rendered: Sequence[Markup]) -> Markup:
    out, in_list = list[Markup](), False
    for block, words in zip(blocks, rendered, strict=True):
        if (block.kind == "li") != in_list:
            in_list = not in_list
            out.append(_LIST[0] if in_list else _LIST[1])
        opening, closing = _AROUND[block.kind]
        out.append(opening + words + closing)
    return joined(out) + (_LIST[1] if in_list else Markup())
