"""The local library as a source: what its index finds, and the text of its files."""

import asyncio
from datetime import date

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.domain.text.reason import Reason
from engine.search.library.index import Library


class LocalLibrary:
    """Implements `Source`."""

    name = "library"
    about = "Our own library, a folder of PDF, HTML, Markdown and text files, in any language."

    def __init__(self, library: Library) -> None:
        self._library = library

    async def search(self, query: str, limit: int, until: date | None) -> list[Document]:
        return await asyncio.to_thread(self._library.search, query, limit)

    def download_address(self, document: Document) -> str:
        if not document.url.startswith("library:"):
            raise SearchError(Reason("is_no_address_in_library", url=f"{document.url[:80]!r}"))
        return document.url
