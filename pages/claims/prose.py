"""Given a role's answer, gives what is to be read of it: paragraphs, lists and headings as spans of code points of that very text.

A small subset of Markdown is understood (bold, bullets, headings); links, images and HTML are ordinary characters. Nothing is rewritten,
only marks and what is no prose are left out, so offsets of claims stay true. Left out: `<think>` parts, and the closing `key: value`
block, which is the role's vote and shown as figures.
"""

import re
from dataclasses import dataclass
from typing import Literal

VOTE_KEYS = (
    *("direction", "confidence", "support", "resistance", "verdict", "adjustment_pct"),
    *("action", "quantity", "limit_price", "stop_price", "target_price"),
)

SECTIONS = {
    "decision": ("decision", "决策"),
    "risk_management": ("risk management", "风险管理"),
    "adjustment": ("adjustment", "调整参数"),
    "reasoning": ("reasoning", "决策理由"),
    "key_factors": ("key factors", "关键因素"),
    "risk": ("risk assessment", "风险评估"),
}

_HEADING = re.compile(r"[ \t]*(?:#{1,6}[ \t]+|\*\*)?[\[【](?P<name>[^\]】\n]{1,40})[\]】](?:\*\*)?(?P<rest>[^\n]*)")
_HASHES = re.compile(r"[ \t]*#{1,6}[ \t]+(?P<name>[^\n]+?)[ \t]*#*[ \t]*")
_BULLET = re.compile(r"[ \t]*[-*•·][ \t]+(?=\S)")
_NUMBER = re.compile(r"[ \t]*\d{1,2}(?:[.)][ \t]|、)(?=\s*\S)")
_BOLD = re.compile(r"\*\*(?=\S)([^\n]+?)(?<=\S)\*\*")
_RULE = re.compile(r"[ \t]*(?:-{3,}|\*{3,}|_{3,}|`{3,}\w*)[ \t]*")
_THINK = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_VOTE = re.compile(rf"[ \t]*(?:[-*•>][ \t]+)?[*_`]*(?:{'|'.join(VOTE_KEYS)})[*_`]*[ \t]*[:：].*", re.IGNORECASE)
_SENTENCE = re.compile(r".+?(?:[.!?](?=\s|$)|[。！？]|$)", re.DOTALL)
_ENDS = re.compile(r"[.!?](?=\s)|[。！？]|\n")
_VOTE_BEGUN = re.compile(r"[ \t]*[*`]*(?P<key>[A-Za-z_]{1,20})[*`]*[ \t]*")


@dataclass(frozen=True, slots=True)
class Span:
    """Code points [start, end) that are shown."""

    start: int
    end: int
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph `p` of lines, a bullet `li`, a numbered line `item`, or a heading `h`."""

    kind: Literal["p", "li", "item", "h"]
    lines: tuple[tuple[Span, ...], ...]


def prose(text: str, start: int = 0, end: int | None = None, *, growing: bool = False) -> tuple[Block, ...]:
    """Return the blocks of `text[start:end]`, with offsets into `text`. growing: more is to come, so a vote or a bold mark may be half
    written."""
    stop = len(text) if end is None else end
    stop = min(stop, vote_start(text[:stop], growing=growing))
    blocks: list[Block] = []
    paragraph: list[tuple[Span, ...]] = []

    def close() -> None:
        if paragraph:
            blocks.append(Block("p", tuple(paragraph)))
            paragraph.clear()

    for at, line_end in _lines(text, start, stop):
        line = text[at:line_end]
        kind, inner_start, inner_end = _shape(line)
        spans = _inline(text, at + inner_start, at + inner_end, growing=growing)
        if kind == "p" and spans:
            paragraph.append(spans)
            continue
        close()
        if kind != "p" and spans:
            blocks.append(Block(kind, (spans,)))
    close()
    return tuple(blocks)


def first_sentence(text: str) -> tuple[str, int]:
    """Return the first sentence of a text and where it begins; "" of none."""
    start = len(text) - len(text.lstrip())
    found = _SENTENCE.match(text, start)
    return (found.group().rstrip(), start) if found else ("", 0)


def finished_sentences(text: str) -> int:
    """Return where the last sentence ends that a growing text has finished; 0 while it has finished none."""
    return max((found.end() for found in _ENDS.finditer(text)), default=0)


def vote_start(text: str, *, growing: bool = False) -> int:
    """Return where the closing block of `key: value` lines begins, with the heading over it, or the text's length."""
    lines = [(at, text[at:end]) for at, end in _plain_lines(text, 0, len(text))]
    begin, seen = len(text), False
    if growing and lines and _vote_begun(lines[-1][1], first=len(lines) == 1):
        begin, seen = lines.pop()[0], True
    while lines:
        at, line = lines[-1]
        if _VOTE.fullmatch(line):
            seen = True
        elif line.strip() and not _RULE.fullmatch(line):
            break
        begin = at
        lines.pop()
    if not seen:
        return len(text)
    if lines and (_HEADING.fullmatch(lines[-1][1]) or _HASHES.fullmatch(lines[-1][1])) and not _section(lines[-1][1]):
        begin = lines[-1][0]
    return begin


