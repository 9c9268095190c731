"""Feeds and sources of companies: kept while they are of use, and not for ever."""

import gc
import weakref
from typing import TYPE_CHECKING, Any

import pytest

from engine.domain.account_ref import AccountRef

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.api import Engine

KEPT = 8


@pytest.mark.full
def test_markets_of_many_seeds_are_not_kept_for_ever(make_engine: "Callable[..., Engine]") -> None:
    """Each holds years of candles, and an account that was once read stays known."""
    container = make_engine()._container
    seen: list[weakref.ref[Any]] = []
    for seed in range(3 * KEPT):
        ref = AccountRef(feed="simulated", seed=seed)
        broker = container.approvals.brokers.broker(ref)
        seen += [weakref.ref(container.providers.feed(ref)), weakref.ref(container.providers.equities("simulated", None, seed))]
        container.loop.submit(broker._quotes.path("BTC/USDT:USDT", None, None)).result(20)  # type: ignore[attr-defined]
        container.loop.submit(broker._quotes.path("AAPL", None, None)).result(20)  # type: ignore[attr-defined]
        assert container.approvals.brokers.broker(ref) is broker
    gc.collect()
    assert sum(each() is not None for each in seen) <= 2 * KEPT
    newest = AccountRef(feed="simulated", seed=3 * KEPT - 1)
    assert container.providers.feed(newest) is seen[-2](), "the last ones are"
