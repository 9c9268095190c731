"""What is drawn on a chart besides candles, as every flow hands it over: annotations and lines.

An annotation is `{"type", "price", "timestamp"}` with, where it has them, `label`, `direction`, `source`, `claimed`, `actual`.
`type`: entry, stop, target, support, resistance, break_even, liquidation, pattern, false_level, again.
For a false_level, `label` is the fact's key. `again` is a level of a plan that the decision came to when it was asked again: the plan is
number `n`, from 0, of `of`.

Every indicator that has a line is one. Three averages and the RSI are always drawn, the others when a statement is clicked. Prices and
averages go over the candles, everything else takes the pane below them, with its companions (MACD and its signal, the two DI) and the
levels at which it is read. A line of the higher timeframe is given at the bars where it changes.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from pydantic import JsonValue

from engine.api import role_of
from engine.domain.stability import RepeatedAnswer
from engine.domain.text.language import Language
from pages.frame import json_fields
from pages.frame.show import Show
from pages.words.fact_names import fact_name, fact_timeframe

OVER_CANDLES = ("ema_", "sma_", "bb_", "vwap")
_BANDS = ("bb_upper", "bb_middle", "bb_lower")
_DIRECTIONAL = ("adx_14", "plus_di", "minus_di")
_MACD = ("macd", "macd_signal", "macd_hist")
_STOCHASTIC = ("stoch_k", "stoch_d")
_FAMILIES = (_BANDS, _DIRECTIONAL, _MACD, _STOCHASTIC)
_LEVELS: Mapping[str, tuple[float, ...]] = {
    "rsi_14": (30, 70),
    "mfi_14": (20, 80),
    **dict.fromkeys(_STOCHASTIC, (20, 80)),
    **dict.fromkeys(_DIRECTIONAL, (20, 40)),
    **dict.fromkeys(_MACD, (0,)),
    "cci_20": (-100, 100),
    "volume_ratio_20": (1,),
}


def chart_lines(series: Mapping[str, Sequence[float | None]], count: int, language: Language) -> JsonValue:
    """Return key -> `{"name","over","levels","with","at","v"}` for the last `count` values of every line.

    over: drawn over the candles. levels: where it is read. with: keys that belong to it. at: the bars of the values `v`; None = every bar.
    """
    return {key: _line(key, list(line)[-count:] if count else [], series, language) for key, line in series.items()}


def _line(key: str, values: list[float | None], series: Mapping[str, Sequence[float | None]], language: Language) -> JsonValue:
    timeframe, plain = fact_timeframe(key), key.rpartition(".")[2]
    prefix = f"{timeframe}." if timeframe else ""
    family = next((family for family in _FAMILIES if plain in family), ())
    bars: list[int] | None = None
    if timeframe:
        bars = [index for index, value in enumerate(values) if index == 0 or value != values[index - 1]]
        values = [values[index] for index in bars]
    return {
        "name": f"{timeframe} {fact_name(key, language)}" if timeframe else fact_name(key, language),
        "over": plain.startswith(OVER_CANDLES),
        "levels": list(_LEVELS.get(plain, ())),
        "with": [prefix + other for other in family if other != plain and prefix + other in series],
        "at": list(bars) if bars is not None else None,
        "v": _rounded(values),
    }


def _rounded(line: Sequence[float | None]) -> list[JsonValue]:
    """Seven digits, which is more than a screen can show."""
    return [None if value is None else float(f"{value:.7g}") for value in line]


TYPES = ("entry", "stop", "target", "support", "resistance", "break_even", "liquidation", "pattern", "false_level", "again")


def level_marks(at: str | None, direction: str | None = None, /, **prices: float | Decimal | None) -> list[json_fields.Fields]:
    """Return an annotation for every price that is known, by its type."""
    side: dict[str, JsonValue] = {"direction": direction} if direction else {}
    return [{"type": kind, "price": float(price), "timestamp": at, **side} for kind, price in prices.items() if price is not None]


def false_mark(key: str, source: str, claimed: float | str | None, actual: float | str | None, at: str | None) -> json_fields.Fields:
    """Return the annotation of a false value."""
    return {"type": "false_level", "price": claimed, "timestamp": at, "label": key, "source": source, "claimed": claimed, "actual": actual}


def again_marks(plans: Sequence[RepeatedAnswer]) -> list[json_fields.Fields]:
    """Return a mark for every level of the plans that a decision came to when it was asked again."""
    levels = ((n, price) for n, plan in enumerate(plans) for price in (plan.entry, plan.stop, plan.target))
    return [{"type": "again", "price": price, "timestamp": None, "n": n, "of": len(plans)} for n, price in levels if price is not None]


def readable(annotations: Iterable[json_fields.Fields], show: Show) -> list[json_fields.Fields]:
    """Return those of a known type with a finite, positive price (or a claimed value), without false statements that someone disputes.
    Others are left out: a chart must not fail on one mark."""
    known = [mark for mark in annotations if json_fields.words(mark, "type") in TYPES and _value(mark) is not None]
    disputed = {(role_of(each.claim.source), each.claim.key, each.claim.claimed) for each in show.disputes.values()}
    return [mark for mark in known if mark.get("type") != "false_level" or who_said(mark) not in disputed]


def who_said(mark: json_fields.Fields) -> tuple[str, str, float | None]:
    """Return who said which value of what, on either path."""
    source, key = json_fields.words(mark, "source") or "", json_fields.words(mark, "label") or ""
    return role_of(source), key, json_fields.number(mark, "claimed")


def is_price(key: str) -> bool:
    """Return whether a fact is drawn over the candles: a price, an average, or a level without a name."""
    return not key or key.startswith(OVER_CANDLES) or key in ("support", "resistance", "close", "entry_price", "liquidation_price")


def of_type(annotations: Sequence[json_fields.Fields], kind: str) -> list[json_fields.Fields]:
    """Return the annotations of one type, in order."""
    return [mark for mark in annotations if mark.get("type") == kind]


def _value(mark: json_fields.Fields) -> float | None:
    price = json_fields.number(mark, "price")
    return price if price is not None and price > 0 else json_fields.number(mark, "claimed")
