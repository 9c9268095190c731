"""What the scripted roles of a decision share: their words, and which of the measured facts are weighed."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.desks.decision.script.record import Record
from engine.domain.opinion import Direction
from engine.script.signals import POSITION_KEYS, is_average, split_key
from engine.script.speech import Speech, read_words

WORDS: Final = read_words(Path(__file__).parent, "roles", "executor", "candles")
UNKNOWN: Final = "N/A"
_ABOUT_POSITION = frozenset({*POSITION_KEYS, "entry_price", "liquidation_price", "leverage", "size"})
_CONVICTION = (55, 65, 76)


@dataclass(kw_only=True)
class MarketSpeech(Speech):
    """A role's text. record: what its prompt states."""

    record: Record

    def conviction(self, confidence: float) -> str:
        """Return a word for a confidence."""
        return self.words["conviction"][sum(confidence >= each for each in _CONVICTION)]


def weighable(speech: MarketSpeech) -> list[str]:
    """Return the facts of the market that can be stated, of every timeframe."""
    return [key for key in speech.sayable(speech.texts) if split_key(key)[1] not in _ABOUT_POSITION]


def varied(keys: Iterable[str], reported: Iterable[str] = ()) -> list[str]:
    """Return the keys with at most two averages and one of every other kind (+DI and -DI, the three of MACD) in front, the others
    behind."""
    seen = Counter(_kind(key) for key in reported)
    front: list[str] = []
    behind: list[str] = []
    for key in keys:
        kind = _kind(key)
        seen[kind] += 1
        (front if seen[kind] <= (2 if kind[1] == "average" else 1) else behind).append(key)
    return front + behind


def confidence_of(strength: float, speech: MarketSpeech, direction: Direction) -> int:
    """Return 0-100 from the strength of a view (0-1): a direction starts at 51, standing aside stays under 56."""
    jitter = speech.dice.roll("confidence") * 4 - 2
    if direction is Direction.NEUTRAL:
        return round(max(30.0, 54 - 40 * strength + jitter))
    return round(min(86.0, 51 + 34 * strength + jitter))


def _kind(key: str) -> tuple[str, str]:
    timeframe, bare = split_key(key)
    if is_average(bare):
        return timeframe, "average"
    return timeframe, "di" if bare.endswith("_di") else bare.partition("_")[0]
