"""The strict renderer: a template's holes and the given values must be the same names, or nothing is rendered.

Values that come from a model or a market are data: `quoted` puts them in an envelope that they cannot close themselves.
"""

import re
from collections.abc import Mapping

from engine.domain.text.language import Language

_HOLE = re.compile(r"\{([a-z_]+)\}")
_ENVELOPE = re.compile(r"[<＜]\s*[/／]?\s*said\b[^>＞]*[>＞]?", re.IGNORECASE)
_FACT_LINE = re.compile(r"^([^\S\n]*(?:[0-9]+[mhdw]\.)?[a-z][a-z0-9_]*) = (?=\S)", re.MULTILINE)
_HEADING = re.compile(r"={3,}")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")

Text = Mapping[Language, str]
"""One paragraph in every language."""


def render(template: str, **values: str) -> str:
    """Fill `{name}` holes. Raises KeyError naming holes without a value and values without a hole."""
    holes = set(_HOLE.findall(template))
    if holes != values.keys():
        raise KeyError(f"template and values differ: missing {sorted(holes - values.keys())}, left over {sorted(values.keys() - holes)}")
    return _HOLE.sub(lambda match: values[match[1]], template)


def quoted(speaker: str, text: str) -> str:
    """Return what somebody said, as data: inside an envelope, without its own envelope marks, control and direction characters.

    Nothing in it is a fact line or a heading: a `key = value` at the start of a line reads `key: value`.
    """
    clean = _CONTROL.sub("", text)
    while _ENVELOPE.search(clean):  # what is taken out of a mark may leave another one
        clean = _ENVELOPE.sub("", clean)
    clean = _HEADING.sub("--", _FACT_LINE.sub(r"\1: ", clean)).strip()
    return f'<said by="{speaker}">\n{clean}\n</said>'
