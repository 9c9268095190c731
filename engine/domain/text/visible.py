"""Text from a model, a venue or a person without what hides, reorders or commands: for pages, terminals, messages and logs alike."""

import re
from collections.abc import Iterable

SHOWN_INSTEAD = "\ufffd"


def _table() -> dict[int, str]:
    control = {code for code in (*range(0x20), *range(0x7F, 0xA0)) if code not in (0x09, 0x0A)}
    reorders = {0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}  # could make a price read backwards
    unseen = {0x00AD, 0x180E, 0x200B, 0xFEFF, *range(0x2060, 0x2065), *range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080)}
    surrogates = range(0xD800, 0xE000)  # cannot be sent as UTF-8
    table = dict.fromkeys([*control, *reorders, *unseen, *surrogates], SHOWN_INSTEAD)
    spaces = {0x0B, 0x0C, *range(0x1C, 0x20), 0x85, 0x2028, 0x2029}
    return table | dict.fromkeys(spaces, " ") | {0x0D: ""}


_TABLE = _table()
_LINE = _TABLE | dict.fromkeys((0x09, 0x0A, 0x0D), " ")


def _ranges(codes: Iterable[int]) -> str:
    """Return the codes as the inside of a character class; short, because every start of the shell compiles it."""
    edges: list[list[int]] = []
    for code in sorted(codes):
        if edges and edges[-1][1] == code - 1:
            edges[-1][1] = code
        else:
            edges.append([code, code])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in edges)


_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]")
_HIDDEN = re.compile(f"[{_ranges(_TABLE)}]")


def visible(text: str) -> str:
    """Return the text without characters that hide or reorder others: each is replaced by U+FFFD, odd line
    ends by a space, and a carriage return is dropped."""
    return text.translate(_TABLE)


def one_line(text: str) -> str:
    """Return the visible text with a space for every line end and tab: nothing in it begins a line of its own."""
    return text.translate(_LINE)


def shortened(text: str, most: int) -> str:
    """Return the text, or its beginning with an ellipsis, at most `most` characters long. No word or number is cut, unless it alone is
    longer."""
    return text if len(text) <= most else text[: word_end(text, most - 1)] + "…"


def word_end(text: str, most: int) -> int:
    """Return how much of a text fits into so many characters without a word or a number cut; `most` where its first word is longer."""
    if len(text) <= most:
        return len(text)
    end = most
    if not _parts(text[most]):
        while end and not _parts(text[end - 1]):
            end -= 1
    return len(text[:end].rstrip()) or most


def _parts(char: str) -> bool:
    """Return whether a text may be cut beside a character: a space, or one of a script that is written without them."""
    return char.isspace() or _CJK.match(char) is not None


def escaped(document: str) -> str:
    """Return a JSON document with the same meaning in which every such character is written as its escape. It has none outside strings."""
    return _HIDDEN.sub(lambda found: _escape(ord(found[0])), document)


def _escape(code: int) -> str:
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
