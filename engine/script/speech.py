"""A scripted role's text while it is written: sentences, the values stated in them, and which of those are false on purpose.

A value is stated once at most, exactly as the prompt writes it, or, for the asked share of them, false by two to four times its tolerance.
Behind it comes what it speaks for. Only of a true value it is said how it compares (`overbought`, `price above it`): a planted value is one
false statement, and nothing else is.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from engine.domain.roles import Role
from engine.domain.text.language import LANGUAGES, Language
from engine.domain.text.word_files import read_texts
from engine.grounding.checks.verdict import tolerance_of
from engine.grounding.tables.table import IndicatorTable
from engine.llm.protocol import Planted, Script
from engine.script.dice import Dice
from engine.script.lies import decimals_of, false_number, is_false_one
from engine.script.signals import POSITION_KEYS, is_average, is_stretched, number_of, score, split_key, stay_score, value_of

LEANS: Final = {1: "up", 0: "even", -1: "down"}
"""Where a value or a view points -> its name in the keys of words."""
_FAMILIES: Final = {
    "momentum": "rsi_14 plus_di minus_di macd macd_signal macd_hist stoch_k cci_20 mfi_14",
    "level": "bb_upper bb_lower support resistance",
    "flow": "volume_ratio_20 obv_trend change_24h_pct oi_change_pct",
    "crowd": "funding_rate_pct fear_greed",
}
_FAMILY: Final = {key: family for family, keys in _FAMILIES.items() for key in keys.split()}
"""Which comments fit a key; of an average it is `trend`, of a position's facts `position`, other keys have none."""
_SILENT, _CLEAR = 0.1, 0.48
"""Scores: below, a value points nowhere; from there on, it clearly lies on one side of the price."""
_BEYOND: Final = 0.7
"""How far past its bound an oscillator is called oversold: a word that would be true only just is not said."""
_OTHER_WORD: Final = {"rising": "falling", "falling": "rising", "flat": "rising"}


class Words(dict[str, tuple[str, ...]]):
    """The words of a script in one language: key -> its wordings."""

    def text(self, key: str, default: str | None = None) -> str:
        """Return the first wording of a key; `default` for an unknown key where one is given. Raises KeyError."""
        return self[key][0] if default is None or key in self else default


def read_words(folder: Path, *rooms: str) -> Mapping[Language, Words]:
    """Return a script's words beside those of all, in both languages: a text is one wording, or several with a line for each."""
    texts = {language: _FACTS[language] | read_texts(folder, language, *rooms) for language in LANGUAGES}
    return {language: Words({key: tuple(text.strip("\n").split("\n")) for key, text in of.items()}) for language, of in texts.items()}


_FACTS: Final = {language: read_texts(Path(__file__).parent, language, "facts") for language in LANGUAGES}


