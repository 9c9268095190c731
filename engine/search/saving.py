"""Where downloads go: files by the hash of their content, in one folder, with the text that can be read out of them."""

import asyncio
from pathlib import Path

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.domain.text.reason import Reason
from engine.search.download.body import ContentFile
from engine.search.download.extract import text_of
from engine.search.download.fetch import fetch
from engine.search.download.limits import DownloadLimits
from engine.search.library.index import Library


class DownloadFolder:
    """Implements `Saver`. configured: host and port of the sources of the settings. library: None if missing."""

    def __init__(self, folder: Path, limits: DownloadLimits, configured: frozenset[tuple[str, int]], library: Library | None) -> None:
        self._folder, self._limits, self._configured, self._library = folder, limits, configured, library

    async def save(self, document: Document, address: str) -> Document:
        """Return the document with its file and text; a file that no text can be read out of is kept, and `extra.no_text` says why."""
        if address.startswith("library:"):
            return await asyncio.to_thread(self._copied, document)
        saved = await fetch(address, self._folder, self._limits, configured=self._configured)
        kept = document.model_copy(update={"saved_path": saved.path.name, "not_saved": None})
        try:
            text = await asyncio.to_thread(text_of, saved.path)
        except SearchError as why:
            return kept.model_copy(update={"extra": {**document.extra, "no_text": str(why)}})
        return kept.model_copy(update={"text": text})

    def _copied(self, document: Document) -> Document:
        """Return a document of the library with its text in a file of its own."""
        if self._library is None:
            raise SearchError(Reason("there_is_no_library"))
        text = self._library.read(document)
        try:
            with ContentFile(self._folder, "text/plain") as file:
                file.write(text.encode())
                saved = file.keep(document.url)
        except OSError as problem:
            raise SearchError(Reason("could_not_be_stored", url=document.url[:200], strerror=problem.strerror or problem)) from None
        return document.model_copy(update={"saved_path": saved.path.name, "text": text, "not_saved": None})
