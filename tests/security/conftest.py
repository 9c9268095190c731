"""The same recorded market as the flows'."""

from tests.flows.conftest import candles, desk

__all__ = ["candles", "desk"]