@dataclass
class Speech:
    """role: who speaks, as records of planted values name it. texts: key -> value as the prompt writes it. table: tolerances of the values.
    dice: of the wording; lie_dice: of which values are false, and how. lies: their share, 0 to 1. again: which repetition of the run it is,
    "" for the run itself. favour: the side it argues for, +1 up, -1 down, 0 none: false values err to it, and what speaks against it is
    stated without a comment."""

    role: Role
    words: Words
    texts: Mapping[str, str]
    table: IndicatorTable
    dice: Dice
    lie_dice: Dice
    lies: float = 0.0
    again: str = ""
    favour: int = 0
    text: str = ""
    plants: list[tuple[int, Planted]] = field(default_factory=list)
    stated: dict[str, str] = field(default_factory=dict)
    """Key -> the value that was stated for it."""
    _used: dict[str, int] = field(default_factory=dict)

    def sway(self, tag: str) -> float:
        """Return how far a number that it judges by itself is off this time, -1 to 1: a model that is asked again does not weigh alike. 0
        in the run itself."""
        return self.dice.sway(tag) if self.again else 0.0

    def add(self, sentence: str) -> int:
        """Append a sentence; return where it starts."""
        if self.text and self.text[-1] not in "\n。":
            self.text += " "
        start = len(self.text)
        self.text += sentence[:1].upper() + sentence[1:]
        return start

    def choose(self, key: str) -> str:
        """Return a wording of a key, none twice before all were used."""
        self._used[key] = self._used.get(key, -1) + 1
        return self.dice.turned(self.words[key], self._used[key], key)

    def say(self, key: str, **values: object) -> None:
        """Append a sentence that states no value."""
        self.add(self.choose(key).format(**values))

    def line(self, text: str = "") -> None:
        """Append a line of its own; the next sentence starts a new line."""
        self.text += ("\n" if self.text and not self.text.endswith("\n") else "") + text + "\n"

    def close(self, heading: str, **values: object) -> None:
        """Append the closing block; a value of None is left out."""
        self.line()
        self.line(self.words.text(heading))
        for key, value in values.items():
            if value is not None:
                self.line(f"{key}: {value}")

    def finish(self) -> Script:
        """Return the text and its plants."""
        return Script(self.text.rstrip() + "\n", tuple(self.plants))

    def sayable(self, keys: Iterable[str]) -> list[str]:
        """Return those of the keys that the prompt has, that there are words for, and that were not stated yet."""
        return [key for key in keys if key in self.texts and key not in self.stated and self._has_words(key)]

    def to_state(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the values that `facts` would state for these keys, where nothing else is stated before."""
        return {key: self._stated_as(key, len(self.stated) + place) for place, key in enumerate(self.sayable(keys))}

    def facts(self, keys: Iterable[str], most: int | None = None) -> None:
        """State the values of the keys that can be stated, `most` at most."""
        for key in self.sayable(keys)[:most]:
            self.fact(key)

    def fact(self, key: str, lead: str = "") -> None:
        """State one value, behind a wording of `lead` where one is named."""
        true, (frame, bare) = self.texts[key], split_key(key)
        self.stated[key] = stated = self._stated_as(key, len(self.stated))
        before = self.choose(lead) if lead else ""
        before += " " if before.endswith((":", ",")) else ""
        unit = self.words.text(f"unit.{frame}", self.words.text(f"unit.{frame[-1]}")).format(n=frame[:-1]) if frame else ""
        clause = self.choose(_clause_of(bare)).replace("{n}", bare.rpartition("_")[2]).replace("{tf}", unit)
        said = clause.replace("{v}", self.words.text(f"word.{stated}", stated)) + self._comment(key) + self.words.text("stop")
        start = self.add(before + said) + len(before)
        if stated != true:
            self.plants.append((start + clause.index("{v}"), Planted(self.role, key, value_of(stated), value_of(true))))

    def _has_words(self, key: str) -> bool:
        """Return whether a clause states the key's value, on its timeframe."""
        frame, bare = split_key(key)
        text, wordings = self.texts[key], self.words.get(_clause_of(bare), ())
        fits = f"word.{text}" in self.words if bare == "obv_trend" else number_of(text) is not None
        return fits and bool(wordings) and (not frame or all("{tf}" in each for each in wordings))

    def _comment(self, key: str) -> str:
        """Return what the stated value speaks for, and of a true one how it compares."""
        _, bare = split_key(key)
        value = value_of(self.stated[key])
        is_true = all(self.stated.get(each, self.texts.get(each)) == self.texts.get(each) for each in (key, "close"))
        family = "trend" if is_average(bare) else "position" if bare in POSITION_KEYS else _FAMILY.get(bare, "")
        points = stay_score(key, self.texts) if family == "position" else score(key, value, self.texts)
        lean = 0 if abs(points) < _SILENT else int(math.copysign(1, points))
        if family != "position" and self.favour * lean < 0:
            return ""
        if is_true and is_stretched(bare, value, _BEYOND):
            family = "stretch"  # a stretched oscillator speaks of exhaustion, not of momentum
        words = f"{family}.{LEANS[lean]}"
        if is_true and abs(points) >= _CLEAR and f"clear.{words}" in self.words:
            return self.choose(f"clear.{words}")
        return self.choose(f"tail.{words}") if f"tail.{words}" in self.words else ""

    def _stated_as(self, key: str, count: int) -> str:
        return self._false_text(key) if is_false_one(count, self.lies, self.lie_dice) else self.texts[key]

    def _false_text(self, key: str) -> str:
        """Return a false value for a key, of two plausible ones the one that suits the speaker; a word without an opposite stays."""
        text = self.texts[key]
        true, spec = number_of(text), self.table.find(key)[0]
        if true is None or spec is None:
            return _OTHER_WORD.get(text, text)
        distance = max(tolerance_of(spec, true, False) * (2.3 + 1.4 * self.lie_dice.roll("lie", key)), 3 * 10.0 ** -decimals_of(text))
        low = -math.inf if spec.signed or true < 0 or spec.base == "mae_pct" else 0.0
        high = 0.0 if spec.base == "mae_pct" and true <= 0 else 100.0 if spec.unit == "index" and not spec.signed else math.inf
        found = false_number(text, (true + distance, true - distance), lambda written: low <= float(written) <= high)
        return max(found, key=lambda each: (self.favour * score(key, value_of(each), self.texts), self.lie_dice.roll("lie", key, each)))


def _clause_of(bare: str) -> str:
    """Return the key of the clause for a key: `clause.ema` for `ema_200`, `clause.rsi_14` for `rsi_14`."""
    return f"clause.{bare[:3] if bare[:4] in ('ema_', 'sma_') else bare}"
