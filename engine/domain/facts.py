"""The fact sheet: canonical key -> measured value. The only truth claims are checked against. And its lines in a prompt.

Keys are those of the grounding convention (`rsi_14`, `ema_200`, `support`, ...). A key of the main timeframe is plain, one of another
timeframe carries it as a prefix (`1h.rsi_14`). A fact that cannot be known is present with `value=None` and says why in `missing`.

In a prompt a fact is a line `rsi_14 = 48.6`: one format in both languages, so that every model reads the same keys and values, and a
reader (the scripted analyst, a test) can take them out again. Only the scale word of a large amount depends on the language
(`3.64 万亿 CNY`). Keys are ASCII; a line that is not exactly `key = value` is not a fact.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.domain.frozen_model import FrozenModel
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason, Said, stored

Unit = Literal["price", "percent", "index", "ratio", "bars", "multiple", "amount", "macd", "word"]
FactValue = float | str | None

_LINE = re.compile(r"^((?:[0-9]+[mhdw]\.)?[a-z][a-z0-9_]*) = (\S+)(?: (bn|万亿|亿))?(?: [^\n]*)?$", re.MULTILINE)
SCALES: Mapping[str, float] = {"bn": 1e9, "万亿": 1e12, "亿": 1e8}
"""Scale word of a large amount -> its factor."""
_SCALE_WORDS: Mapping[Language, tuple[str, ...]] = {"en": ("bn",), "zh": ("万亿", "亿")}


class Fact(FrozenModel):
    """One measured value.

    value: float, or a word (`rising`, `long`), or None when it cannot be known. unit: of the value. timeframe: the candles it was
    measured on, None for position and sentiment facts. bar_time: UTC milliseconds of the open of the last bar used. formula: how it was
    computed, in short standard words. bars: closed bars used. missing: why the value is None.
    """

    key: str
    value: FactValue
    unit: Unit
    timeframe: str | None = None
    bar_time: int | None = None
    formula: str = ""
    bars: int = 0
    missing: Said | None = None

    @property
    def number(self) -> float | None:
        """The value as a number; None for words and missing facts."""
        return self.value if isinstance(self.value, float) else None


class Pattern(FrozenModel):
    """A candlestick pattern on its bar. name: TA-Lib's, without `CDL`, lower case. direction: +1 bullish, -1 bearish, 0 neutral."""

    name: str
    direction: Literal[-1, 0, 1]
    timeframe: str
    bar_time: int
    bars_ago: int


@dataclass(frozen=True)
class FactSheet:
    """All facts of one snapshot.

    timeframe: the main timeframe; its facts have plain keys. price_step: decimals of prices follow it where it is known. name: of the
    company, empty where it has none beside its symbol.
    """

    symbol: str
    timeframe: str
    timeframe_htf: str | None
    facts: Mapping[str, Fact]
    patterns: tuple[Pattern, ...] = ()
    price_step: float | None = None
    notes: tuple[str, ...] = field(default=())
    name: str = ""

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.facts.values())

    def get(self, key: str) -> Fact | None:
        """Return the fact under `key`, None when the sheet has no such key."""
        return self.facts.get(key)

    def number(self, key: str) -> float | None:
        """Return the value of `key` as a finite number; None when missing, a word, or unknown."""
        fact = self.facts.get(key)
        return fact.number if fact is not None else None

    def word(self, key: str) -> str | None:
        """Return the value of `key` as a word; None when missing, a number, or unknown."""
        fact = self.facts.get(key)
        return fact.value if fact is not None and isinstance(fact.value, str) else None

    def known(self) -> Iterable[Fact]:
        """Return the facts that have a value."""
        return (fact for fact in self if fact.value is not None)

    def text(self, key: str) -> str | None:
        """Return the value as it is written in prompts and corrections (`78034.2`, `0.0040`), None when missing."""
        fact = self.facts.get(key)
        if fact is None or fact.value is None:
            return None
        return fact.value if isinstance(fact.value, str) else number_text(fact.value, fact.unit, self.price_step)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON; `from_json` gives an equal sheet back."""
        return {
            "symbol": self.symbol,
            "timeframe": self.timeframe,
            "timeframe_htf": self.timeframe_htf,
            "facts": [fact.model_dump() for fact in self],
            "patterns": [pattern.model_dump() for pattern in self.patterns],
            "price_step": self.price_step,
            "notes": stored(self.notes),
            **({"name": self.name} if self.name else {}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "FactSheet":
        """Return the inverse of `to_json`."""
        facts = (Fact.model_validate(item) for item in data["facts"])
        return cls(
            symbol=data["symbol"],
            timeframe=data["timeframe"],
            timeframe_htf=data["timeframe_htf"],
            facts={fact.key: fact for fact in facts},
            patterns=tuple(Pattern.model_validate(item) for item in data["patterns"]),
            price_step=data["price_step"],
            notes=tuple(map(Reason.read, data["notes"])),
            name=data.get("name", ""),
        )


_DECIMALS: Mapping[Unit, int] = {"index": 1, "ratio": 2, "bars": 0, "multiple": 1}


def number_text(value: float, unit: Unit, price_step: float | None = None) -> str:
    """Return a number as prompts, corrections and the scripted analyst write it: ASCII, no grouping, decimals by unit.

    Never rounds so far that the text would be false by the grounding tolerances.
    """
    decimals = _DECIMALS.get(unit)
    if decimals is None:
        decimals = (2 if value == 0 or abs(value) >= 0.1 else 4) if unit == "percent" else _price_decimals(value, price_step, unit)
    text = f"{value:.{decimals}f}"
    return text.lstrip("-") if float(text) == 0 else text


def _price_decimals(value: float, step: float | None, unit: Unit) -> int:
    if unit == "price" and step is not None and step > 0:
        return max(0, -math.floor(math.log10(step) + 1e-9))
    return _significant_decimals(value, 6 if unit == "price" else 4)


def _significant_decimals(value: float, digits: int) -> int:
    if value == 0 or not math.isfinite(value):
        return 2
    return max(0, min(10, digits - 1 - math.floor(math.log10(abs(value)))))


def write_fact_lines(sheet: FactSheet, keys: Iterable[str], currencies: Mapping[str, str] | None = None, language: Language = "en") -> str:
    """Return the facts under `keys`, one a line, in the order given; missing ones are left out.

    currencies: key -> ISO code appended to its value. language: of the scale words of large amounts (`529.84 bn USD`, `5298.40 亿 USD`).
    """
    money = currencies or {}
    lines = ((key, sheet.text(key), sheet.get(key)) for key in keys)
    return "\n".join(
        f"{key} = {_written(text, fact, money.get(key, ''), language)}"
        for key, text, fact in lines
        if text is not None and fact is not None
    )


def read_fact_lines(text: str) -> dict[str, float | str]:
    """Return every fact line in `text`; a later line of the same key wins. Numbers become floats, other values stay words."""
    return {key: _value(value, scale) for key, value, scale in _LINE.findall(text)}


def _written(text: str, fact: Fact, currency: str, language: Language) -> str:
    if fact.unit == "percent":
        return f"{text} %"
    if fact.unit == "amount" and fact.number is not None:
        word = next((word for word in _SCALE_WORDS[language] if abs(fact.number) >= SCALES[word]), None)
        text = f"{fact.number / SCALES[word]:.2f} {word}" if word is not None else text
    return f"{text} {currency}".rstrip()


def _value(value: str, scale: str) -> float | str:
    try:
        return float(value) * SCALES.get(scale, 1.0)
    except ValueError:
        return value
