"""The body of an answer: decompressed and written down within its bounds, of a kind that its first bytes and its server's word settle."""

import codecs
import hashlib
import os
import re
import tempfile
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from engine.domain.errors import SearchError
from engine.domain.text.reason import Reason

SUFFIXES: Final = {"pdf": ".pdf", "html": ".html", "text": ".txt", "markdown": ".md", "json": ".json", "xml": ".xml"}
"""Kind -> how its files' names end."""
_SNIFFED: Final = 1_024  # first bytes that are looked at
_NAMED: Final = {
    "application/pdf": "pdf",
    "application/x-pdf": "pdf",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/plain": "text",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "application/json": "json",
    "text/json": "json",
    "application/xml": "xml",
    "text/xml": "xml",
}
_ENDINGS: Final = {"+json": "json", "+xml": "xml"}
_UNNAMED: Final = frozenset({"", "application/octet-stream", "binary/octet-stream"})
_BOMS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NO_TEXT: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_HTML: Final = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
_XML: Final = re.compile(rb"\s*<\?xml\b")
_JSON: Final = re.compile(rb"\s*[\[{]")
_PIECE: Final = 65_536  # bytes that one step of decompression may give


async def plain_body(pieces: AsyncIterator[bytes], encoding: str, limit: int) -> AsyncIterator[bytes]:
    """Yield a body without its content encoding, in pieces of at most 64 kB where it was compressed.

    limit: the most bytes as sent, and the most as decompressed. Raises SearchError beyond either, for an encoding other than gzip or
    deflate, and for a body that is broken.
    """
    sent = given = 0
    unpack = _decompressor(encoding)
    async for piece in pieces:
        sent += len(piece)
        if sent > limit:
            raise SearchError(Reason("file_is_larger_than_mb", limit=f"{limit / 1000000.0:g}"))
        if unpack is None:
            yield piece
            continue
        rest, plain = piece, b""
        while (rest or len(plain) == _PIECE) and not unpack.eof:  # a full piece may have more behind it, with nothing left to read
            try:
                plain = unpack.decompress(rest, _PIECE)
            except zlib.error:
                raise SearchError(Reason("its_compression_is_broken")) from None
            rest = unpack.unconsumed_tail
            given += len(plain)
            if given > limit:
                raise SearchError(Reason("file_is_larger_than_mb_once", limit=f"{limit / 1000000.0:g}"))
            yield plain
    if unpack is not None and not unpack.eof:
        raise SearchError(Reason("answer_broke_off"))


def _decompressor(encoding: str) -> "zlib._Decompress | None":
    named = encoding.strip().lower()
    if named in {"", "identity"}:
        return None
    if named in {"gzip", "x-gzip", "deflate"}:
        return zlib.decompressobj(zlib.MAX_WBITS | 32)  # gzip or zlib, by its first bytes
    raise SearchError(Reason("server_packs_its_answer_as", named=f"{named[:40]!r}"))


class ContentFile:
    """A file that is being written and has no name yet. Its first bytes settle its kind. `keep` gives it its name, leaving
    without that deletes it."""

    def __init__(self, folder: Path, content_type: str) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._folder = folder.resolve()
        self._content_type = content_type
        self._kind: str | None = None
        self._first = b""
        self._hash = hashlib.sha256()

    def __enter__(self) -> Self:
        number, name = tempfile.mkstemp(dir=self._folder, prefix=".part-")  # mode 0600
        self._part = Path(name)
        self._file = os.fdopen(number, "wb")
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()
        self._part.unlink(missing_ok=True)

    def write(self, piece: bytes) -> None:
        """Append a piece. Raises SearchError as soon as the first bytes show a kind that is not kept."""
        if self._kind is None:
            self._first += piece
            if len(self._first) < _SNIFFED:
                return
            self._settle()
            return
        self._append(piece)

    def keep(self) -> Path:
        """Return the file under its name (the hash of its content, and its kind), whole and readable by its owner only. Raises SearchError
        when it is empty or of a kind that is not kept."""
        if self._kind is None:
            self._settle()
        assert self._kind is not None
        self._file.flush()
        os.fsync(self._file.fileno())
        path = self._folder / f"{self._hash.hexdigest()}{SUFFIXES[self._kind]}"
        self._part.replace(path)
        return path

    def _settle(self) -> None:
        self._kind = _kind_of(self._first, self._content_type)
        if self._kind is None:
            said = Reason("hint_server_says", said=repr(self._content_type[:60])) if self._content_type else ""
            raise SearchError(Reason("answer_is_empty") if not self._first else Reason("it_is_no_pdf", said=said))
        self._append(self._first)

    def _append(self, piece: bytes) -> None:
        self._hash.update(piece)
        self._file.write(piece)


def _kind_of(first: bytes, content_type: str) -> str | None:
    """Return the kind of a body, None when it is none that may be kept.

    first: its first bytes. content_type: the header's value, or "". The bytes win over the header, but a header that
    names something else entirely (an image, an archive, a program) is believed.
    """
    named = content_type.partition(";")[0].strip().lower()
    known = _NAMED.get(named) or next(
        (kind for ending, kind in _ENDINGS.items() if named.endswith(ending) and named.startswith("application/")), None
    )
    head = first[:_SNIFFED].removeprefix(codecs.BOM_UTF8)
    is_pdf = head.lstrip().startswith(b"%PDF-")
    if not head or (_NO_TEXT.search(head) and not head.startswith(_BOMS) and not is_pdf):
        return None
    if known is None and named not in _UNNAMED and not named.startswith("text/"):
        return None
    return "pdf" if is_pdf else _text_kind(head, known)


def _text_kind(head: bytes, known: str | None) -> str:
    if _HTML.match(head):
        return "html"
    if _XML.match(head):
        return "xml"
    if known in {None, "json", "pdf"}:
        return "json" if _JSON.match(head) else "text"
    return known
