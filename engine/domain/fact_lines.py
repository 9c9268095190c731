"""Facts as lines of a prompt, and back: `rsi_14 = 48.6`.

One format in both languages, so that every model reads the same keys and values, and a reader (the scripted analyst, a test) can take
them out of a prompt again. Keys are ASCII; a line that is not exactly `key = value` is not a fact.
"""

import re
from collections.abc import Iterable

from engine.domain.facts import Fact, FactSheet

_LINE = re.compile(r"^((?:[0-9]+[mhdw]\.)?[a-z][a-z0-9_]*) = (\S+)(?: [^\n]*)?$", re.MULTILINE)


def write_fact_lines(sheet: FactSheet, keys: Iterable[str]) -> str:
    """Return the facts under `keys`, one a line, in the order given; missing ones are left out."""
    lines = ((key, sheet.text(key), sheet.get(key)) for key in keys)
    return "\n".join(f"{key} = {text}{_suffix(fact)}" for key, text, fact in lines if text is not None and fact is not None)


def read_fact_lines(text: str) -> dict[str, float | str]:
    """Return every fact line in `text`; a later line of the same key wins. Numbers become floats, other values stay words."""
    return {key: _value(value) for key, value in _LINE.findall(text)}


def _suffix(fact: Fact) -> str:
    return " %" if fact.unit == "percent" else ""


def _value(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
