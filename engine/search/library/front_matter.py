"""What a text says about itself at its head: `---`, lines of `key: value`, `---`; else its first heading."""

import re
from datetime import date
from typing import Final, NamedTuple

_HEAD: Final = re.compile(r"\A\s*---[ \t]*\n(.{0,4000}?)\n---[ \t]*(?:\n|\Z)", re.S)
_LINE: Final = re.compile(r"^([A-Za-z_][\w-]*)[ \t]*:[ \t]*(.*?)[ \t]*$", re.M)
_HEADING: Final = re.compile(r"^#{1,3}[ \t]+(.+?)[ \t#]*$", re.M)
_DATE: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")


class FrontMatter(NamedTuple):
    """The head of a text. title: "" where none is named. published: ISO date, or its year or month; None = not said. body: the rest."""

    title: str
    published: str | None
    body: str


def read_head(text: str) -> FrontMatter:
    """Return what a text says about itself, and the rest of it."""
    head = _HEAD.match(text)
    fields = {key.lower(): value.strip("\"'") for key, value in _LINE.findall(head[1])} if head else {}
    body = (text[head.end() :] if head else text).strip()
    heading = _HEADING.search(body[:2_000])
    return FrontMatter(fields.get("title") or (heading[1] if heading else ""), iso_date(fields.get("date", "")), body)


def iso_date(text: str) -> str | None:
    """Return the date a text begins with, or only its year or month, as far as it exists in the calendar; None where there is none."""
    found = _DATE.match(text.strip())
    if not found:
        return None
    year, month, day = found.groups()
    try:
        date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        return None
    return found[0]
