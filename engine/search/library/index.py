"""Full-text search in a local folder of PDF, HTML, Markdown and text files, in any language.

The index is a cache of its own (SQLite FTS5 over the tokens of `tokens.py`, so that a Chinese word of two characters is found) and
follows the folder: every search takes in what is new or changed, by size, time and content, and forgets what is gone. Several processes
may use one index at once. What cannot be read is left out and named in `skipped`.
"""

import hashlib
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.domain.text.reason import Reason
from engine.domain.text.visible import word_end
from engine.search.download.extract import read_file
from engine.search.library.folder import LibraryFile, files_of
from engine.search.private_folder import make_private_folder
from engine.search.tokens import pairs, runs, tokens

SOURCE: Final = "library"
_VERSION: Final = 1  # of the tables: another one is another file
_WAIT_S: Final = 30.0
_PHRASE: Final = 4  # a run of CJK characters up to this length is one word, a longer one a sentence: any of its pairs counts
_TERMS: Final = 64
_DESTROYED: Final = frozenset({sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT})
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS files (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, modified INTEGER NOT NULL, digest TEXT NOT NULL,
    title TEXT NOT NULL, published TEXT, text TEXT NOT NULL, reason TEXT);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(title, body, tokenize = 'unicode61');
"""


_HEAD: Final = re.compile(r"\A\s*---[ \t]*\n(.{0,4000}?)\n---[ \t]*(?:\n|\Z)", re.S)
_LINE: Final = re.compile(r"^([A-Za-z_][\w-]*)[ \t]*:[ \t]*(.*?)[ \t]*$", re.M)
_HEADING: Final = re.compile(r"^#{1,3}[ \t]+(.+?)[ \t#]*$", re.M)
_DATE: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")


LENGTH: Final = 600
_READ: Final = 400  # parts of a text that are looked at
_END: Final = re.compile(r"[.!?][\"'”’)]*(?=\s)|[。！？][”’）」』]*")


def best_passage(text: str, wanted: frozenset[str]) -> str:
    """Return the passage of a text that has most of the wanted tokens, the first of equal ones; at most `LENGTH` characters."""
    best, most = "", -1
    for number, passage in enumerate(_passages(text)):
        if number == _READ:
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
        if joined and len(joined) + len(plain) + 1 > LENGTH:
            yield joined
            joined = ""
        joined = f"{joined} {plain}".strip()
        while len(joined) > LENGTH:
            at = _sentence_end(joined) or word_end(joined, LENGTH)
            yield joined[:at]
            joined = joined[at:].lstrip()
    if joined:
        yield joined


def _sentence_end(text: str) -> int | None:
    """Return where the last sentence that fits ends, None where it ends in the first half."""
    ends = [found.end() for found in _END.finditer(text, LENGTH // 2, LENGTH)]
    return ends[-1] if ends else None


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
    """Return the date a text begins with, or only its year or month, if it exists in the calendar; else None."""
    found = _DATE.match(text.strip())
    if not found:
        return None
    year, month, day = found.groups()
    try:
        date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        return None
    return found[0]


class Library:
    """A folder of documents and its index. Every method opens the index for itself, so that threads and processes may share one."""

    def __init__(self, folder: Path, cache: Path) -> None:
        """folder: the documents. cache: the folder in which the index is kept; made when it is missing."""
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
            self._follow(index)
            if not found or limit < 1:
                return []
            rows = index.execute(
                "SELECT f.name, f.title, f.published, f.text FROM words JOIN files f ON f.id = words.rowid"
                " WHERE words MATCH ? ORDER BY bm25(words, 3.0, 1.0), f.name LIMIT ?",
                (found, limit),
            ).fetchall()
        wanted = frozenset(tokens(query))
        return [
            Document(source=SOURCE, title=title, url=f"{SOURCE}:{name}", abstract=best_passage(text, wanted), published_date=published)
            for name, title, published, text in rows
        ]

    def read(self, document: Document) -> str:
        """Return the whole text of a document that a search gave. Raises SearchError for one that is not in the library."""
        name = document.url.removeprefix(f"{SOURCE}:")
        with self._opened() as index:
            self._follow(index)
            row = index.execute("SELECT text FROM files WHERE name = ? AND reason IS NULL", (name,)).fetchone()
        if row is None or not document.url.startswith(f"{SOURCE}:"):
            raise SearchError(Reason("library_has_no", url=f"{document.url[:200]!r}"))
        return str(row[0])

    def skipped(self) -> dict[str, str]:
        """Return which files of the folder are not searched, and why. Raises SearchError as `search` does."""
        with self._opened() as index:
            self._follow(index)
            return dict(index.execute("SELECT name, reason FROM files WHERE reason IS NOT NULL ORDER BY name").fetchall())

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            make_private_folder(self._index.parent)
            try:
                index = self._connected()
            except sqlite3.DatabaseError as problem:
                if problem.sqlite_errorcode not in _DESTROYED:
                    raise
                self._delete()  # a cache: it is made anew
                index = self._connected()
        except (sqlite3.Error, OSError) as problem:
            raise SearchError(Reason("library_index_cannot_be_kept", index=self._index, problem=problem)) from None
        try:
            yield index
        except sqlite3.Error as problem:
            raise SearchError(Reason("library_index_cannot_be_used", index=self._index, problem=problem)) from None
        finally:
            index.close()

    def _delete(self) -> None:
        for ending in ("", "-wal", "-shm"):
            self._index.with_name(self._index.name + ending).unlink(missing_ok=True)

    def _connected(self) -> sqlite3.Connection:
        index = sqlite3.connect(self._index, timeout=_WAIT_S, isolation_level=None)
        try:
            index.execute("PRAGMA journal_mode = WAL")
            index.execute("PRAGMA synchronous = NORMAL")  # a cache: what a power cut takes is read again
            index.executescript(_TABLES)
        except sqlite3.Error:
            index.close()
            raise
        self._index.chmod(0o600)
        return index

    def _follow(self, index: sqlite3.Connection) -> None:
        """Bring the index to the state of the folder. Files are read outside of transactions, so that others need not wait for them."""
        known = {
            name: (size, modified, digest)
            for name, size, modified, digest in index.execute("SELECT name, size, modified, digest FROM files")
        }
        for file in files_of(self._folder):
            before = known.pop(file.name, None)
            if before is None or before[:2] != (file.size, file.modified):
                self._take_in(index, file, before[2] if before else None)
        if known:
            index.execute("BEGIN IMMEDIATE")
            for name in known:
                _forget(index, name)
            index.execute("COMMIT")

    def _take_in(self, index: sqlite3.Connection, file: LibraryFile, former: str | None) -> None:
        title, published, text, reason, digest = PurePosixPath(file.name).stem, None, "", None, ""
        try:
            if file.refused:
                raise SearchError(file.refused)
            digest = file.digest()
            if digest == former:
                index.execute("UPDATE files SET size = ?, modified = ? WHERE name = ?", (file.size, file.modified, file.name))
                return
            found = read_file(file.path)
            head = read_head(found.text)
            title, text = head.title or found.title or title, head.body
            published = head.published or iso_date(found.date)
        except SearchError as problem:
            reason = str(problem)
        except OSError as problem:
            reason = Reason("cannot_be_read", name=file.name, strerror=problem.strerror or problem)
        index.execute("BEGIN IMMEDIATE")
        _forget(index, file.name)
        row = index.execute(
            "INSERT INTO files (name, size, modified, digest, title, published, text, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (file.name, file.size, file.modified, digest, title, published, text, reason),
        ).lastrowid
        if reason is None:
            words = (row, " ".join(tokens(title)), " ".join(tokens(text)))
            index.execute("INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)", words)
        index.execute("COMMIT")


def _forget(index: sqlite3.Connection, name: str) -> None:
    for (row,) in index.execute("SELECT id FROM files WHERE name = ?", (name,)).fetchall():
        index.execute("DELETE FROM words WHERE rowid = ?", (row,))
        index.execute("DELETE FROM files WHERE id = ?", (row,))


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
