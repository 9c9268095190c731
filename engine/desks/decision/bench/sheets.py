"""The frozen markets of the bench: simulated ones at fixed instants, and the mirror of each.

In a mirror every price is reflected at the last one, funding changes its sign, fear and greed change places, a long is a short: whatever
spoke for rising prices speaks for falling ones, by exactly as much. Nothing else changes, so a model without a bias turns its verdict.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

from engine.domain.errors import BadInput
from engine.domain.holding import Holding
from engine.domain.market.candles import Candle, Candles
from engine.domain.market.instrument import Surroundings
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.market.protocol import Feed
from engine.market.snapshot import take_snapshot

SEED: Final = 26
"""Of the simulated market."""
Dose = Literal["flat", "mixed", "clear"]
"""How much speaks for a direction: averages without order, averages in order and little movement, a trend on both timeframes."""
_MAIN, _HIGHER = Timeframe.parse("15m"), Timeframe.parse("1h")
_BARS: Final = 400
_HELD_FOR: Final = timedelta(hours=6)
_SIZE, _LEVERAGE = 0.1, 3.0


@dataclass(frozen=True)
class Sheet:
    """A frozen market. twin: the name of its mirror. mirrored: whether it is one. The language is that of the questions about it."""

    name: str
    twin: str
    dose: Dose
    language: Language
    snapshot: Snapshot
    mirrored: bool = False

    @property
    def is_held(self) -> bool:
        """Whether a position is open."""
        return self.snapshot.holding is not None


@dataclass(frozen=True)
class _Scene:
    name: str
    dose: Dose
    base: str
    at: datetime
    language: Language
    held: bool = False


def _at(month: int, day: int, hour: int) -> datetime:
    return datetime(2025, month, day, hour, 7, tzinfo=UTC)


_SCENES: Final[Sequence[_Scene]] = (
    _Scene("clear-1", "clear", "BTC", _at(4, 12, 10), "en"),
    _Scene("clear-2", "clear", "SOL", _at(4, 12, 10), "zh"),
    _Scene("mixed-1", "mixed", "ETH", _at(6, 20, 16), "en"),
    _Scene("flat-1", "flat", "ETH", _at(5, 30, 16), "zh"),
    _Scene("flat-2", "flat", "SOL", _at(6, 14, 10), "zh"),
    _Scene("held-1", "clear", "BTC", _at(4, 15, 13), "zh", held=True),
    _Scene("held-2", "flat", "BTC", _at(4, 30, 14), "en", held=True),
)
MIRROR: Final = "-mirrored"


async def read_sheets(feed: Feed) -> list[Sheet]:
    """Return every market and its mirror. feed: the simulated one of `SEED`. Raises a MarketError."""
    sheets = []
    for scene in _SCENES:
        snapshot = await take_snapshot(
            feed, symbol=f"{scene.base}/USDT:USDT", timeframe=_MAIN, htf=_HIGHER, at=scene.at, holding=None, bars=_BARS
        )
        if scene.held:
            snapshot = replace(snapshot, holding=_long(snapshot))
        turned = scene.name + MIRROR
        sheets.append(Sheet(scene.name, turned, scene.dose, scene.language, snapshot))
        sheets.append(Sheet(turned, scene.name, scene.dose, scene.language, mirrored(snapshot), mirrored=True))
    return sheets


def _long(snapshot: Snapshot) -> Holding:
    opened = snapshot.at - _HELD_FOR
    entry = float(snapshot.candles.open[snapshot.candles.opened_at.searchsorted(int(opened.timestamp() * 1000))])
    return Holding(side="long", entry_price=entry, size=_SIZE, leverage=_LEVERAGE, opened_at=opened)


def mirrored(snapshot: Snapshot) -> Snapshot:
    """Return the same market upside down. Raises BadInput where a price would be below nothing."""
    axis = 2 * snapshot.price

    def turned(candles: Candles) -> Candles:
        if float(candles.high.max()) >= axis:
            raise BadInput(Reason("has_no_mirror", symbol=snapshot.market.symbol))
        first, high, low, last = ((axis - column).round(9) for column in (candles.open, candles.low, candles.high, candles.close))
        return Candles(candles.timeframe, candles.opened_at, first, high, low, last, candles.volume)

    def one(candle: Candle | None) -> Candle | None:
        if candle is None:
            return None
        first, high, low, last = (round(axis - price, 9) for price in (candle.open, candle.low, candle.high, candle.close))
        return Candle(candle.opened_at, first, high, low, last, candle.volume)

    holding = snapshot.holding
    if holding is not None:
        side: Literal["long", "short"] = "short" if holding.side == "long" else "long"
        holding = holding.model_copy(update={"side": side, "entry_price": round(axis - holding.entry_price, 9)})
    return replace(
        snapshot,
        candles=turned(snapshot.candles),
        candles_htf=turned(snapshot.candles_htf) if snapshot.candles_htf is not None else None,
        forming=one(snapshot.forming),
        forming_htf=one(snapshot.forming_htf),
        surroundings=_turned_mood(snapshot.surroundings),
        holding=holding,
    )


def _turned_mood(around: Surroundings) -> Surroundings:
    """Return what is known beside candles, for falling prices as it was for rising ones: funding of every name changes its sign."""
    changed: dict[str, Any] = {name: _negative(getattr(around, name)) for name in Surroundings.model_fields if name.startswith("funding")}
    if around.fear_greed is not None:
        changed["fear_greed"] = 100 - around.fear_greed
    return around.model_copy(update=changed)


def _negative(value: Any) -> Any:
    """Return a rate with the other sign, or a history of (milliseconds, rate) with those."""
    if isinstance(value, tuple):
        return tuple((ms, -rate) for ms, rate in value)
    return None if value is None else -value
