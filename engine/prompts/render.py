"""The strict renderer: a template's holes and the given values must be the same names, or nothing is rendered.

Values that come from a model or a market are data: `quoted` puts them in an envelope that they cannot close themselves.
"""

import re
from collections.abc import Mapping

from engine.domain.text.language import Language

_HOLE = re.compile(r"\{([a-z_]+)\}")
_ENVELOPE = re.compile(r"[<＜]\s*[/／]?\s*said\b[^>＞]*[>＞]?", re.IGNORECASE)
_DRESS = r"^[^\S\n]*+(?:(?:[-*•·+|>#`~]++|\d{1,2}[.)])[^\S\n]*+)*+"
_FACT_LINE = re.compile(rf"({_DRESS}(?:[0-9]+[mhdw]\.)?[a-z][a-z0-9_]*+[`*]*+)[^\S\n]*+[=＝](?!=)[^\S\n]*+(?=\S)", re.MULTILINE)
_BLOCK_HEADING = re.compile(rf"({_DRESS})[\[【]([^\[\]【】\d\n]{{1,40}})[\]】]", re.MULTILINE)
_ROLE_LINE = re.compile(rf"({_DRESS}role)[^\S\n]*+[:：]", re.MULTILINE | re.IGNORECASE)
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
    """Return what someone said, as data: inside an envelope, without its own envelope marks, control and direction characters.

    Nothing in it is a fact line, a heading, the heading of a closing block or the line that names a role: `- rsi_14=99` reads
    `- rsi_14: 99`, `[Vote]` reads `(Vote)`.
    """
    clean = _CONTROL.sub("", text)
    while _ENVELOPE.search(clean):  # what is taken out of a mark may leave another one
        clean = _ENVELOPE.sub("", clean)
    clean = _HEADING.sub("--", _FACT_LINE.sub(r"\1: ", clean))
    clean = _ROLE_LINE.sub(r"\1 -", _BLOCK_HEADING.sub(r"\1(\2)", clean)).strip()
    return f'<said by="{speaker}">\n{clean}\n</said>'
