"""Scholarly papers: OpenAlex, whose abstracts come as an index of words and are put together again, and Semantic Scholar."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from engine.domain.research.document import Document
from engine.search.results import iso_date
from engine.search.sources.source import PaperSource, readable

_MOST: Final = 100
_LONGEST_ABSTRACT: Final = 5_000  # words


class OpenAlex(PaperSource):
    """contact: an e-mail address or '', for its polite pool. key: '' = none: few requests a day."""

    name = "openalex"
    about = "Scholarly papers of every field, with abstracts: evidence, methods, measured effects."
    who = "OpenAlex"
    home = "https://api.openalex.org"
    setting = "TRIBUNAL_OPENALEX_URL"
    no_copy = "openalex_knows_no_open_access_copy_of"
    _FIELDS = "id,doi,display_name,publication_date,publication_year,authorships,abstract_inverted_index,primary_location,best_oa_location"

    async def search(self, query: str, limit: int, until: date | None) -> list[Document]:
        asked = {"search": query, "per-page": str(min(limit, _MOST)), "select": self._FIELDS}
        if until is not None:
            asked["filter"] = f"to_publication_date:{until.isoformat()}"
        if "@" in self._contact:
            asked["mailto"] = self._contact
        return await self._ask(f"{self._base}/works", lambda answer: readable(answer["results"], _work), asked)


class SemanticScholar(PaperSource):
    """key: '' = none, with which all the world shares one limit. One request a second, with a key too."""

    name = "semantic_scholar"
    about = "Scholarly papers, ordered by relevance; some without an abstract."
    who = "Semantic Scholar"
    home = "https://api.semanticscholar.org"
    setting = "TRIBUNAL_SEMANTIC_SCHOLAR_URL"
    no_copy = "semantic_scholar_knows_no_open_access_copy"
    spacing_s = 1.0
    key_header = ("x-api-key", "")
    _FIELDS = "title,abstract,url,year,publicationDate,authors,externalIds,openAccessPdf"

    async def search(self, query: str, limit: int, until: date | None) -> list[Document]:
        asked = {"query": query, "limit": str(min(limit, _MOST)), "fields": self._FIELDS}
        if until is not None:
            asked["publicationDateOrYear"] = f":{until.isoformat()}"
        return await self._ask(f"{self._base}/graph/v1/paper/search", _papers, asked)


def _work(work: Mapping[str, Any]) -> Document:
    place, open_copy = work.get("primary_location") or {}, work.get("best_oa_location") or {}
    doi = work.get("doi")
    people = [(each.get("author") or {}).get("display_name") for each in work.get("authorships") or ()]
    pdf = open_copy.get("pdf_url") or place.get("pdf_url")
    return Document(
        source=OpenAlex.name,
        title=str((work["display_name"] if "display_name" in work else work["title"]) or ""),
        url=str(place.get("landing_page_url") or doi or work["id"]),
        abstract=_abstract(work.get("abstract_inverted_index") or {}),
        authors=tuple(str(name) for name in people if name),
        published_date=iso_date(work.get("publication_date")) or iso_date(work.get("publication_year")),
        doi=str(doi).removeprefix("https://doi.org/") if doi else None,
        extra={"openalex_id": str(work["id"]), **({"pdf_url": str(pdf)} if pdf else {})},
    )


def _abstract(index: Mapping[str, list[int]]) -> str:
    """Return the text of an inverted index: word -> its positions. Positions are someone else's numbers: only their order counts."""
    placed = [(int(at), word) for word, places in index.items() for at in places]
    return " ".join(word for _, word in sorted(placed, key=lambda each: each[0])[:_LONGEST_ABSTRACT])


def _papers(answer: Any) -> list[Document]:
    if "data" not in answer:
        if answer["total"] != 0:  # it leaves the list out where nothing was found
            raise KeyError("data")
        return []
    return readable(answer["data"], _paper)


def _paper(paper: Mapping[str, Any]) -> Document:
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
