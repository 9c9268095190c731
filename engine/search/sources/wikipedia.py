"""Wikipedia, in the language of the question's script: introductions of the articles that its search finds, through the MediaWiki API."""

import logging
import re
from collections.abc import Mapping
from datetime import date
from html import unescape
from typing import Any, Final
from urllib.parse import quote

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.domain.text.reason import Reason
from engine.domain.text.visible import one_line
from engine.search.results import iso_date
from engine.search.sources.source import WebSource, readable

_LOG: Final = logging.getLogger("engine.search")
_CHINESE: Final = re.compile(r"[\u3400-\u9fff]")
_MARKUP: Final = re.compile(r"<[^<>]*>")
_MOST: Final = 20  # introductions that one request may ask for


class Wikipedia(WebSource):
    """In its address `{language}` stands for `en` or `zh`. An article is dated by its last change: what it says now was not there before.
    A wiki that gives no introductions (they are an extension) gives the snippets of its hits."""

    name = "wikipedia"
    about = "Encyclopedia articles, in English or Chinese by the question's script: what a thing is, background, definitions."
    who = "Wikipedia"
    home = "https://{language}.wikipedia.org"
    setting = "TRIBUNAL_WIKIPEDIA_URL"

    async def search(self, query: str, limit: int, until: date | None) -> list[Document]:
        language = "zh" if _CHINESE.search(query) else "en"
        plain = {"action": "query", "format": "json", "formatversion": "2"}
        asked = {
            **plain,
            "generator": "search",
            "gsrsearch": query,
            "gsrlimit": str(min(limit, _MOST)),
            "prop": "extracts|info|revisions",
            "exintro": "1",
            "explaintext": "1",
            "exlimit": "max",
            "inprop": "url",
            "rvprop": "timestamp",
        }
        base = self._base.replace("{language}", language)
        api = f"{base}/w/api.php"
        found = await self._ask(api, _documents, asked)
        if any(each.abstract for each in found):
            return found
        listed = {**plain, "list": "search", "srsearch": query, "srlimit": asked["gsrlimit"]}
        try:
            return await self._ask(api, lambda answer: _hits(answer, base), listed) or found
        except SearchError:
            if not found:
                raise
            return found  # titles and addresses are better than nothing


def _documents(answer: Any) -> list[Document]:
    if "error" in answer:
        _LOG.warning("Wikipedia refused: %s", one_line(str(answer["error"]))[:300])
        raise SearchError(Reason("wikipedia_does_not_accept_what"))
    if "query" not in answer:
        if "batchcomplete" not in answer:
            raise KeyError("query")
        return []
    pages = answer["query"].get("pages", [])
    listed = list(pages.values()) if isinstance(pages, dict) else pages  # a dictionary in the first version of its format
    return readable(sorted(listed, key=lambda page: page.get("index", 0)), _document)


def _document(page: Mapping[str, Any]) -> Document:
    return Document(
        source=Wikipedia.name,
        title=str(page["title"]),
        url=str(page.get("fullurl", "")),
        abstract=str(page.get("extract", "")).strip(),
        published_date=iso_date(page["revisions"][0]["timestamp"]) if page.get("revisions") else None,
        extra={"page_id": page["pageid"]},
    )


def _hits(answer: Any, base: str) -> list[Document]:
    """Return what a plain list of hits says: titles, snippets with markup, and when the articles were changed."""
    if "query" not in answer and "batchcomplete" in answer:
        return []
    return readable(answer["query"]["search"], lambda hit: _hit(hit, base))


def _hit(hit: Mapping[str, Any], base: str) -> Document:
    title = str(hit["title"])
    return Document(
        source=Wikipedia.name,
        title=title,
        url=f"{base}/wiki/{quote(title.replace(' ', '_'))}",
        abstract=unescape(_MARKUP.sub("", str(hit.get("snippet", "")))).strip(),
        published_date=iso_date(hit.get("timestamp")),
        extra={"page_id": hit["pageid"]},
    )
