"""How the market came here, in the words of a prompt: candles, past values, volatility, levels. Not fact lines: nothing has the
form `key = value`, so that what roles quote as the present stays the facts alone."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from engine.domain.facts import FactSheet, Unit, number_text
from engine.domain.holding import utc_ms
from engine.domain.market.snapshot import Snapshot
from engine.domain.text.language import Language
from engine.domain.text.word_files import read_paragraphs
from engine.facts.background import BARS_AGO, VOLATILITY_BARS, Background, LevelAhead, background_of
from engine.prompts.render import render
from engine.trading.sizing import liquidation_distance_pct

_TEXTS = read_paragraphs(Path(__file__).parent, "background")
_OF_CONTRACTS = ("funding_rate_pct", "oi_change_pct")
_HOUR_MS = 3_600_000
_UNITS: dict[str, Unit] = {"rsi_14": "index", "adx_14": "index", "macd_hist": "macd", "volume_ratio_20": "ratio", "atr_pct": "percent"}


def existing_keys(snapshot: Snapshot, keys: Iterable[str]) -> list[str]:
    """Return the keys without those of contracts where the market has none: what does not exist is not listed as unknown."""
    return [key for key in keys if not (snapshot.market.nature.paid_in_full and key in _OF_CONTRACTS)]


def background_text(snapshot: Snapshot, sheet: FactSheet, language: Language) -> str:
    """Return what the facts mean and how the market and the position came here; of the position alone where the candles cannot be
    measured."""
    background = background_of(snapshot, sheet)
    if background is None:
        return "\n".join(_position(snapshot, language))
    closed = datetime.fromtimestamp(background.candles.closed_at / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
    of_contracts = "" if snapshot.market.nature.paid_in_full else _TEXTS["labels_of_contracts"][language]
    lines = [
        render(_TEXTS["labels"][language], closed=closed, timeframe=sheet.timeframe, of_contracts=of_contracts),
        "",
        _TEXTS["head"][language],
        _TEXTS["candles"][language],
        *_candles(background, sheet),
        *_past(background, language),
        *_surroundings(background, sheet, language),
        *_funding(snapshot, language),
        *_interest(snapshot, language),
        *_position(snapshot, language),
    ]
    return "\n".join(lines)


def positioning_text(snapshot: Snapshot, language: Language) -> str:
    """Return how funding, open interest and the position developed; "" where nothing of them is known."""
    lines = [*_funding(snapshot, language), *_interest(snapshot, language), *_position(snapshot, language)]
    return "\n".join([_TEXTS["head_of_positioning"][language], *lines]) if lines else ""


def plan_background(snapshot: Snapshot, sheet: FactSheet, language: Language, most_leverage: int) -> str:
    """Return what a plan is made against: volatility, levels, where leverage ends, the position. most_leverage: allowed, x."""
    background, position = background_of(snapshot, sheet), _position(snapshot, language)
    if background is None:
        return "\n".join(position)
    return "\n".join([*_surroundings(background, sheet, language), *_liquidation(snapshot, language, most_leverage), *position])


def _surroundings(background: Background, sheet: FactSheet, language: Language) -> list[str]:
    lines = []
    if background.volatility_pct is not None and background.volatility_rank is not None:
        value, rank = f"{background.volatility_pct:.0f}", f"{background.volatility_rank:.0f}"
        lines.append(render(_TEXTS["volatility"][language], n=str(VOLATILITY_BARS), value=value, rank=rank))
    sides = [
        render(_TEXTS[text][language], levels=", ".join(_level(level, sheet) for level in levels))
        for text, levels in (("above", background.above), ("below", background.below))
        if levels
    ]
    return [*lines, render(_TEXTS["levels"][language], sides=_TEXTS["and"][language].join(sides))] if sides else lines


def _candles(background: Background, sheet: FactSheet) -> list[str]:
    shown, day = background.candles, "%m-%d" if background.candles.timeframe.ms >= 86_400_000 else "%m-%d %H:%M"
    rows = []
    for row in range(len(shown)):
        candle = shown[row]
        prices = " ".join(number_text(value, "price", sheet.price_step) for value in (candle.open, candle.high, candle.low, candle.close))
        rows.append(f"{datetime.fromtimestamp(candle.opened_at / 1000, UTC):{day}} {prices} {_volume(candle.volume)}")
    return rows


def _funding(snapshot: Snapshot, language: Language) -> list[str]:
    """Return the latest settlements, and when the next one is due if they keep their distance."""
    past = snapshot.surroundings.funding_past
    if len(past) < 2:
        return []
    rates = ", ".join(number_text(rate * 100.0, "percent") for _, rate in past)
    lines = [render(_TEXTS["funding"][language], n=str(len(past)), rates=rates)]
    due = (past[-1][0] + past[-1][0] - past[-2][0] - utc_ms(snapshot.at)) / _HOUR_MS
    return [*lines, render(_TEXTS["next_funding"][language], hours=f"{due:.1f}")] if due > 0 else lines


def _interest(snapshot: Snapshot, language: Language) -> list[str]:
    """Return how open interest and the price moved together: built up, or closed out."""
    past, parts = snapshot.surroundings.open_interest_past, []
    for hours in (1, 4):
        known = [value for at, value in past if at <= past[-1][0] - hours * _HOUR_MS]
        price = _close_before(snapshot, hours)
        if known and known[-1] > 0 and price is not None:
            changes = [(now / then - 1) * 100 for now, then in ((past[-1][1], known[-1]), (snapshot.price, price))]
            parts.append(render(_TEXTS["moved"][language], hours=str(hours), interest=f"{changes[0]:+.2f}", price=f"{changes[1]:+.2f}"))
    return [render(_TEXTS["interest"][language], moved="; ".join(parts))] if parts else []


def _close_before(snapshot: Snapshot, hours: int) -> float | None:
    """Return the close of the newest candle that was closed that long ago; None where the candles do not say."""
    candles, wanted = snapshot.candles, utc_ms(snapshot.at) - hours * _HOUR_MS
    row = int(candles.opened_at.searchsorted(wanted - candles.timeframe.ms, side="right")) - 1
    return float(candles.close[row]) if row >= 0 and candles.timeframe.ms <= hours * _HOUR_MS else None


def _volume(value: float) -> str:
    return f"{value:.0f}" if value >= 1_000 else f"{value:.4g}"


def _past(background: Background, language: Language) -> list[str]:
    if not background.past:
        return []
    values = "; ".join(f"{key} {', '.join(number_text(value, _UNITS[key]) for value in past)}" for key, past in background.past.items())
    return [render(_TEXTS["past"][language], bars=", ".join(map(str, BARS_AGO))) + " " + values]


def _level(level: LevelAhead, sheet: FactSheet) -> str:
    return f"{number_text(level.price, 'price', sheet.price_step)} ({level.atr:.1f}, {level.touches})"


def _liquidation(snapshot: Snapshot, language: Language, most_leverage: int) -> list[str]:
    """Return how far the liquidation is from an entry, for some leverages up to the highest one."""
    if snapshot.terms is None or snapshot.market.nature.paid_in_full:
        return []
    steps = sorted({each for each in (3, 5, 10) if each < most_leverage} | {most_leverage})
    margin = float(snapshot.terms.maintenance_margin)
    ways = ((times, liquidation_distance_pct(times, 1, margin)) for times in steps)
    rooms = ", ".join(f"{times}x {way:.3g} %" for times, way in ways if way is not None)
    return [render(_TEXTS["liquidation"][language], rooms=rooms)] if rooms else []


def _position(snapshot: Snapshot, language: Language) -> list[str]:
    """Return how long the position has been held, its stop and target, and its result in R, as far as they are known."""
    holding = snapshot.holding
    if holding is None:
        return []
    hours = max(0.0, (snapshot.at - holding.opened_at).total_seconds() / 3600)
    lines = [render(_TEXTS["held"][language], hours=f"{hours:.1f}")]
    for text, level in (("stop", holding.stop), ("target", holding.target)):
        if level is not None:
            lines.append(render(_TEXTS[text][language], price=_price(level, snapshot)))
    if holding.first_stop is not None and holding.risk is not None:
        result = (snapshot.price - holding.entry_price) * holding.sign() / holding.risk
        lines.append(render(_TEXTS["result"][language], result=f"{result:+.2f}", price=_price(holding.first_stop, snapshot)))
    return lines


def _price(level: float, snapshot: Snapshot) -> str:
    return number_text(level, "price", snapshot.market.price_step)
