"""Results of search tools, in whatever shape a server gives them, as documents.

Ours give lists of documents; other servers give text, JSON inside text, lists, dictionaries with a list somewhere inside, content blocks,
structured content, and call their fields as they like. What is no document is left out with a reason. Everything here is someone else's
text: the name of the source is the caller's, never the answer's, and a path or a score is not believed.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from engine.domain.research.document import Document
from engine.domain.text.visible import one_line, shortened, visible

MOST_DOCUMENTS: Final = 200
LONGEST_TEXT: Final = 50_000  # characters of an abstract or a text
_LONGEST_TITLE: Final = 500
_MOST_AUTHORS: Final = 100
_DEEPEST: Final = 12
_MOST_REASONS: Final = 20

_TITLES: Final = ("title", "name", "display_name", "headline")
_ADDRESSES: Final = ("url", "link", "href", "uri")
_ABSTRACTS: Final = ("abstract", "summary", "snippet", "description", "extract", "content", "body")
_DATES: Final = ("published_date", "publication_date", "publicationDate", "published", "date", "year")
_LISTS: Final = (
    "documents", "results", "result", "papers", "articles", "items", "data", "hits", "works", "pages", "organic", "news", "content",
    "structuredContent", "structured_content", "output", "response", "answer",
)  # fmt: skip
_OWN: Final = frozenset({*_TITLES, *_ADDRESSES, *_ABSTRACTS, *_DATES, *Document.model_fields, "authors", "author", "DOI"})
_FENCE: Final = re.compile(r"^\s*```[a-zA-Z]*\s*\n(.*)\n\s*```\s*$", re.S)
_DATE: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?!\d)")
_SCHEMES: Final = ("http://", "https://")


@dataclass
class ReadResults:
    """What an answer held. skipped: why parts of it are no documents, the first few."""

    documents: list[Document] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def skip(self, reason: str) -> None:
        """Note a part that is no document."""
        if len(self.skipped) < _MOST_REASONS:
            self.skipped.append(reason)


def documents(source: str, answer: Any) -> list[Document]:
    """Return the documents of an answer, in its order; what is none is left out."""
    return read_results(source, answer).documents


def read_results(source: str, answer: Any) -> ReadResults:
    """Return the documents of an answer and why the rest of it is none. source: whose tool answered."""
    read = ReadResults()
    for entry in _entries(answer, read, 0):
        if len(read.documents) >= MOST_DOCUMENTS:
            read.skip(f"more than {MOST_DOCUMENTS} documents: the others are left out")
            break
        document = _document(source, entry)
        if document is None:
            read.skip("an entry without a title, an address and a text")
        else:
            read.documents.append(document)
    return read


def _entries(value: Any, read: ReadResults, depth: int) -> Iterator[Mapping[str, Any]]:
    """Yield what may be a document, out of any nesting."""
    if depth > _DEEPEST:
        read.skip("nested too deeply")
    elif isinstance(value, str):
        yield from _of_text(value, read, depth)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _entries(each, read, depth + 1)
    elif isinstance(value, Mapping):
        yield from _of_mapping(value, read, depth)
    elif value is not None:
        read.skip(f"a {type(value).__name__} where a document was expected")


def _of_text(text: str, read: ReadResults, depth: int) -> Iterator[Mapping[str, Any]]:
    fenced = _FENCE.match(text)
    inside = (fenced[1] if fenced else text).strip()
    if inside[:1] in {"{", "[", '"'}:
        try:
            value = json.loads(inside, parse_constant=lambda _: None)
        except (ValueError, RecursionError):
            value = None
        if value is not None:
            yield from _entries(value, read, depth + 1)
            return
    if inside:
        yield {"title": inside.splitlines()[0], "abstract": inside}


def _of_mapping(value: Mapping[str, Any], read: ReadResults, depth: int) -> Iterator[Mapping[str, Any]]:
    kind = value["type"] if isinstance(value.get("type"), str) else ""
    if kind == "text" and isinstance(value.get("text"), str) and not _has(value, _TITLES):
        yield from _of_text(value["text"], read, depth)
    elif kind == "resource" and isinstance(value.get("resource"), Mapping):
        resource = value["resource"]
        yield from _entries(resource.get("text"), read, depth + 1)
    elif kind in {"image", "audio", "file", "resource_link"} and not _has(value, _TITLES):
        read.skip(f"a block of kind {kind}")
    elif _has(value, _TITLES) or (_has(value, _ADDRESSES) and _has(value, _ABSTRACTS)):
        yield value
    elif inside := [value[key] for key in _LISTS if isinstance(value.get(key), list | Mapping | str)]:
        yield from _entries(inside[0], read, depth + 1)
    elif value and all(isinstance(each, Mapping) for each in value.values()):
        yield from _entries(list(value.values()), read, depth + 1)
    else:
        read.skip(f"an object with {', '.join(sorted(map(str, value))[:5]) or 'nothing'} in it")


def _document(source: str, entry: Mapping[str, Any]) -> Document | None:
    title = shortened(one_line(_first(entry, _TITLES)).strip(), _LONGEST_TITLE)
    address = _address(source, _first(entry, _ADDRESSES).strip())
    abstract = shortened(visible(_first(entry, _ABSTRACTS)).strip(), LONGEST_TEXT)
    if not title and not (address and abstract):
        return None
    saved = _path(entry.get("saved_path"))
    return Document(
        source=source,
        title=title or shortened(one_line(abstract), 80),
        url=address,
        abstract=abstract,
        authors=_authors(entry),
        published_date=next(filter(None, (iso_date(entry.get(key)) for key in _DATES)), None),
        doi=_doi(entry),
        saved_path=saved,
        text=shortened(visible(entry["text"]), LONGEST_TEXT) if saved and isinstance(entry.get("text"), str) else "",
        not_saved=shortened(one_line(entry["not_saved"]), _LONGEST_TITLE) if isinstance(entry.get("not_saved"), str) else None,
        extra=_extra(entry),
    )


def _has(entry: Mapping[str, Any], keys: tuple[str, ...]) -> bool:
    return any(isinstance(entry.get(key), str) and entry[key].strip() for key in keys)


def _first(entry: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((entry[key] for key in keys if isinstance(entry.get(key), str) and entry[key].strip()), "")


def _address(source: str, text: str) -> str:
    """Return an address of the web, or of our library where that is the source; '' for any other."""
    known = text.lower().startswith(_SCHEMES) or (source == "library" and text.startswith("library:"))
    return one_line(text)[:2_000] if known and not any(each.isspace() for each in text) else ""


def _path(value: Any) -> str | None:
    """Return a path inside the folder of downloads, None for anything that could lead out of it."""
    if not isinstance(value, str) or not value or "\\" in value or ":" in value or visible(value) != value:
        return None
    return None if value.startswith("/") or ".." in value.split("/") else value


def _authors(entry: Mapping[str, Any]) -> tuple[str, ...]:
    stated = entry.get("authors", entry.get("author"))
    names = stated.split(";") if isinstance(stated, str) else stated if isinstance(stated, list) else []
    plain = (each.get("name") or each.get("display_name") if isinstance(each, Mapping) else each for each in names)
    return tuple(one_line(each).strip()[:200] for each in plain if isinstance(each, str) and each.strip())[:_MOST_AUTHORS]


def iso_date(value: object) -> str | None:
    """Return the date, month or year that a text begins with, None for anything else and for what is no date."""
    found = _DATE.match(str(value).strip())
    if found is None:
        return None
    try:
        date(*(int(part or 1) for part in found.groups()))
    except ValueError:
        return None
    return "-".join(part for part in found.groups() if part)


def _doi(entry: Mapping[str, Any]) -> str | None:
    names = entry.get("externalIds")
    stated = entry.get("doi") or entry.get("DOI") or (names.get("DOI") if isinstance(names, Mapping) else None)
    if not isinstance(stated, str):
        return None
    return one_line(re.sub(r"^https?://(dx\.)?doi\.org/", "", stated.strip()))[:200] or None


def _extra(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return what our sources put there, and plain values that another server states besides."""
    stated = dict(entry["extra"]) if isinstance(entry.get("extra"), Mapping) else {}
    stated |= {key: each for key, each in entry.items() if key not in _OWN}
    kept: dict[str, Any] = {}
    for key, each in list(stated.items())[:30]:
        if isinstance(each, str):
            kept[one_line(str(key))[:60]] = visible(each)[: _LONGEST_TITLE * 4]
        elif isinstance(each, bool | int) or (isinstance(each, float) and each - each == 0):
            kept[one_line(str(key))[:60]] = each
    return kept
