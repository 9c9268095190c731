"""Full-text search in a local folder of PDF, HTML, Markdown and text files, in any language.

The index is a cache of its own (SQLite FTS5 over the tokens of `tokens.py`, so that a Chinese word of two characters is found) and
follows the folder: every search takes in what is new or changed, by size and time, and forgets what is gone. Several processes may use one
index at once. What cannot be read is left out, and the log says why; links are not followed.
"""

import asyncio
import hashlib
import logging
import os
import re
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.domain.text.reason import Reason
from engine.domain.text.visible import word_end
from engine.search.download.extract import read_file
from engine.search.results import iso_date
from engine.search.sources.source import Source
from engine.search.tokens import pairs, runs, tokens

SOURCE: Final = "library"
_ENDINGS: Final = frozenset({".pdf", ".html", ".htm", ".md", ".markdown", ".txt", ".text"})
_VERSION: Final = 2  # of the tables: another one is another file
_WAIT_S: Final = 30.0
_PHRASE: Final = 4  # a run of CJK characters up to this length is one word, a longer one a sentence: any of its pairs counts
_TERMS: Final = 64
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS files (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, modified INTEGER NOT NULL,
    title TEXT NOT NULL, published TEXT, text TEXT);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(title, body, tokenize = 'unicode61');
"""
_HEAD: Final = re.compile(r"\A\s*---[ \t]*\n(.{0,4000}?)\n---[ \t]*(?:\n|\Z)", re.S)
_LINE: Final = re.compile(r"^([A-Za-z_][\w-]*)[ \t]*:[ \t]*(.*?)[ \t]*$", re.M)
_HEADING: Final = re.compile(r"^#{1,3}[ \t]+(.+?)[ \t#]*$", re.M)
_LENGTH: Final = 600  # of a passage
_PASSAGES: Final = 400  # of a text that are looked at
_END: Final = re.compile(r"[.!?][\"'”’)]*(?=\s)|[。！？][”’）」』]*")
_LOG: Final = logging.getLogger("engine.search")


class Library:
    """A folder of documents and its index, which is kept in another folder. Every method opens the index for itself, so that threads and
    processes may share one."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self._folder = folder.expanduser().resolve()
        name = hashlib.sha256(str(self._folder).encode("utf-8", "surrogateescape")).hexdigest()[:16]
        self._index = cache / f"{name}-v{_VERSION}.sqlite"

    def search(self, query: str, limit: int = 10) -> list[Document]:
        """Return the documents that have words of a query, the nearest first.

        url: `library:relative/path`. abstract: the passage that has most of the query's words. published_date: what the file's head
        says. Takes in changes of the folder first, which may take seconds when it is new: call it in a thread. Raises SearchError when
        the folder is missing or the index cannot be kept.
        """
        found = expression(query)
        with self._opened() as index:
            rows = index.execute(
                "SELECT f.name, f.title, f.published, f.text FROM words JOIN files f ON f.id = words.rowid"
                " WHERE words MATCH ? ORDER BY bm25(words, 3.0, 1.0), f.name LIMIT ?",
                (found or '""', limit),
            ).fetchall()
        wanted = frozenset(tokens(query))
        return [
            Document(source=SOURCE, title=title, url=f"{SOURCE}:{name}", abstract=_best_passage(text, wanted), published_date=published)
            for name, title, published, text in rows
        ]

    def read(self, document: Document) -> str:
        """Return the whole text of a document that a search gave. Raises SearchError for one that is not in the library."""
        scheme, _, name = document.url.partition(":")
        with self._opened() as index:
            row = index.execute("SELECT text FROM files WHERE name = ? AND text IS NOT NULL", (name,)).fetchone()
        if row is None or scheme != SOURCE:
            raise SearchError(Reason("library_has_no", url=f"{document.url[:200]!r}"))
        return str(row[0])

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Give the index in the state of the folder."""
        try:
            self._index.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            index = sqlite3.connect(self._index, timeout=_WAIT_S, isolation_level="IMMEDIATE")
        except (sqlite3.Error, OSError) as problem:
            raise SearchError(Reason("library_index_cannot_be_kept", index=self._index, problem=problem)) from None
        with closing(index):
            try:
                index.execute("PRAGMA journal_mode = WAL")
                index.execute("PRAGMA synchronous = NORMAL")  # a cache: what a power cut takes is read again
                index.executescript(_TABLES)
                self._follow(index)
                yield index
            except sqlite3.Error as problem:
                raise SearchError(Reason("library_index_cannot_be_used", index=self._index, problem=problem)) from None

    def _follow(self, index: sqlite3.Connection) -> None:
        """Bring the index to the state of the folder. Files are read outside of transactions, so that others need not wait for them."""
        known = {name: seen for name, *seen in index.execute("SELECT name, size, modified FROM files")}
        for path, name, found in _files_of(self._folder):
            if known.pop(name, None) != [found.st_size, found.st_mtime_ns]:
                read = _read(path, name)
                with index:
                    _forget(index, name)
                    row = index.execute(
                        "INSERT INTO files (name, size, modified, title, published, text) VALUES (?, ?, ?, ?, ?, ?)",
                        (name, found.st_size, found.st_mtime_ns, *read),
                    ).lastrowid
                    if read.text is not None:
                        words = (row, " ".join(tokens(read.title)), " ".join(tokens(read.text)))
                        index.execute("INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)", words)
        with index:
            for name in known:
                _forget(index, name)


class LocalLibrary(Source):
    """The library as a source."""

    name = SOURCE
    about = "Our own library, a folder of PDF, HTML, Markdown and text files, in any language."

    def __init__(self, library: Library) -> None:
        self._library = library

    async def search(self, query: str, limit: int, until: date | None) -> list[Document]:
        return await asyncio.to_thread(self._library.search, query, limit)

    def download_address(self, document: Document) -> str:
        if not document.url.startswith(f"{SOURCE}:"):
            raise SearchError(Reason("is_no_address_in_library", url=f"{document.url[:80]!r}"))
        return document.url


class _Read(NamedTuple):
    """What a file says. published: ISO date, or its year or month; None = not said. text: None where it cannot be read."""

    title: str
    published: str | None
    text: str | None


def _files_of(folder: Path) -> Iterator[tuple[Path, str, os.stat_result]]:
    """Yield the readable files of a folder and of those below it, with their names relative to it. Names that begin with a dot, or are no
    text, links and pipes are left out. Raises SearchError when the folder is missing or is none."""
    if not folder.is_dir():
        raise SearchError(Reason("library_folder_is_missing", folder=folder))
    for where, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in sorted(names):
            path = Path(where) / name
            if name.startswith(".") or path.suffix.lower() not in _ENDINGS:
                continue
            try:
                found = path.lstat()
                shown = path.relative_to(folder).as_posix().encode().decode()
            except (OSError, UnicodeEncodeError):  # it went while we looked; it is no UTF-8
                continue
            if stat.S_ISREG(found.st_mode):
                yield path, shown, found


def _read(path: Path, name: str) -> _Read:
    title = PurePosixPath(name).stem
    try:
        found = read_file(path)
    except SearchError as problem:
        _LOG.warning("left out of the library: %s", problem)
        return _Read(title, None, None)
    head = _HEAD.match(found.text)
    fields = {key.lower(): value.strip("\"'") for key, value in _LINE.findall(head[1])} if head else {}
    body = (found.text[head.end() :] if head else found.text).strip()
    heading = _HEADING.search(body[:2_000])
    stated = fields.get("title") or (heading[1] if heading else "") or found.title
    return _Read(stated or title, iso_date(fields.get("date", "")) or iso_date(found.date), body)


def _forget(index: sqlite3.Connection, name: str) -> None:
    index.execute("DELETE FROM words WHERE rowid IN (SELECT id FROM files WHERE name = ?)", (name,))
    index.execute("DELETE FROM files WHERE name = ?", (name,))


def _best_passage(text: str, wanted: frozenset[str]) -> str:
    """Return the passage of a text that has most of the wanted tokens, the first of equal ones; at most `_LENGTH` characters."""
    best, most = "", -1
    for number, passage in enumerate(_passages(text)):
        if number == _PASSAGES:
            break
        found = len(wanted.intersection(tokens(passage)))
        if found > most:
            best, most = passage, found
    return best


def _passages(text: str) -> Iterator[str]:
    """Yield paragraphs, short ones joined with what follows, long ones cut behind a sentence, or else behind a word."""
    joined = ""
    for paragraph in text.split("\n\n"):
        plain = " ".join(paragraph.lstrip("#").split())
        if joined and len(joined) + len(plain) + 1 > _LENGTH:
            yield joined
            joined = ""
        joined = f"{joined} {plain}".strip()
        while len(joined) > _LENGTH:
            at = _sentence_end(joined) or word_end(joined, _LENGTH)
            yield joined[:at]
            joined = joined[at:].lstrip()
    if joined:
        yield joined


def _sentence_end(text: str) -> int | None:
    """Return where the last sentence that fits ends, None where it ends in the first half."""
    ends = [found.end() for found in _END.finditer(text, _LENGTH // 2, _LENGTH)]
    return ends[-1] if ends else None


def expression(query: str) -> str:
    """Return a query as FTS5 reads it: any of its words, each quoted, so that nothing of it is an operator; "" without a word."""
    terms: dict[str, None] = {}
    for run, is_cjk in runs(query):
        if not is_cjk:
            terms[_quoted([run])] = None
        elif len(run) == 1:
            terms[_quoted([run]) + "*"] = None
        elif len(run) <= _PHRASE:
            terms[_quoted(pairs(run))] = None
        else:
            terms.update(dict.fromkeys(_quoted([pair]) for pair in pairs(run)))
    return " OR ".join(list(terms)[:_TERMS])


def _quoted(words: list[str]) -> str:
    return '"' + " ".join(words).replace('"', '""') + '"'
