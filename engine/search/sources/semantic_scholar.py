"""Semantic Scholar: papers through its graph API."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.domain.text.reason import Reason
from engine.search.sources.source import iso_date, readable, web_address
from engine.search.web.web_client import WebClient, WebRequest

DEFAULT: Final = "https://api.semanticscholar.org"
_MOST: Final = 100
_FIELDS: Final = "title,abstract,url,year,publicationDate,authors,externalIds,openAccessPdf"


class SemanticScholar:
    """Implements `Source`. key: '' = none, with which all the world shares one limit. One request a second, with a key too."""

    name = "semantic_scholar"
    about = "Scholarly papers, ordered by relevance; some without an abstract."

    def __init__(self, web: WebClient, base: str | None, key: str) -> None:
        self._web, self._base, self._key = web, base or DEFAULT, key

    async def search(self, query: str, limit: int, until: date | None) -> list[Document]:
        asked = {"query": query, "limit": str(min(limit, _MOST)), "fields": _FIELDS}
        if until is not None:
            asked["publicationDateOrYear"] = f":{until.isoformat()}"
        request = WebRequest(
            "Semantic Scholar",
            f"{self._base}/graph/v1/paper/search",
            asked,
            headers={"x-api-key": self._key} if self._key else {},
            spacing_s=1.0,
            setting="TRIBUNAL_SEMANTIC_SCHOLAR_URL",
        )
        return await self._web.ask(request, _documents)

    def download_address(self, document: Document) -> str:
        """See the protocol. The open-access copy, where there is one."""
        pdf = document.extra.get("pdf_url")
        if not pdf:
            raise SearchError(Reason("semantic_scholar_knows_no_open_access_copy", title=f"{document.title[:80]!r}"))
        return web_address(document.model_copy(update={"url": str(pdf)}))


def _documents(answer: Any) -> list[Document]:
    if "data" not in answer:
        if answer["total"] != 0:  # it leaves the list out where nothing was found
            raise KeyError("data")
        return []
    return readable(answer["data"], _document)


def _document(paper: Mapping[str, Any]) -> Document:
    names = paper.get("externalIds") or {}
    pdf = (paper.get("openAccessPdf") or {}).get("url")
    return Document(
        source=SemanticScholar.name,
        title=str(paper["title"] or ""),
        url=str(paper.get("url") or ""),
        abstract=str(paper.get("abstract") or ""),
        authors=tuple(str(each["name"]) for each in paper.get("authors") or () if each.get("name")),
        published_date=iso_date(paper.get("publicationDate")) or iso_date(paper.get("year")),
        doi=str(names["DOI"]) if names.get("DOI") else None,
        extra={"paper_id": str(paper.get("paperId") or ""), **({"pdf_url": str(pdf)} if pdf else {})},
    )
