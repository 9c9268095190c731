"""A scripted role's text while it is written: sentences, the values stated in them, and which of those are false on purpose.

A value is stated once at most, exactly as the prompt writes it, or, for the asked share of them, false by two to four times its tolerance.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.agents.script.reading import number_of
from engine.agents.script.words import Words
from engine.domain.roles import Role
from engine.grounding.checks.verdict import tolerance_of
from engine.grounding.tables.table import IndicatorTable
from engine.llm.dice import Dice
from engine.llm.protocol import Planted, Script

_OTHER_WORD = {"rising": "falling", "falling": "rising", "flat": "rising"}


@dataclass
class Speech:
    """role: who speaks, as records of planted values name it. texts: key -> value as the prompt writes it. table: tolerances of the values.
    dice: of the wording; lie_dice: of which values are false, and how. lies: their share, 0 to 1. again: which repetition of the decision
    it is, "" for the decision itself."""

    role: Role
    words: Words
    texts: Mapping[str, str]
    table: IndicatorTable
    dice: Dice
    lie_dice: Dice
    lies: float = 0.0
    again: str = ""
    text: str = ""
    plants: list[tuple[int, Planted]] = field(default_factory=list)
    stated: dict[str, str] = field(default_factory=dict)
    """Key -> the value that was stated for it."""
    _used: dict[str, int] = field(default_factory=dict)

    def sway(self, tag: str) -> float:
        """Return how far a number that it judges by itself is off this time, -1 to 1: a model that is asked again does not weigh alike. 0
        in the decision itself."""
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
        return [key for key in keys if key in self.texts and key not in self.stated and self.has_words(key)]

    def to_tell(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the values that `facts` would state for these keys, where nothing else is stated before."""
        return {key: self._stated_as(key, len(self.stated) + place) for place, key in enumerate(self.sayable(keys))}

    def _stated_as(self, key: str, count: int) -> str:
        return self.false_text(key) if is_false_one(count, self.lies, self.lie_dice) else self.texts[key]

    def facts(self, keys: Iterable[str], most: int | None = None) -> None:
        """State the values of the keys that can be stated, `most` at most."""
        for key in self.sayable(keys)[:most]:
            self.fact(key)

    def fact(self, key: str, lead: str = "") -> None:
        """State one value, behind a wording of `lead` where one is named."""
        true = self.texts[key]
        self.stated[key] = stated = self._stated_as(key, len(self.stated))
        before, clause = self.choose(lead) if lead else "", self.clause(key)
        before += " " if before.endswith((":", ",")) else ""
        said = clause.replace("{v}", self.words.text(f"word.{stated}", stated)) + self.comment(key) + self.words.text("stop")
        start = self.add(before + said) + len(before)
        if stated != true:
            self.plants.append((start + clause.index("{v}"), Planted(self.role, key, value_of(stated), value_of(true))))

    def has_words(self, key: str) -> bool:
        """Return whether there is a clause that states a key's value."""
        return f"clause.{key}" in self.words and number_of(self.texts[key]) is not None

    def clause(self, key: str) -> str:
        """Return what states a key's value, `{v}` in its place."""
        return self.choose(f"clause.{key}")

    def comment(self, key: str) -> str:
        """Return what is said of a value that was stated just now."""
        return ""

    def likes(self, key: str, text: str) -> float:
        """Return how well a false value would suit the speaker; of two plausible ones the better liked is taken."""
        return 0.0

    def false_text(self, key: str) -> str:
        """Return a false value for a key with as many decimals as the true one; a word without an opposite stays."""
        text = self.texts[key]
        true, spec = number_of(text), self.table.find(key)[0]
        if true is None or spec is None:
            return _OTHER_WORD.get(text, text)
        decimals = decimals_of(text)
        distance = max(tolerance_of(spec, true, False) * (2.3 + 1.4 * self.lie_dice.roll("lie", key)), 3 * 10.0**-decimals)
        low = -math.inf if spec.signed or true < 0 or spec.base == "mae_pct" else 0.0
        high = 0.0 if spec.base == "mae_pct" and true <= 0 else 100.0 if spec.unit == "index" and not spec.signed else math.inf
        found = [written for step in (distance, -distance) if low <= float(written := f"{true + step:.{decimals}f}") <= high]
        return max(found, key=lambda written: (self.likes(key, written), self.lie_dice.roll("lie", key, written)))


def is_false_one(count: int, share: float, dice: Dice) -> bool:
    """Return whether the value stated after `count` others is to be false: evenly spread, so that the share holds."""
    start = dice.roll("start")
    return math.floor((count + 1) * share + start) > math.floor(count * share + start)


def value_of(text: str) -> float | str:
    """Return the number a text writes, or its word."""
    number = number_of(text)
    return text if number is None else number


def decimals_of(text: str) -> int:
    """Return how many digits a written number has after its point."""
    digits, _, power = text.lower().partition("e")
    return max(0, len(digits.partition(".")[2]) - int(power or 0))
