"""Wikipedia, in the language of the question's script: introductions of the articles that its search finds, through the MediaWiki API."""

import re
from datetime import date
from typing import Any, Final

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.search.sources.source import iso_date, web_address
from engine.search.web.web_client import WebClient, WebRequest

DEFAULT: Final = "https://{language}.wikipedia.org"
_CHINESE: Final = re.compile(r"[\u3400-\u9fff]")
_MOST: Final = 20  # introductions that one request may ask for


class Wikipedia:
    """Implements `Source`. base: address, in which `{language}` stands for `en` or `zh`. An article is dated by its last change: what
    it says now was not there before."""

    name = "wikipedia"
    about = "Encyclopedia articles, in English or Chinese by the question's script: what a thing is, background, definitions."

    def __init__(self, web: WebClient, base: str | None) -> None:
        self._web, self._base = web, base or DEFAULT

    async def search(self, query: str, limit: int, until: date | None) -> list[Document]:
        """See the protocol."""
        language = "zh" if _CHINESE.search(query) else "en"
        asked = {
            "action": "query",
            "format": "json",
            "formatversion": "2",
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
        url = f"{self._base.replace('{language}', language)}/w/api.php"
        return await self._web.ask(WebRequest("Wikipedia", url, asked, setting="TRIBUNAL_WIKIPEDIA_URL"), _documents)

    def download_address(self, document: Document) -> str:
        """See the protocol."""
        return web_address(document)


def _documents(answer: Any) -> list[Document]:
    if "error" in answer:
        raise SearchError(f"Wikipedia refused: {str(answer['error'].get('info', answer['error'].get('code')))[:160]}")
    if "query" not in answer:
        if "batchcomplete" not in answer:
            raise KeyError("query")
        return []
    pages = sorted(answer["query"]["pages"], key=lambda page: page.get("index", 0))
    return [
        Document(
            source=Wikipedia.name,
            title=str(page["title"]),
            url=str(page.get("fullurl", "")),
            abstract=str(page.get("extract", "")).strip(),
            published_date=iso_date(page["revisions"][0]["timestamp"]) if page.get("revisions") else None,
            extra={"page_id": page["pageid"]},
        )
        for page in pages
    ]
