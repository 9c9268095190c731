"""What a model is told of arguments that a tool of the equities desk cannot use: which, and what would be right."""

from typing import Any, cast

import pytest

from engine.desks.equities.tools.company import get_indicators, get_price_history
from engine.desks.equities.tools.news import search_news
from engine.desks.equities.tools.tool import DataTool, Known
from engine.domain.errors import BadInput


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        (get_price_history, {"days": 121}, r"^days: .*less than or equal to 120; get_price_history takes symbol, days$"),
        (get_price_history, {"days": "many"}, r"^days: .*integer.*; get_price_history takes symbol, days$"),
        (get_price_history, {"dayz": 3}, r"^dayz: .*not permitted; get_price_history takes symbol, days$"),
        (get_indicators, {"group": "all of them"}, r"^group: .*'trend'.*or 'all'; get_indicators takes symbol, group$"),
        (search_news, {"query": "x" * 201}, r"^query: at most 200 characters; search_news takes symbol, query, days$"),
    ],
)
async def test_arguments_that_cannot_be_used_are_named_with_what_would_be_right(
    tool: DataTool, arguments: dict[str, Any], told: str
) -> None:
    with pytest.raises(BadInput, match=told):
        await tool.call(cast(Known, None), arguments)  # refused before anything is looked into
