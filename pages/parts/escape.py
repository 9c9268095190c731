"""Text from a model, a venue or a person, made safe to stand in HTML. Every panel writes foreign text through `plain` and nothing else."""

import html

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


def visible(text: str) -> str:
    """The text without characters that hide or reorder others: each is replaced by U+FFFD, odd line
    ends by a space, and a carriage return is dropped."""
    return text.translate(_TABLE)


def plain(text: object) -> str:
    """Text as HTML: nothing in it can be a tag, an attribute's end or an entity."""
    return html.escape(visible(str(text)), quote=True)
