"""Whom and when the parts of a text speak of, by its layout: what is not about the sheet's own asset now states nothing.

Given the blocks of a text and its items, marks the items of parts that belong to another asset (`other`), to a condition (`hyp`) or to an
earlier day (`hist`), and gives the items below a heading that names a timeframe that timeframe. A heading or a label speaks for everything
below it, until the next one of its depth; a date for its line or its sentence; `For SOL, ...` until its own asset is named again.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from engine.grounding.document.blocks import TextBlock, WrittenDate, read_blocks, read_dates
from engine.grounding.grammar.marking import SKIPPED, MarkedText
from engine.grounding.lexer.item import Item
from engine.grounding.words import categories as c
from engine.grounding.words.lists import cue_pattern, cue_words

_OTHER: Final = "other"
_CONDITION: Final = "hyp"
_PAST: Final = "hist"
_SUBJECTS: Final = frozenset({c.IND, c.TRADE})
_VALUES: Final = frozenset({c.NUM, c.RANGE, c.STATE, c.CMP, c.POST})
_QUIET: Final = frozenset({c.FILL, c.CONJ, c.WEAK, c.AND, c.OPEN, c.CLOSE, c.LINK, c.UNKNOWN})
_BORDERS: Final = frozenset({c.STRONG, c.WEAK, c.CONJ, c.OPEN})
_TURNING: Final = cue_words("turning")
_CONDITIONS: Final = cue_pattern("label_conditions", re.IGNORECASE)
_OTHERS: Final = cue_pattern("label_others", re.IGNORECASE)
_TICKER: Final = cue_pattern("ticker")
_BARE_TICKER: Final = cue_pattern("bare_ticker")
_TITLE_DEPTH: Final = 8
_NEAR: Final = 4


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What a label says of what it stands for; None where it says nothing. is_own: whether it is about the sheet's asset."""

    is_own: bool | None = None
    frame: str | None = None
    mode: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """A text with its items: original: as it was written; places: where each item begins in it; marked: the items."""

    original: str
    places: Sequence[int]
    marked: MarkedText

    def range_of(self, start: int, end: int) -> tuple[int, int]:
        """Return the items [first, last) that begin in the original's [start, end)."""
        return bisect_left(self.places, start), bisect_left(self.places, end)

    def items(self, start: int, end: int) -> list[Item]:
        """Return the items that begin in the original's [start, end)."""
        first, last = self.range_of(start, end)
        return self.marked.items[first:last]


def mark_layout(layout: Layout) -> None:
    """Mark the items of a text by its layout."""
    blocks = read_blocks(layout.original)
    dates = read_dates(layout.original)
    tickers = _bare_tickers(layout, blocks)
    above: list[tuple[int, _Meaning]] = []
    header: list[_Meaning] | None = None
    for before, block in pairwise([None, *blocks]):
        assert block is not None
        left = _left(block, before, above)
        del above[left:]
        meaning = _meaning(layout, block, tickers)
        header = _read_row(layout, block, header) if block.kind == "row" else None
        above.append((block.depth, meaning))
        _mark_block(layout, block, [each for _, each in above])
        if not block.opens and block.kind == "line":
            above.pop()  # what a line's label says is over with its line
    _mark_turns(layout, blocks)
    _mark_dates(layout, blocks, dates)


def _left(block: TextBlock, before: TextBlock | None, above: list[tuple[int, _Meaning]]) -> int:
    """Return how many of the blocks above still speak for this one."""
    left = next((number for number, (depth, _) in enumerate(above) if depth >= block.depth), len(above))
    closes = block.kind == "line" and not block.opens and block.after_gap and before is not None and before.kind == "item"
    if closes:  # a paragraph behind the list of a titled part begins something else
        left = min(left, next((number for number, (depth, _) in enumerate(above) if depth >= _TITLE_DEPTH), left))
    return left


def _bare_tickers(layout: Layout, blocks: list[TextBlock]) -> frozenset[str]:
    """Return the words in capitals that labels begin with, where at least one label names an asset that is known."""
    found, known = set(), False
    for block in blocks:
        if block.label is None:
            continue
        text = layout.original[slice(*block.label)]
        first = _BARE_TICKER.search(text.replace("*", "").replace("#", ""))
        items = layout.items(*block.label)
        named = any(item.cat == c.ASSET for item in items)
        known = known or named
        if first is not None and not any(item.cat in {c.IND, c.FRAME} for item in items):
            found.add(first["a"])
    return frozenset(found) if known else frozenset()


