"""The whole indicator table: what can be claimed, of the market and of an open position."""

from collections.abc import Mapping

from engine.grounding.indicator import Indicator
from engine.grounding.indicators_flows import FLOWS
from engine.grounding.indicators_market import MARKET
from engine.grounding.indicators_position import POSITION

INDICATORS: tuple[Indicator, ...] = (*MARKET, *FLOWS, *POSITION)

BY_BASE: Mapping[str, Indicator] = {indicator.base: indicator for indicator in reversed(INDICATORS)}
"""Indicators by their base key; the first entry where two share one."""
