"""What a role of a decision says of measured values: a clause with the value, a word that is true of it, and what it speaks for.

In a clause `{v}` is the value, `{tf}` the timeframe before a key of another timeframe (empty otherwise), `{n}` the length of an average.
Only clauses hold values, only states hold words that can be checked; everything else is opinion. A false value is stated in a bare clause,
so every planted value is one false statement and nothing else is.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.agents.script.reading import number_of
from engine.agents.script.speech import Speech, value_of
from engine.agents.script.words import Words
from engine.desks.decision.script.record import Record, split_key
from engine.desks.decision.script.signals import ZONES, is_average, score, state_of, stay_score
from engine.domain.text.language import LANGUAGES, Language
from engine.domain.text.word_files import read_texts

WORDS: Final[Mapping[Language, Words]] = {
    language: Words(read_texts(Path(__file__).parent, language, "facts", "roles", "executor", "candles")) for language in LANGUAGES
}
LEANS: Final = {1: "up", 0: "even", -1: "down"}
"""Where a value or a view points -> its name in the keys of words."""
POSITION_KEYS: Final = ("profit_pct", "mfe_pct", "mae_pct", "drawdown_from_peak_pct", "hold_count")
_FAMILIES: Final = {
    "momentum": "rsi_14 plus_di minus_di macd macd_signal macd_hist stoch_k cci_20 mfi_14",
    "strength": "adx_14",
    "level": "bb_upper bb_lower support resistance",
    "measure": "atr_14 atr_pct close",
    "flow": "volume_ratio_20 obv_trend change_24h_pct oi_change_pct",
    "crowd": "funding_rate_pct fear_greed",
    "position": " ".join(POSITION_KEYS),
}
_FAMILY: Final = {key: family for family, keys in _FAMILIES.items() for key in keys.split()}
"""Which comments fit a key; averages are `trend`, other keys have none."""
_SILENT = 0.1
_STATE_CHANCE = 0.65
_CONVICTION = (55, 65, 76)


@dataclass(kw_only=True)
class MarketSpeech(Speech):
    """A role's text. record: what its prompt states. favour: the side it argues for, +1 up, -1 down, 0 none; it chooses which way a false
    value errs."""

    record: Record
    favour: int

    def has_words(self, key: str) -> bool:
        """Return whether a clause states the key's value, on its timeframe."""
        frame, bare = split_key(key)
        wordings = self.words.get(_clause_name(bare), ())
        text = self.texts[key]
        fits = f"word.{text}" in self.words if bare == "obv_trend" else number_of(text) is not None
        return fits and bool(wordings) and (not frame or all("{tf}" in each for each in wordings))

    def clause(self, key: str) -> str:
        """Return what states a key's value, with its timeframe and length."""
        frame, bare = split_key(key)
        return self.choose(_clause_name(bare)).replace("{n}", _length(bare)).replace("{tf}", self._frame(frame))

    def comment(self, key: str) -> str:
        """Return the word that is true of a true value, and what the value speaks for."""
        frame, bare = split_key(key)
        value, state = value_of(self.stated[key]), ""
        if self._is_true(key) and self.dice.roll("state", key) <= _STATE_CHANCE and (found := state_of(key, self.record)):
            word, needs = found
            if all(self._is_true(each) for each in needs):
                line = self.words.text("line").format(tf=self._frame(frame), n=_length(bare), kind=bare.partition("_")[0].upper())
                state = self.choose(f"state.{word}").replace("{line}", " ".join(line.split()))
        family = "trend" if is_average(bare) else _FAMILY.get(bare, "")
        if bare in ZONES and isinstance(value, float) and not ZONES[bare][0] < value < ZONES[bare][2]:
            family = "stretch"  # a stretched oscillator speaks of exhaustion, not of momentum
        points = stay_score(key, self.record) if key in POSITION_KEYS else score(key, value, self.record)
        tail = f"tail.{family}.{LEANS[0 if abs(points) < _SILENT else int(math.copysign(1, points))]}"
        return state + (self.choose(tail) if tail in self.words else "")

    def likes(self, key: str, text: str) -> float:
        """Return how far a false value argues for the speaker's side."""
        return self.favour * score(key, value_of(text), self.record)

    def conviction(self, confidence: float) -> str:
        """Return a word for a confidence."""
        return self.words["conviction"][sum(confidence >= each for each in _CONVICTION)]

    def _is_true(self, key: str) -> bool:
        return self.stated.get(key, self.texts.get(key)) == self.texts.get(key)

    def _frame(self, frame: str) -> str:
        """Return the prefix of a key of another timeframe: `1h `."""
        return self.words.text(f"unit.{frame}", self.words.text(f"unit.{frame[-1]}")).format(n=frame[:-1]) if frame else ""


def _clause_name(bare: str) -> str:
    return f"clause.{bare.partition('_')[0] if _length(bare) else bare}"


def _length(bare: str) -> str:
    """Return `200` for `ema_200` and `sma_200`, empty for other keys."""
    kind, _, length = bare.partition("_")
    return length if kind in ("ema", "sma") and length.isdigit() else ""