def _meaning(layout: Layout, block: TextBlock, tickers: frozenset[str]) -> _Meaning:
    if block.label is None:
        return _Meaning()
    text, items = layout.original[slice(*block.label)], layout.items(*block.label)
    names_fact = any(item.cat in _SUBJECTS for item in items)
    frames = {str(item.val) for item in items if item.cat == c.FRAME}
    return _Meaning(
        is_own=_is_own(layout, text, items, tickers),
        frame=next(iter(frames)) if len(frames) == 1 and not names_fact else None,
        mode=_CONDITION if _CONDITIONS.search(text) else "",
    )


def _is_own(layout: Layout, text: str, items: list[Item], tickers: frozenset[str]) -> bool | None:
    """Return whether a label names the sheet's own asset; False where it names only others, None where it names none."""
    own = layout.marked.own
    named = {str(item.val) for item in items if item.cat == c.ASSET}
    written = {(match["a"] or match["b"] or match["c"]).lower() for match in _TICKER.finditer(text)}
    first = _BARE_TICKER.search(text.replace("*", "").replace("#", ""))
    if first is not None and first["a"] in tickers:
        written.add(first["a"].lower())
    if (named | written) & own:
        return True
    known = {name for name in written if name not in {"long", "short", "buy", "sell", "hold", "wait"} and not _is_indicator(items, name)}
    return False if named or known or _OTHERS.search(text) else None


def _is_indicator(items: list[Item], name: str) -> bool:
    return any(item.cat in {c.IND, c.FRAME, c.SIDE} for item in items) or len(name) < 2


def _mark_block(layout: Layout, block: TextBlock, above: list[_Meaning]) -> None:
    """Mark the items of a block by its own label and the ones above."""
    first, last = layout.range_of(block.start, block.end)
    is_own = next((each.is_own for each in reversed(above) if each.is_own is not None), None)
    frame = next((each.frame for each in reversed(above) if each.frame is not None), None)
    if is_own is False:
        layout.marked.mark(first, last, _OTHER)
        return
    if frame is not None:
        for item in layout.marked.items[first:last]:
            item.frame = frame
    body = bisect_left(layout.places, block.label[1]) if block.label is not None else first
    if above[-1].mode:
        end = next((at for at in range(body, last) if layout.marked.items[at].cat == c.STRONG), last)
        layout.marked.mark(first, end, above[-1].mode)
    elif inherited := next((each.mode for each in reversed(above) if each.mode), ""):
        layout.marked.mark(first, last, inherited)


def _read_row(layout: Layout, block: TextBlock, header: list[_Meaning] | None) -> list[_Meaning] | None:
    """Mark the cells of a table row that belong to others, by its first cell and by its columns; return what the columns mean."""
    cells = _cells(layout.original, block)
    meanings = [_cell(layout, start, end) for start, end in cells]
    if header is None:
        return meanings
    if meanings and meanings[0].is_own is False:
        layout.marked.mark(*layout.range_of(block.start, block.end), _OTHER)
    for number, (start, end) in enumerate(cells):
        column = header[number] if number < len(header) else _Meaning()
        first = number or any(item.cat in {c.CMP, c.POST} for item in layout.items(start, end))
        if column.is_own is False or (column.mode and first):
            layout.marked.mark(*layout.range_of(start, end), column.mode or _OTHER)
    return header


def _cell(layout: Layout, start: int, end: int) -> _Meaning:
    text, items = layout.original[start:end], layout.items(start, end)
    named = {str(item.val) for item in items if item.cat == c.ASSET}
    mode = _CONDITION if _CONDITIONS.search(text) and not any(item.cat == c.NUM for item in items) else ""
    if named & layout.marked.own:
        return _Meaning(True, mode=mode)
    return _Meaning(False if named or _OTHERS.search(text) else None, mode=mode)


def _cells(text: str, block: TextBlock) -> list[tuple[int, int]]:
    borders = [at for at in range(block.start, block.end) if text[at] == "|" and text[at - 1 : at] != "\\"]
    ends = [*borders[1:], block.end] if borders else []
    return [(start + 1, end) for start, end in zip(borders, ends, strict=True) if end > start + 1]


def _mark_turns(layout: Layout, blocks: list[TextBlock]) -> None:
    """Read `For SOL, it's at 179.84. The RSI is 17.5.`: the sentences go on about it, until the own asset is named."""
    text = layout.marked
    for block in blocks:
        first, last = layout.range_of(block.start, block.end)
        about_other = bracketed = False
        for index in range(first, last):
            item = text.items[index]
            if bracketed and item.cat == c.CLOSE:
                about_other = bracketed = False
            if item.cat == c.ASSET:
                if str(item.val) in text.own:
                    about_other = False
                elif _turns_to(text, first, index, last):
                    about_other, bracketed = True, index > first and text.items[index - 1].cat == c.OPEN
            elif text.word(index) in {"ours", "mine", "here"}:
                about_other = False
            if about_other:
                text.mark(index, index + 1, _OTHER)


