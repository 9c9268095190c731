"""The same recorded market and account as the flows', and a browser."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.conftest import browsers_at, chromium, visit
from tests.flows.conftest import candles, desk, shop, venue

__all__ = ["candles", "chromium", "desk", "shop", "venue", "visit"]


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Any]:
    """A Chromium of one module: tests with an event loop come after it."""
    with browsers_at(chromium) as made:
        yield made.opened()
