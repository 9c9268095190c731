"""What a source is: a service that is searched, and whose documents can be downloaded."""

import re
from collections.abc import Callable, Iterable
from datetime import date
from typing import Final, Protocol, TypeVar
from urllib.parse import urlsplit

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.domain.research.publication import published_day
from engine.domain.text.reason import Reason

T = TypeVar("T")

_DATE: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?=$|[T ])")


class Source(Protocol):
    """One source. name: as in its tools. about: what it is for, for anyone who chooses a tool."""

    name: str
    about: str

    async def search(self, query: str, limit: int, until: date | None) -> list[Document]:
        """Return what it finds, the best first. until: nothing that is dated later is wanted. Raises SearchError."""
        ...

    def download_address(self, document: Document) -> str:
        """Return the address of a document's text. Raises SearchError where it has none."""
        ...


def iso_date(value: object) -> str | None:
    """Return the date, month or year that ISO text begins with, None for anything else and for what is no date."""
    found = _DATE.match(str(value).strip()) if value is not None else None
    if found is None:
        return None
    year, month, day = (int(part or 1) for part in found.groups())
    try:
        date(year, month, day)
    except ValueError:
        return None
    return "-".join(part for part in found.groups() if part)


def readable(entries: Iterable[T], read: Callable[[T], Document]) -> list[Document]:
    """Return what can be read of a service's list: an entry of another shape is left out. Raises what `read` raises where
    all of them are."""
    found, fault = [], None
    for entry in entries:
        try:
            found.append(read(entry))
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError) as error:
            fault = error
    if fault is not None and not found:
        raise fault
    return found


def is_later(document: Document, until: date | None) -> bool:
    """Return whether a document is, or may be (its date is a month or a year), later than a day. One without a date is not: the caller
    decides about those."""
    day = published_day(document.published_date)
    return until is not None and day is not None and day > until


def web_address(document: Document) -> str:
    """Return a document's address. Raises SearchError where it has none on the web."""
    if urlsplit(document.url).scheme not in {"http", "https"}:
        raise SearchError(Reason("gives_no_address_where_could_be_downloaded", source=document.source, title=f"{document.title[:80]!r}"))
    return document.url
