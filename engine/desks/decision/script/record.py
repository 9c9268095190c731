"""What the script of a decision finds in a prompt: fact lines, candlestick patterns, corrections, the votes of those who spoke before."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from engine.desks.decision.paths import POSITION
from engine.domain.decision import ENTRY_LONG, ENTRY_SHORT
from engine.domain.opinion import Direction
from engine.domain.text.language import LANGUAGES
from engine.grounding.report.wording import name_of_key
from engine.grounding.tables.markets import CRYPTO
from engine.script.signals import facts_in, number_of, without_speech

_CORRECTION = re.compile(r"^- (?P<name>[^=;；\n]+)=(?P<true>[+-]?\d[\d,]*(?:\.\d+)?)[^;；\n]*[;；](?P<said>.+)$", re.MULTILINE)
_SAID = re.compile(r"(?:\bsaid|称) (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w.])")
_FRAME = re.compile(r"[0-9]+[mhdw]")
_PATTERN = re.compile(r"^pattern(?: =)? (\w+) (bullish|bearish|neutral)\b(.*)$", re.MULTILINE)
_AGE = re.compile(r"(\d+)(?: bars? ago)?\s*$")
_CONSENSUS = re.compile(r"^consensus: (LONG|SHORT|NEUTRAL) (\d+(?:\.\d+)?)(?: \(.*\))?\s*$", re.MULTILINE)
_ANY_PATH = f"(?:{POSITION.prefix})?"
_SIDES = {POSITION.speaker(side): side for side in ("bull", "bear")}
_CASE = re.compile(rf"^{_ANY_PATH}(bull|bear|{'|'.join(_SIDES)}): confidence (\d+(?:\.\d+)?)\s*$", re.MULTILINE)
_RULING = re.compile(rf"^{_ANY_PATH}judge: ([A-Z_]+) (LONG|SHORT|NEUTRAL) (\d+(?:\.\d+)?)(?: [+-]\d+(?:\.\d+)?)?\s*$", re.MULTILINE)
_PENALTY = re.compile(r"(?:置信度惩罚|confidence penalty)\s*[:：]\s*-?(\d+(?:\.\d+)?)\s*%", re.IGNORECASE)
_SIGNS = {Direction.LONG: 1, Direction.SHORT: -1, Direction.NEUTRAL: 0}
_WEIGHED = (
    *("rsi_14", "mfi_14", "stoch_k", "cci_20", "macd", "macd_signal", "macd_hist", "adx_14", "plus_di", "minus_di"),
    *("ema_10", "ema_20", "ema_50", "ema_100", "ema_200", "sma_20", "sma_50", "sma_200", "vwap", "bb_upper", "bb_middle", "bb_lower"),
    *("support", "resistance", "volume_ratio_20", "oi_change_pct", "fear_greed", "change_24h_pct", "funding_rate_pct"),
)
"""What points up or down, and so can be weighed again with its true value."""


@dataclass(frozen=True)
class Corrected:
    """A fact that was stated falsely. said: each of the false values."""

    key: str
    true: float
    said: tuple[float, ...]


@dataclass(frozen=True)
class PatternSeen:
    """A candlestick pattern in the prompt. turn: +1 bullish, -1 bearish, 0 neutral. bars_ago: 0 when the prompt does not say."""

    name: str
    turn: int
    bars_ago: int


@dataclass(frozen=True)
class Vote:
    """What an earlier role decided. sign: +1 long, -1 short, 0 neutral. confidence: 0-100. verdict: the judge's word, empty for others."""

    sign: int
    confidence: float
    verdict: str = ""


