"""News in a file: `published,symbol,source,title,url` and perhaps `text`.

Gives items by symbol; those without one are about the market. A time without a zone is UTC; a date alone counts as published when that
date is over.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path

from engine.domain.equity.news_item import NewsItem
from engine.equity.known import end_of_day
from engine.equity.listings import canonical_symbol
from engine.files.text_table import TextTable, read_text_table

MARKET = ""
"""The key of what is about no company."""


def read_news_file(path: Path) -> Mapping[str, tuple[NewsItem, ...]]:
    """Return symbol -> its items in the order of the file. Raises BadMarketData."""
    table = read_text_table(path, ("published", "symbol", "source", "title", "url"), ("text",))
    found: dict[str, list[NewsItem]] = {}
    for index in range(len(table)):
        symbol = canonical_symbol(table.cell(index, "symbol"))
        item = NewsItem(
            published=_published(table, index),
            symbol=symbol or None,
            source=table.cell(index, "source"),
            title=table.cell(index, "title"),
            url=table.cell(index, "url"),
            text=table.cell(index, "text"),
        )
        found.setdefault(symbol or MARKET, []).append(item)
    return {symbol: tuple(items) for symbol, items in found.items()}


def _published(table: TextTable, index: int) -> datetime:
    cell = table.cell(index, "published")
    try:
        if len(cell) <= 10:
            return end_of_day(date.fromisoformat(cell))
        stated = datetime.fromisoformat(cell)
        return (stated if stated.tzinfo is not None else stated.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        table.refuse(index, f"published {cell[:40]!r} is not a time: write it as 2024-03-08T14:30:00Z")
