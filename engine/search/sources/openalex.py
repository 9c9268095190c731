"""OpenAlex: scholarly works, whose abstracts come as an index of words and are put together again."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.domain.text.reason import Reason
from engine.search.sources.source import iso_date, readable, web_address
from engine.search.web.web_client import WebClient, WebRequest

DEFAULT: Final = "https://api.openalex.org"
_MOST: Final = 100
_FIELDS: Final = (
    "id,doi,display_name,publication_date,publication_year,authorships,abstract_inverted_index,primary_location,best_oa_location"
)
_LONGEST_ABSTRACT: Final = 5_000  # words


class OpenAlex:
    """Implements `Source`. contact: an e-mail address or '', for its polite pool. key: '' = none: few requests a day."""

    name = "openalex"
    about = "Scholarly papers of every field, with abstracts: evidence, methods, measured effects."

    def __init__(self, web: WebClient, base: str | None, contact: str, key: str) -> None:
        self._web, self._base = web, base or DEFAULT
        self._contact, self._key = contact, key

    async def search(self, query: str, limit: int, until: date | None) -> list[Document]:
        asked = {"search": query, "per-page": str(min(limit, _MOST)), "select": _FIELDS}
        if until is not None:
            asked["filter"] = f"to_publication_date:{until.isoformat()}"
        if "@" in self._contact:
            asked["mailto"] = self._contact
        secret = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        request = WebRequest("OpenAlex", f"{self._base}/works", asked, headers=secret, setting="TRIBUNAL_OPENALEX_URL")
        return await self._web.ask(request, _documents)

    def download_address(self, document: Document) -> str:
        """See the protocol. The open-access copy, where there is one."""
        pdf = document.extra.get("pdf_url")
        if not pdf:
            raise SearchError(Reason("openalex_knows_no_open_access_copy_of", title=f"{document.title[:80]!r}"))
        return web_address(document.model_copy(update={"url": str(pdf)}))


def _documents(answer: Any) -> list[Document]:
    return readable(answer["results"], _document)


def _document(work: Mapping[str, Any]) -> Document:
    place, open_copy = work.get("primary_location") or {}, work.get("best_oa_location") or {}
    doi = work.get("doi")
    people = [(each.get("author") or {}).get("display_name") for each in work.get("authorships") or ()]
    pdf = open_copy.get("pdf_url") or place.get("pdf_url")
    return Document(
        source=OpenAlex.name,
        title=str((work["display_name"] if "display_name" in work else work["title"]) or ""),
        url=str(place.get("landing_page_url") or doi or work["id"]),
        abstract=abstract_of(work.get("abstract_inverted_index") or {}),
        authors=tuple(str(name) for name in people if name),
        published_date=iso_date(work.get("publication_date")) or iso_date(work.get("publication_year")),
        doi=str(doi).removeprefix("https://doi.org/") if doi else None,
        extra={"openalex_id": str(work["id"]), **({"pdf_url": str(pdf)} if pdf else {})},
    )


def abstract_of(index: Mapping[str, list[int]]) -> str:
    """Return the text of an inverted index: word -> its positions. Positions are someone else's numbers: only their order counts."""
    placed = [(int(at), word) for word, places in index.items() for at in places]
    return " ".join(word for _, word in sorted(placed, key=lambda each: each[0])[:_LONGEST_ABSTRACT])
