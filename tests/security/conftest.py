"""The same recorded market and account as the flows'."""

from tests.flows.conftest import candles, desk, shop, venue

__all__ = ["candles", "desk", "shop", "venue"]
