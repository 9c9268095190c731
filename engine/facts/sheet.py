"""The fact sheet of a snapshot: every canonical key, measured or missing with its reason.

Given a snapshot, gives the one truth that prompts are written from and claims are checked against. Indicators are measured on closed
candles only, with at least 250 of them in their timeframe; the forming candle moves the last price and what is measured from it (`close`,
which level is the nearest, the position's profit and extremes), never an indicator. A number that is not finite is never let through.
"""

import math
from collections.abc import Iterator

import numpy as np

from engine.domain.facts import Fact, FactSheet, FactValue, Pattern, Unit
from engine.domain.market.candles import Candles
from engine.domain.market.instrument import Surroundings
from engine.domain.market.snapshot import Snapshot
from engine.domain.text.reason import Reason
from engine.facts.bars import Bars, Unmeasurable, to_bars
from engine.facts.indicators import INDICATORS, Indicator
from engine.facts.levels import level_indicators
from engine.facts.patterns import recent_patterns
from engine.facts.position import position_facts

WARM_UP = 250


def build_sheet(snapshot: Snapshot) -> FactSheet:
    """Measure everything that may be known at the snapshot's instant.

    Keys of the main timeframe are plain, those of the higher one carry it as a prefix; position keys exist only with a holding. Never
    raises for candles it cannot measure: those facts are missing, with the reason.
    """
    with np.errstate(all="ignore"):  # what overflows ends as a missing fact below, not as a warning
        price, why = _price(snapshot)
        facts = [_close(snapshot, price, why), *timeframe_facts(snapshot.candles, price, main=True)]
        if snapshot.candles_htf is not None:
            facts += timeframe_facts(snapshot.candles_htf, price, main=False)
        facts += _surrounding_facts(snapshot.surroundings)
        if snapshot.holding is not None:
            facts += position_facts(snapshot, snapshot.holding, price)
        patterns = patterns_of(snapshot.candles) + patterns_of(snapshot.candles_htf)
    return FactSheet(
        symbol=snapshot.market.symbol,
        timeframe=str(snapshot.timeframe),
        timeframe_htf=str(snapshot.timeframe_htf) if snapshot.timeframe_htf is not None else None,
        facts={fact.key: fact for fact in facts},
        patterns=patterns,
        price_step=snapshot.market.price_step,
        notes=snapshot.notes,
    )


def _price(snapshot: Snapshot) -> tuple[float | None, str | None]:
    """Return the last price, or why it cannot be trusted."""
    reason = snapshot.candles.fault
    if reason is not None:
        return None, reason
    price = snapshot.price
    if not (math.isfinite(price) and price > 0):
        return None, f"the last price is {price!r}"
    return price, None


def _close(snapshot: Snapshot, price: float | None, why: str | None) -> Fact:
    forming = snapshot.forming
    formula = "close of the last closed bar" if forming is None else "last price, close of the forming bar"
    known = price is not None
    bar_time = (forming.opened_at if forming is not None else int(snapshot.candles.opened_at[-1])) if known else None
    return Fact(
        key="close",
        value=price,
        unit="price",
        timeframe=str(snapshot.timeframe),
        bar_time=bar_time,
        formula=formula,
        bars=1 if known and forming is None else 0,
        missing=why,
    )


def timeframe_facts(candles: Candles, price: float | None, *, main: bool) -> Iterator[Fact]:
    """Yield the table of indicators and the two key levels of one timeframe."""
    entries = [entry for entry in INDICATORS if main or not entry.main_only]
    reason = candles.fault
    if reason is None and len(candles) < WARM_UP:
        reason = Reason("only_closed_bars_of", candles=len(candles), timeframe=candles.timeframe, warm_up=WARM_UP)
    bars = to_bars(candles) if reason is None else None
    for entry in (*entries, *level_indicators(price)):
        value, missing = _measure(entry, bars, reason)
        known = value is not None
        yield Fact(
            key=entry.key if main else f"{candles.timeframe}.{entry.key}",
            value=value,
            unit=entry.unit,
            timeframe=str(candles.timeframe),
            bar_time=int(candles.opened_at[-1]) if known else None,
            formula=entry.formula,
            bars=entry.used(bars) if known and bars is not None else 0,
            missing=missing,
        )


def _measure(entry: Indicator, bars: Bars | None, reason: str | None) -> tuple[FactValue, str | None]:
    """Return one entry's value in real units, or None and why."""
    if bars is None:
        return None, reason
    try:
        value = entry.measure(bars)
    except Unmeasurable as why:
        return None, str(why)
    if isinstance(value, str):
        return value, None
    value = value / bars.scale if entry.unit in {"price", "macd"} else value
    if not math.isfinite(value):
        return None, "the result is not a finite number"
    return value + 0.0, None  # + 0.0: no negative zero


def _surrounding_facts(around: Surroundings) -> Iterator[Fact]:
    """Yield funding, open interest and sentiment: what the feed does not know stays missing, never zero."""
    funding, interest, before, fear = around.funding_rate, around.open_interest, around.open_interest_24h_ago, around.fear_greed
    unknown = "the feed does not know it"
    yield plain_fact(
        "funding_rate_pct", "percent", None if funding is None else funding * 100.0, "funding rate per interval * 100", unknown
    )
    if before is not None and before <= 0:
        change, why = None, "the open interest of 24 h ago is not above zero"
    else:
        change, why = None if interest is None or before is None else (interest / before - 1.0) * 100.0, unknown
    yield plain_fact("oi_change_pct", "percent", change, "open interest against 24 h before", why)
    if fear is not None and not 0 <= fear <= 100:
        fear, unknown = None, f"{fear!r} is outside 0-100"
    yield plain_fact("fear_greed", "index", fear, "Fear & Greed index, 0-100", unknown)


def plain_fact(key: str, unit: Unit, value: float | None, formula: str, missing: str) -> Fact:
    """Return a fact that is measured on no candles. missing: why it is unknown, where it is."""
    if value is not None and not math.isfinite(value):
        value, missing = None, "the result is not a finite number"
    return Fact(key=key, value=value, unit=unit, formula=formula, missing=missing if value is None else None)


def patterns_of(candles: Candles | None) -> tuple[Pattern, ...]:
    """Return the recent patterns; none on candles that cannot be measured."""
    if candles is None or candles.fault is not None:
        return ()
    return recent_patterns(to_bars(candles))
