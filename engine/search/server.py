"""Our sources as an MCP server on stdio: a `{source}_search` and a `{source}_download` for each.

Documents go over the wire as JSON with the path of their file and a cut text, never with a file. A download fetches only what a search of
the same source gave before, so no caller and no text from outside can make this process ask any other address. A failure is two texts: the
words, and the reason's key and values.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import wraps
from typing import Annotated, Any, Final, Protocol

from mcp.server.fastmcp import FastMCP
from mcp.types import CallToolResult, TextContent
from pydantic import Field, ValidationError

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.domain.text.reason import Reason
from engine.domain.text.visible import shortened
from engine.search.protocol import ToolKind
from engine.search.sources.source import Source, is_later
from engine.search.web.answer_cache import AnswerCache

MOST_DOCUMENTS: Final = 50
LONGEST_TEXT: Final = 20_000  # characters of a downloaded file that go along with its path
_LONGEST_QUERY: Final = 1_000

Query = Annotated[str, Field(min_length=1, max_length=_LONGEST_QUERY, description="What to search for: a question, a name, key words.")]
Limit = Annotated[int, Field(ge=1, le=MOST_DOCUMENTS, description="How many documents at most.")]
Until = Annotated[str, Field(description="YYYY-MM-DD: nothing that is dated later; empty: no bound.")]
Asked = Annotated[dict[str, Any], Field(description="A document as the search of the same source gave it.")]


class Saver(Protocol):
    """Where downloads go."""

    async def save(self, document: Document, address: str) -> Document:
        """Fetch the address of a document into a file; return it with `saved_path` and `text`. Raises SearchError."""
        ...


@dataclass(frozen=True)
class SourceTools:
    """The two tools of one source, as functions that MCP can describe. given: remembers what was found. saver: None = no downloads."""

    source: Source
    given: AnswerCache
    saver: Saver | None

    async def search(self, query: Query, limit: Limit = 10, until: Until = "") -> str:
        """Return documents as a JSON list, the best first."""
        bound = _day(until)
        found = await self.source.search(query.strip(), limit, bound)
        found = [each for each in found if not is_later(each, bound)][:limit]
        await asyncio.to_thread(self.given.give, self.source.name, [address for each in found if (address := self._address(each))])
        return json.dumps([each.model_dump(mode="json", exclude_defaults=True) for each in found], ensure_ascii=False)

    async def download(self, document: Asked) -> str:
        """Return the document as JSON with `saved_path` and `text`."""
        assert self.saver is not None
        asked = _document(self.source.name, document)
        address = self.source.download_address(asked)
        if not await asyncio.to_thread(self.given.was_given, self.source.name, address):
            raise SearchError(Reason("was_given_by_no_search_of", address=address[:200], name=self.source.name))
        saved = await self.saver.save(asked, address)
        saved = saved.model_copy(update={"text": shortened(saved.text, LONGEST_TEXT)})
        return json.dumps(saved.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False)

    def _address(self, document: Document) -> str:
        try:
            return self.source.download_address(document)
        except SearchError:
            return ""


def make_server(sources: Sequence[Source], kinds: frozenset[ToolKind], given: AnswerCache, saver: Saver | None) -> FastMCP:
    """Return the server. kinds: of the tools it has. saver: needed for downloads."""
    app = FastMCP("tribunal", log_level="WARNING")
    for source in sources:
        tools = SourceTools(source, given, saver)
        if "search" in kinds:
            _add(app, tools.search, f"{source.name}_search", source.about)
        if "download" in kinds and saver is not None:
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