@dataclass(frozen=True)
class Record:
    """Everything a prompt states.

    texts: key -> the value exactly as the prompt writes it. cases: confidence of `bull` and `bear`. penalty: percent that code takes off
    the executor's confidence. corrections: what was stated falsely, as fact checking lists it. is_alone: no one has spoken before.
    is_long_only: the options have no short.
    """

    texts: Mapping[str, str]
    patterns: tuple[PatternSeen, ...]
    consensus: Vote | None
    cases: Mapping[str, float]
    ruling: Vote | None
    penalty: float
    corrections: tuple[Corrected, ...]
    is_alone: bool
    is_long_only: bool

    def believing(self, stated: Mapping[str, str]) -> "Record":
        """Return the record of somebody who believes these values. stated: key -> value as it was said."""
        return replace(self, texts={**self.texts, **stated})

    def number(self, key: str, default: float = 0.0) -> float:
        """Return the number under a key, or the default."""
        value = number_of(self.texts.get(key))
        return default if value is None else value

    @property
    def side(self) -> int:
        """+1 holding long, -1 holding short, 0 not known."""
        return {"long": 1, "short": -1}.get(self.texts.get("side", "").lower(), 0)

    @property
    def lean(self) -> float:
        """Where the consensus leans, -1 to +1."""
        return self.consensus.sign * self.consensus.confidence / 100 if self.consensus is not None else 0.0


def read_record(text: str) -> Record:
    plain = without_speech(text)
    texts = facts_in(plain)
    texts.pop("pattern", None)
    if number_of(texts.get("price")) is not None:
        texts.setdefault("close", texts["price"])
    for key in {"support", "resistance"} & texts.keys():
        texts[key] = _as_fine_as(texts[key], texts.get("close", ""))
    consensus, rulings, penalty = _CONSENSUS.findall(plain), _RULING.findall(plain), _PENALTY.search(plain)
    return Record(
        texts=texts,
        patterns=tuple(_pattern(*found) for found in _PATTERN.findall(plain)),
        consensus=_vote(*consensus[-1]) if consensus else None,
        cases={_SIDES.get(name, name): float(number) for name, number in _CASE.findall(plain)},
        ruling=_vote(rulings[-1][1], rulings[-1][2], rulings[-1][0]) if rulings else None,
        penalty=float(penalty[1]) if penalty else 0.0,
        corrections=tuple(_corrections(plain)),
        is_alone="<alone>" in plain,
        is_long_only=f"- {ENTRY_LONG.word}:" in plain and f"- {ENTRY_SHORT.word}:" not in plain,
    )


def direction_of(sign: float) -> Direction:
    """Return LONG for a positive sign, SHORT for a negative one, NEUTRAL for 0."""
    return Direction.LONG if sign > 0 else Direction.SHORT if sign < 0 else Direction.NEUTRAL


def _corrections(text: str) -> list[Corrected]:
    """Return the corrections that a prompt lists (`- MACD histogram=68.81 (positive); Bull said 78.76`), in its order; those of something
    that is no number are left out."""
    found = []
    for line in _CORRECTION.finditer(text):
        (frame, _, bare), known = line["name"].partition(" "), _keys_by_name()
        key = known.get(line["name"], f"{frame}.{known[bare]}" if _FRAME.fullmatch(frame) and bare in known else "")
        said = tuple(map(float, _SAID.findall(line["said"])))
        if key and said:
            found.append(Corrected(key, float(line["true"].replace(",", "")), said))
    return found


@cache
def _keys_by_name() -> Mapping[str, str]:
    return {name_of_key(key, language, CRYPTO): key for language in LANGUAGES for key in _WEIGHED}


def _vote(direction: str, confidence: str, verdict: str = "") -> Vote:
    return Vote(_SIGNS[Direction(direction)], float(confidence), verdict)


def _as_fine_as(text: str, price: str) -> str:
    """Return a level with no more decimals than the price has."""
    decimals = len(price.partition(".")[2])
    finer = price.replace(".", "").isdigit() and len(text.partition(".")[2]) > decimals
    return f"{float(text):.{decimals}f}" if finer and text.replace(".", "").isdigit() else text


def _pattern(name: str, turn: str, rest: str) -> PatternSeen:
    age = _AGE.search(rest)
    return PatternSeen(name.lower(), {"bullish": 1, "bearish": -1, "neutral": 0}[turn], int(age[1]) if age else 0)
