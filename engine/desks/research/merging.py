"""The same document of several sources is one document. Pure.

Two are the same by their DOI or address; of different sources also by their title, unless their DOIs differ. The first one stays, and takes
from the others what it does not say itself. How each source gave it is kept: a download asks the source by its own words.
"""

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import parse_qsl, urlencode, urlsplit

from engine.domain.research.document import Document, SourceCopy

_SHORTEST_TITLE = 8
_TRACKING = re.compile(r"^(?:utm_\w+|fbclid|gclid|ref)$")
_NO_LETTER = re.compile(r"[\W_]+")


def merge_documents(documents: Iterable[Document]) -> list[Document]:
    """Return every document once, in the order of their first appearance."""
    merged: list[Document] = []
    places: dict[tuple[str, str], int] = {}
    for document in documents:
        place = _place_of(document, merged, places)
        if place is None:
            place = len(merged)
            merged.append(document)
        else:
            merged[place] = _joined(merged[place], document)
        for key in _keys(document):
            places.setdefault(key, place)
    return merged


def _place_of(document: Document, merged: list[Document], places: dict[tuple[str, str], int]) -> int | None:
    for kind, value in _keys(document):
        place = places.get((kind, value))
        if place is not None and (kind != "title" or _may_be_one(merged[place], document)):
            return place
    return None


def _may_be_one(first: Document, other: Document) -> bool:
    dois = {normal_doi(each.doi) for each in (first, other)} - {""}
    return other.source not in {first.source, *first.also_in} and len(dois) < 2


def _keys(document: Document) -> list[tuple[str, str]]:
    keys = (("doi", normal_doi(document.doi)), ("url", normal_url(document.url)), ("title", normal_title(document.title)))
    return [(kind, value) for kind, value in keys if value]


def normal_doi(doi: str | None) -> str:
    """Return `10.1234/abc` of a DOI as sources write it, "" of none."""
    found = re.search(r"10\.\d{4,9}/\S+", (doi or "").lower())
    return found[0].rstrip(".,;)") if found else ""


def normal_url(url: str) -> str:
    """Return an address without what does not name the page: scheme, `www.`, fragment, tracking, last slash. "" of none."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    if not parts.netloc and not parts.path:
        return ""
    query = urlencode(sorted(pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not _TRACKING.match(pair[0])))
    scheme = "" if parts.scheme in {"http", "https"} else f"{parts.scheme}:"
    return f"{scheme}{parts.netloc.lower().removeprefix('www.')}{parts.path.rstrip('/')}{f'?{query}' if query else ''}"


def normal_title(title: str) -> str:
    """Return the letters and digits of a title in one spelling; "" where they are too few to name a document."""
    letters = _NO_LETTER.sub("", unicodedata.normalize("NFKC", title).casefold())
    long_enough = len(letters) >= _SHORTEST_TITLE or (not letters.isascii() and len(letters) * 2 >= _SHORTEST_TITLE)
    return letters if long_enough else ""


def _joined(first: Document, other: Document) -> Document:
    also = dict.fromkeys((*first.also_in, other.source, *other.also_in))
    return first.model_copy(
        update={
            "abstract": max((first.abstract, other.abstract), key=len),
            "url": first.url or other.url,
            "doi": first.doi or other.doi,
            "authors": first.authors or other.authors,
            "published_date": first.published_date or other.published_date,
            "text": first.text or other.text,
            "extra": {**other.extra, **first.extra},
            "also_in": tuple(name for name in also if name != first.source),
            "copies": _copies(first, other),
        }
    )


def _copies(*documents: Document) -> tuple[SourceCopy, ...]:
    """Return the documents as their sources gave them, one a source, in their order."""
    found: dict[str, SourceCopy] = {}
    for each in documents:
        alone = SourceCopy(source=each.source, title=each.title, url=each.url, doi=each.doi, extra=each.extra)
        for copy in each.copies or (alone,):
            found.setdefault(copy.source, copy)
    return tuple(found.values())