def sections(text: str) -> dict[str, tuple[int, int]]:
    """Return the executor's sections, in either language: name -> [start, end) of what is under the heading. The last of a name
    wins."""
    heads = [(name, at, end) for at, end in _plain_lines(text, 0, len(text)) if (name := _section(text[at:end]))]
    ends = [*(at for _, at, _ in heads[1:]), len(text)][: len(heads)]
    return {name: (min(end + 1, stop), stop) for (name, _, end), stop in zip(heads, ends, strict=True)}


def _section(line: str) -> str | None:
    found = _HEADING.fullmatch(line)
    name = found["name"].strip().lower() if found else ""
    return next((key for key, names in SECTIONS.items() if name in names), None)


def _vote_begun(line: str, *, first: bool) -> bool:
    found = _VOTE_BEGUN.fullmatch(line)
    return not first and found is not None and any(key.startswith(found["key"].lower()) for key in VOTE_KEYS)


def _plain_lines(text: str, start: int, stop: int) -> list[tuple[int, int]]:
    found, at = [], start
    while at <= stop:
        end = text.find("\n", at, stop)
        end = stop if end < 0 else end
        found.append((at, end))
        at = end + 1
    return found


def _lines(text: str, start: int, stop: int) -> list[tuple[int, int]]:
    """Lines of [start, stop) with the `<think>` parts cut out."""
    found, at = [], start
    for hidden in _THINK.finditer(text, start, stop):
        found += _plain_lines(text, at, hidden.start())
        at = hidden.end()
    return found + _plain_lines(text, at, stop)


def _shape(line: str) -> tuple[Literal["p", "li", "item", "h"], int, int]:
    if _RULE.fullmatch(line):
        return "p", 0, 0
    heading = _HEADING.fullmatch(line)
    if heading and not heading["rest"].strip():
        return "h", *heading.span("name")
    hashes = _HASHES.fullmatch(line)
    if hashes:
        return "h", *hashes.span("name")
    bullet = _BULLET.match(line)
    if bullet:
        return "li", bullet.end(), len(line)
    return ("item" if _NUMBER.match(line) else "p"), 0, len(line)


def _inline(text: str, start: int, stop: int, *, growing: bool) -> tuple[Span, ...]:
    """Return spans of one line without its bold marks."""
    while start < stop and text[start].isspace():
        start += 1
    while stop > start and text[stop - 1].isspace() and not growing:
        stop -= 1
    spans, at = [], start
    for bold in _BOLD.finditer(text, start, stop):
        spans += [Span(at, bold.start()), Span(*bold.span(1), bold=True)]
        at = bold.end()
    half = text.find("**", at, stop) if growing else -1
    if half >= 0:
        spans += [Span(at, half), Span(half + 2, stop, bold=True)]
    else:
        spans.append(Span(at, stop))
    return tuple(span for span in spans if span.start < span.end)
