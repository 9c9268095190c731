"""What a scripted role says out of numbered sources: their sentences as they are there, at a set rate with false numbers on purpose."""

import re
from dataclasses import dataclass, field

from engine.agents.script.speech import is_false_one
from engine.domain.roles import Role
from engine.grounding.cited.numbers import FoundNumber, NumberIndex, numbers_of
from engine.llm.dice import Dice
from engine.llm.protocol import Planted


@dataclass
class QuotedSpeech:
    """What a script says out of numbered sources. source: what those are called in the keys of its lies, `document`. lies: share of false
    numbers, 0-1. text: so far. plants: the false values in it. stated: numbers so far."""

    role: Role
    source: str
    lies: float
    dice: Dice
    text: str = ""
    plants: list[tuple[int, Planted]] = field(default_factory=list)
    stated: int = 0

    def quote(self, sentence: str, n: int, held: NumberIndex) -> None:
        """Append a sentence of a document, perhaps with other numbers, and its citation."""
        self.say(sentence, n, held)
        self.text += f"{'' if sentence[-1:] in '.!?。！？' else '.'} [{n}]"

    def say(self, sentence: str, n: int, held: NumberIndex) -> None:
        """Append a sentence, perhaps with other numbers. n: of the source; held: the numbers in it."""
        at = 0
        for found in numbers_of(sentence):
            self.text += sentence[at : found.start]
            self.text += self._number(sentence, found, n, held)
            at = found.end
        self.text += sentence[at:]

    def _number(self, sentence: str, found: FoundNumber, n: int, held: NumberIndex) -> str:
        written, falls = sentence[found.start : found.end], is_false_one(self.stated, self.lies, self.dice)
        self.stated += 1
        digits = re.search(r"\d[\d,]*(?:\.\d+)?", written)
        if not falls or digits is None:
            return written
        false = false_digits(digits[0], written, held, self.dice)
        if false is None:
            return written
        other = written[: digits.start()] + false + written[digits.end() :]
        stated = numbers_of(other)[0].number.value
        place = len(self.text) + digits.start()
        self.plants.append((place, Planted(self.role, f"{self.source}_{n}", stated, found.number.value)))
        return other


def false_digits(digits: str, written: str, held: NumberIndex, dice: Dice) -> str | None:
    """Return digits in place of others: by far another value, and none that the document holds anywhere."""
    plain = digits.replace(",", "")
    decimals = len(plain.partition(".")[2])
    for step in range(12):
        value = float(plain) * (1.3 + 0.23 * step + 0.1 * dice.roll("lie", digits)) + 3 * 10.0**-decimals
        other = f"{value:,.{decimals}f}" if "," in digits else f"{value:.{decimals}f}"
        read = numbers_of(written.replace(digits, other, 1))
        if len(read) == 1 and not held.holds(read[0].number):
            return other
    return None
