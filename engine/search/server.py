"""Our sources as an MCP server on stdio: a `{source}_search` and a `{source}_download` for each.

Documents go over the wire as JSON with the path of their file and a cut text, never with a file. A download fetches only what a search of
the same source gave before, so no caller and no text from outside can make this process ask any other address. A failure is two texts: the
words, and the reason's key and values.
"""

import asyncio
import json
import logging
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import date
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Final

from mcp.server.fastmcp import FastMCP
from mcp.types import CallToolResult, TextContent
from pydantic import Field, ValidationError

from engine.domain.clock import utc_now
from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.domain.text.reason import Reason
from engine.domain.text.visible import shortened
from engine.search.download.body import ContentFile
from engine.search.download.extract import text_of
from engine.search.download.fetch import DownloadLimits, fetch
from engine.search.library import Library
from engine.search.protocol import ToolKind
from engine.search.sources.source import Source, is_later

MOST_DOCUMENTS: Final = 50
LONGEST_TEXT: Final = 20_000  # characters of a downloaded file that go along with its path
_LONGEST_QUERY: Final = 1_000
_GIVEN_DAYS: Final = 90  # a run that is continued later may still download what its search found
_PATIENCE_S: Final = 2.0

Query = Annotated[str, Field(min_length=1, max_length=_LONGEST_QUERY, description="What to search for: a question, a name, key words.")]
Limit = Annotated[int, Field(ge=1, le=MOST_DOCUMENTS, description="How many documents at most.")]
Until = Annotated[str, Field(description="YYYY-MM-DD: nothing that is dated later; empty: no bound.")]
Asked = Annotated[dict[str, Any], Field(description="A document as the search of the same source gave it.")]


class GivenAddresses:
    """The addresses that searches gave, in one SQLite file: one of our processes searches, another one downloads."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, source: str, addresses: Iterable[str]) -> None:
        """Remember addresses that a source's search gave. Blocking, a few milliseconds."""
        now = utc_now().timestamp()
        try:
            with self._opened() as db:
                db.execute("delete from given where at <= ?", (now - _GIVEN_DAYS * 86_400,))
                db.executemany("insert or replace into given values (?, ?, ?)", [(source, each, now) for each in addresses])
        except (OSError, sqlite3.Error) as error:
            logging.getLogger(__name__).warning("what a search gave cannot be remembered, nor downloaded: %s: %s", self._path, error)

    def has(self, source: str, address: str) -> bool:
        """Return whether a search of the source gave this address. Blocking, a millisecond."""
        try:
            with self._opened() as db:
                return db.execute("select 1 from given where source = ? and address = ?", (source, address)).fetchone() is not None
        except (OSError, sqlite3.Error):
            return False

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with closing(sqlite3.connect(self._path, timeout=_PATIENCE_S)) as db, db:
            db.execute("create table if not exists given (source text, address text, at real, primary key (source, address))")
            yield db


@dataclass(frozen=True)
class DownloadFolder:
    """Where downloads go: files by the hash of their content, in one folder, with the text that can be read out of them. configured: host
    and port of the sources of the settings."""

    folder: Path
    limits: DownloadLimits
    configured: frozenset[tuple[str, int]]
    library: Library

    async def save(self, document: Document, address: str) -> Document:
        """Fetch the address of a document; return it with `saved_path` and `text`. A file that no text can be read out of is kept, and
        `extra.no_text` says why. Raises SearchError."""
        if address.startswith("library:"):
            return await asyncio.to_thread(self._copied, document)
        path = await fetch(address, self.folder, self.limits, configured=self.configured)
        kept = document.model_copy(update={"saved_path": path.name, "not_saved": None})
        try:
            text = await asyncio.to_thread(text_of, path)
        except SearchError as why:
            return kept.model_copy(update={"extra": {**document.extra, "no_text": str(why)}})
        return kept.model_copy(update={"text": text})

    def _copied(self, document: Document) -> Document:
        """Return a document of the library with its text in a file of its own."""
        text = self.library.read(document)
        try:
            with ContentFile(self.folder, "text/plain") as file:
                file.write(text.encode())
                path = file.keep()
        except OSError as problem:
            raise SearchError(Reason("could_not_be_stored", url=document.url[:200], strerror=problem.strerror or problem)) from None
        return document.model_copy(update={"saved_path": path.name, "text": text, "not_saved": None})


@dataclass(frozen=True)
class SourceTools:
    """The two tools of one source, as functions that MCP can describe."""

    source: Source
    given: GivenAddresses
    downloads: DownloadFolder

    async def search(self, query: Query, limit: Limit = 10, until: Until = "") -> str:
        """Return documents as a JSON list, the best first."""
        bound = _day(until)
        found = await self.source.search(query.strip(), limit, bound)
        found = [each for each in found if not is_later(each, bound)][:limit]
        await asyncio.to_thread(self.given.add, self.source.name, [address for each in found if (address := self._address(each))])
        return json.dumps([each.model_dump(mode="json", exclude_defaults=True) for each in found], ensure_ascii=False)

    async def download(self, document: Asked) -> str:
        """Return the document as JSON with `saved_path` and `text`."""
        asked = _document(self.source.name, document)
        address = self.source.download_address(asked)
        if not await asyncio.to_thread(self.given.has, self.source.name, address):
            raise SearchError(Reason("was_given_by_no_search_of", address=address[:200], name=self.source.name))
        saved = await self.downloads.save(asked, address)
        saved = saved.model_copy(update={"text": shortened(saved.text, LONGEST_TEXT)})
        return json.dumps(saved.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False)

    def _address(self, document: Document) -> str:
        try:
            return self.source.download_address(document)
        except SearchError:
            return ""


def make_server(sources: Sequence[Source], kinds: frozenset[ToolKind], given: GivenAddresses, downloads: DownloadFolder) -> FastMCP:
    """Return the server. kinds: of the tools it has."""
    app = FastMCP("tribunal", log_level="WARNING")
    for source in sources:
        tools = SourceTools(source, given, downloads)
        if "search" in kinds:
            _add(app, tools.search, f"{source.name}_search", source.about)
        if "download" in kinds:
            _add(app, tools.download, f"{source.name}_download", f"Save a document that {source.name}_search gave, and read its text.")
    return app


def _add(app: FastMCP, function: Callable[..., Awaitable[str]], name: str, about: str) -> None:
    @wraps(function)
    async def answer(*given: Any, **named: Any) -> str | CallToolResult:
        try:
            return await function(*given, **named)
        except SearchError as problem:
            if not isinstance(why := problem.args[0], Reason):
                raise
            texts = [str.__str__(why), json.dumps(why.to_json(), ensure_ascii=False)]  # in words, and for a client of this program
            return CallToolResult(isError=True, content=[TextContent(type="text", text=text) for text in texts])

    app.add_tool(answer, name=name, description=about, structured_output=False)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise SearchError(Reason("until_is_no_date", text=f"{text[:40]!r}")) from None


def _document(source: str, given: dict[str, Any]) -> Document:
    """Return the document. Raises SearchError naming the field that is wrong."""
    try:
        asked = Document.model_validate(given)
    except ValidationError as problem:
        first = problem.errors(include_input=False, include_url=False)[0]
        raise SearchError(Reason("field_of_document_is_not_valid", field=".".join(map(str, first["loc"])))) from None
    if asked.source != source:
        raise SearchError(Reason("document_is_one_of", source=f"{asked.source[:80]!r}", source2=f"{source!r}"))
    return asked
