"""Tavily: web pages, for a key."""

from collections.abc import Mapping
from datetime import date
from email.utils import parsedate_to_datetime
from typing import Any, Final

from engine.domain.research.document import Document
from engine.search.results import iso_date
from engine.search.sources.source import WebSource, readable

_MOST: Final = 20
_LONGEST_QUERY: Final = 400  # characters it takes


class Tavily(WebSource):
    """Pages carry a date only where Tavily states one."""

    name = "tavily"
    about = "Web pages and news: what is written about it now."
    who = "Tavily"
    home = "https://api.tavily.com"
    setting = "TRIBUNAL_TAVILY_URL"

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
        return await self._ask(f"{self._base}/search", lambda answer: readable(answer["results"], _page), body=body)


def _page(page: Mapping[str, Any]) -> Document:
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
