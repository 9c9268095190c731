"""What a source is: a service that is searched, and whose documents can be downloaded."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any, ClassVar, TypeVar
from urllib.parse import urlsplit

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.domain.research.publication import published_day
from engine.domain.text.reason import Reason
from engine.search.web_client import WebClient, WebRequest

T = TypeVar("T")


class Source(ABC):
    """One source. name: as in its tools. about: what it is for, for anyone who chooses a tool."""

    name: ClassVar[str]
    about: ClassVar[str]

    @abstractmethod
    async def search(self, query: str, limit: int, until: date | None) -> list[Document]:
        """Return what it finds, the best first. until: nothing that is dated later is wanted. Raises SearchError."""

    def download_address(self, document: Document) -> str:
        """Return the address of a document's text. Raises SearchError where it has none."""
        return _on_the_web(document, document.url)


class WebSource(Source):
    """A service that gives JSON. who: it, in words. home: its address; setting: names another one. spacing_s: least time between two
    requests. key_header: the header that its key goes in, and what stands before the key there."""

    who: ClassVar[str]
    home: ClassVar[str]
    setting: ClassVar[str]
    spacing_s: ClassVar[float] = 0.1
    key_header: ClassVar[tuple[str, str]] = ("Authorization", "Bearer ")

    def __init__(self, web: WebClient, base: str | None, key: str = "", contact: str = "") -> None:
        self._web, self._base, self._contact = web, base or self.home, contact
        name, before = self.key_header
        self._secret = {name: f"{before}{key}"} if key else {}

    async def _ask(
        self, url: str, read: Callable[[Any], T], params: Mapping[str, str] | None = None, body: Mapping[str, Any] | None = None
    ) -> T:
        """Return what `read` makes of the answer; see `WebClient.ask`."""
        return await self._web.ask(WebRequest(self.who, url, params or {}, body, self._secret, self.spacing_s, self.setting), read)


class PaperSource(WebSource):
    """Papers, of which the open-access copy is downloaded. no_copy: the reason if no copy exists."""

    no_copy: ClassVar[str]

    def download_address(self, document: Document) -> str:
        pdf = document.extra.get("pdf_url")
        if not pdf:
            raise SearchError(Reason(self.no_copy, title=f"{document.title[:80]!r}"))
        return _on_the_web(document, str(pdf))


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


def _on_the_web(document: Document, address: str) -> str:
    if urlsplit(address).scheme not in {"http", "https"}:
        raise SearchError(Reason("gives_no_address_where_could_be_downloaded", source=document.source, title=f"{document.title[:80]!r}"))
    return address