def _turns_to(text: MarkedText, first: int, index: int, last: int) -> bool:
    """Return whether the asset at `index` becomes what is spoken of: `For SOL,`, `As for ETH:`, `ETH: RSI 48`."""
    behind = next((text.items[at] for at in range(index + 1, min(index + 3, last)) if text.items[at].cat not in {c.FILL}), None)
    if behind is None:
        return False
    before = index - 1
    while before >= first and text.items[before].cat == c.FILL and text.word(before) not in _TURNING:
        before -= 1
    begins = before < first or text.items[before].cat in {c.STRONG, c.WEAK, c.OPEN, c.CONJ}
    if behind.val == "colon":
        return begins
    led = before >= first and text.word(before) in _TURNING
    opens = before - 1 < first or text.items[before - 1].cat in {c.STRONG, c.WEAK, c.CONJ, c.FILL, c.UNKNOWN}
    return led and opens and behind.cat in {c.WEAK, c.IT, c.IND}


def _mark_dates(layout: Layout, blocks: list[TextBlock], dates: list[WrittenDate]) -> None:
    """Mark what is said of any day but the newest that the text names."""
    newest = max((date.instant for date in dates), default=(0, 0, 0))
    starts = [block.start for block in blocks]
    past = [date for date in dates if date.instant != newest]
    for date in past:
        block = blocks[max(0, bisect_left(starts, date.start + 1) - 1)]
        later = min((each.start for each in dates if date.end <= each.start < block.end), default=block.end)
        if block.label is not None and date.start < block.label[1]:
            first, last = layout.range_of(block.start, later)
            layout.marked.mark(first, last, _PAST)
        else:
            _mark_dated(layout, block, date, later)


def _mark_dated(layout: Layout, block: TextBlock, date: WrittenDate, later: int) -> None:
    """Mark what a date in the middle of a line belongs to: all behind it where it opens a sentence, the name right behind it, else the
    values before it."""
    text = layout.marked
    first, last = layout.range_of(block.start, block.end)
    at, end = layout.range_of(date.start, later)
    opened = at
    while opened > first and text.items[opened - 1].cat in _QUIET:
        opened -= 1
    if opened == first or text.items[opened - 1].cat == c.STRONG:
        stop = next((index for index in range(at, min(end, last)) if text.items[index].cat == c.STRONG), min(end, last))
        text.mark(opened, stop, _PAST)
        return
    named = next((index for index in range(at, min(at + _NEAR, last)) if text.items[index].cat in _SUBJECTS), None)
    if named is not None and all(text.items[index].cat in {c.UNKNOWN, c.FILL, c.NUM} for index in range(at, named)):
        stop = next((index for index in range(named, last) if text.items[index].cat in _BORDERS), last)
        text.mark(named, stop, _OTHER)  # `the May 14 close of $235.20`
        return
    _skip(text, _values_before(text, first, at))
    _skip(text, list(range(at, _newer(text, at, last))))  # `72 (May 13), 76, then 64`: up to the last one
    if block.label is not None:  # `RSI reached overbought: 72 (May 13), then 64 on May 15`
        _skip(text, list(range(*layout.range_of(*block.label))))


def _skip(text: MarkedText, places: Sequence[int]) -> None:
    for index in places:
        if text.items[index].cat in _VALUES:
            text.mark(index, index + 1, SKIPPED)


def _values_before(text: MarkedText, first: int, at: int) -> list[int]:
    """Return the items of values that a date behind them is the date of: back to the name, the bracket or the sentence they stand in."""
    found: list[int] = []
    for index in range(at - 1, first - 1, -1):
        item = text.items[index]
        far = item.cat in {c.IND, c.WEAK} and at - index > _NEAR
        if item.cat in {c.STRONG, c.TO} or far or (found and item.cat == c.OPEN):
            break
        found += [index] if item.cat in _VALUES else []
    return found


def _newer(text: MarkedText, at: int, last: int) -> int:
    """Return where a path of values comes to its newest one; `at` where it is no path."""
    end = next((index for index in range(at, last) if text.items[index].cat == c.STRONG), last)
    return next((index for index in range(end - 1, at, -1) if text.items[index].cat in {c.THEN, c.TO} or text.word(index) == "→"), at)
