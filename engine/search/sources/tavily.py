"""Tavily: web pages, for a key."""

from collections.abc import Mapping
from datetime import date
from email.utils import parsedate_to_datetime
from typing import Any, Final

from engine.domain.research.document import Document
from engine.search.sources.source import iso_date, readable, web_address
from engine.search.web.web_client import WebClient, WebRequest

DEFAULT: Final = "https://api.tavily.com"
_MOST: Final = 20
_LONGEST_QUERY: Final = 400  # characters it takes


class Tavily:
    """Implements `Source`. Pages carry a date only where Tavily states one."""

    name = "tavily"
    about = "Web pages and news: what is written about it now."

    def __init__(self, web: WebClient, base: str | None, key: str) -> None:
        self._web, self._base, self._key = web, base or DEFAULT, key

    async def search(self, query: str, limit: int, until: date | None) -> list[Document]:
        body: dict[str, Any] = {
            "query": query[:_LONGEST_QUERY],
            "search_depth": "basic",
            "topic": "general",
            "max_results": min(limit, _MOST),
            "include_answer": False,
            "include_raw_content": False,
        }
        if until is not None:
            body["end_date"] = until.isoformat()
        secret = {"Authorization": f"Bearer {self._key}"}
        request = WebRequest("Tavily", f"{self._base}/search", body=body, headers=secret, setting="TRIBUNAL_TAVILY_URL")
        return await self._web.ask(request, _documents)

    def download_address(self, document: Document) -> str:
        return web_address(document)


def _documents(answer: Any) -> list[Document]:
    return readable(answer["results"], _document)


def _document(page: Mapping[str, Any]) -> Document:
    return Document(
        source=Tavily.name,
        title=str(page.get("title") or ""),
        url=str(page["url"]),
        abstract=str(page.get("content") or ""),
        published_date=_date(page.get("published_date")),
    )


def _date(value: object) -> str | None:
    """Return a date that is stated as ISO text or as mails state it."""
    if found := iso_date(value):
        return found
    try:
        return parsedate_to_datetime(str(value)).date().isoformat() if value else None
    except ValueError:
        return None
