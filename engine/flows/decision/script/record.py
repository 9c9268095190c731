"""What the scripted analyst finds in a prompt: fact lines, candlestick patterns, the votes of those who spoke before.

Given the text of a call; gives a Record. Never knows more than the prompt says: this is the analyst's only source. What others said
stands in envelopes (`<said by="bull">`); they are cut out first, so nobody's prose can pose as a measured fact or a vote.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.domain.facts import read_fact_lines
from engine.domain.opinion import Direction
from engine.flows.decision.paths import POSITION

_SAID = re.compile(r"<said by=[^>]*>.*?</said>", re.DOTALL)
_VALUE = r"^{key} = (\S+)"
_PATTERN = re.compile(r"^pattern(?: =)? (\w+) (bullish|bearish|neutral)\b(.*)$", re.MULTILINE)
_AGE = re.compile(r"(\d+)(?: bars? ago)?\s*$")
_VOTE = re.compile(r"^([a-z][a-z0-9_]*): (LONG|SHORT|NEUTRAL) (\d+(?:\.\d+)?)(?: \(.*\))?\s*$", re.MULTILINE)
_ANY_PATH = f"(?:{POSITION.prefix})?"
_SIDES = {POSITION.speaker(side): side for side in ("bull", "bear")}
_CASE = re.compile(rf"^{_ANY_PATH}(bull|bear|{'|'.join(_SIDES)}): confidence (\d+(?:\.\d+)?)\s*$", re.MULTILINE)
_RULING = re.compile(rf"^{_ANY_PATH}judge: ([A-Z_]+) (LONG|SHORT|NEUTRAL) (\d+(?:\.\d+)?)(?: [+-]\d+(?:\.\d+)?)?\s*$", re.MULTILINE)
_PENALTY = re.compile(r"(?:置信度惩罚|confidence penalty)\s*[:：]\s*-?(\d+(?:\.\d+)?)\s*%", re.IGNORECASE)
_LEVELS = frozenset({"support", "resistance"})
_TIMEFRAME = re.compile(r"^([0-9]+[mhdw])\.(.+)$")


@dataclass(frozen=True)
class PatternSeen:
    """A candlestick pattern in the prompt. turn: +1 bullish, -1 bearish, 0 neutral. bars_ago: None when the prompt does not say."""

    name: str
    turn: int
    bars_ago: int | None


@dataclass(frozen=True)
class Vote:
    """What an earlier role decided. verdict: the judge's word, empty for others. confidence: 0-100."""

    direction: Direction
    confidence: float
    verdict: str = ""

    @property
    def lean(self) -> float:
        """Direction times confidence, -1 to +1."""
        return sign_of(self.direction) * self.confidence / 100


@dataclass(frozen=True)
class Record:
    """Everything a prompt states.

    values: key -> float or word. texts: key -> the value exactly as the prompt writes it. votes: analysts by name. cases: confidence of
    `bull` and `bear`. penalty: percent by which fact checking lowers the executor's confidence.
    """

    values: Mapping[str, float | str]
    texts: Mapping[str, str]
    patterns: tuple[PatternSeen, ...] = ()
    votes: Mapping[str, Vote] = field(default_factory=dict)
    consensus: Vote | None = None
    cases: Mapping[str, float] = field(default_factory=dict)
    ruling: Vote | None = None
    penalty: float = 0.0

    def number(self, key: str) -> float | None:
        """Return the value under `key` when it is a number."""
        value = self.values.get(key)
        return value if isinstance(value, float) else None

    def word(self, key: str) -> str | None:
        """Return the value under `key` when it is a word."""
        value = self.values.get(key)
        return value if isinstance(value, str) else None

    @property
    def side(self) -> int:
        """+1 holding long, -1 holding short, 0 not known."""
        return {"long": 1, "short": -1}.get((self.word("side") or "").lower(), 0)

    @property
    def on_position_path(self) -> bool:
        """Whether a position is held, by what the prompt says of the path, the position or the judge."""
        if (path := self.word("path")) is not None:
            return path == "position"
        return self.side != 0 or (self.ruling is not None and self.ruling.verdict in ("HOLD", "EXIT", "SCALE_IN", "PARTIAL_EXIT"))


def read_record(text: str) -> Record:
    """Return everything `text` states. A later line of the same key wins."""
    plain = _SAID.sub("", text)
    values = {key: value for key, value in read_fact_lines(plain).items() if key != "pattern" and _usable(value)}
    texts = {key: _written(key, plain) for key in values}
    if "price" in values:
        values.setdefault("close", values["price"])
        texts.setdefault("close", texts["price"])
    for key in _LEVELS.intersection(texts):
        texts[key] = _as_fine_as(texts[key], texts.get("close", ""))
    votes = {name: Vote(Direction(word), float(number)) for name, word, number in _VOTE.findall(plain)}
    rulings = _RULING.findall(plain)
    penalty = _PENALTY.search(plain)
    return Record(
        values=values,
        texts=texts,
        patterns=tuple(_pattern(*found) for found in _PATTERN.findall(plain)),
        consensus=votes.pop("consensus", None),
        votes=votes,
        cases={_SIDES.get(name, name): float(number) for name, number in _CASE.findall(plain)},
        ruling=Vote(Direction(rulings[-1][1]), float(rulings[-1][2]), rulings[-1][0]) if rulings else None,
        penalty=float(penalty[1]) if penalty else 0.0,
    )


def split_key(key: str) -> tuple[str, str]:
    """Timeframe and bare key: `1h.rsi_14` -> (`1h`, `rsi_14`), `rsi_14` -> (``, `rsi_14`)."""
    found = _TIMEFRAME.match(key)
    return (found[1], found[2]) if found else ("", key)


def sign_of(direction: Direction) -> int:
    """Return +1 for LONG, -1 for SHORT, 0 for NEUTRAL."""
    return {Direction.LONG: 1, Direction.SHORT: -1, Direction.NEUTRAL: 0}[direction]


def direction_of(sign: float) -> Direction:
    """Return the inverse of `sign_of`."""
    return Direction.LONG if sign > 0 else Direction.SHORT if sign < 0 else Direction.NEUTRAL


def _as_fine_as(text: str, price: str) -> str:
    """Return a level with no more decimals than the price has."""
    decimals = len(price.partition(".")[2])
    finer = price.replace(".", "").isdigit() and len(text.partition(".")[2]) > decimals
    return f"{float(text):.{decimals}f}" if finer and text.replace(".", "").isdigit() else text


def _usable(value: float | str) -> bool:
    return isinstance(value, str) or math.isfinite(value)


def _written(key: str, text: str) -> str:
    return str(re.findall(_VALUE.format(key=re.escape(key)), text, re.MULTILINE)[-1])


def _pattern(name: str, turn: str, rest: str) -> PatternSeen:
    age = _AGE.search(rest)
    return PatternSeen(name.lower(), {"bullish": 1, "bearish": -1, "neutral": 0}[turn], int(age[1]) if age else None)
