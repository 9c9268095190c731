"""What a script quotes: the sentences of numbered sources, at a set rate with a false number in them, and a statement of attached evidence.

It reads the prompt and nothing else, as a model would.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Final

from engine.agents.attached import SPEAKER
from engine.domain.roles import Role
from engine.domain.text.language import Language
from engine.domain.text.word_files import read_pairs
from engine.grounding.cited.numbers import FoundNumber, NumberIndex, numbers_of
from engine.grounding.cited.sentences import split_sentences
from engine.llm.protocol import Planted
from engine.script.dice import Dice
from engine.script.lies import false_number, is_false_one

_DIGITS: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")
_LINE: Final = re.compile(r"^\[(\d{1,3})\] \([^)\n]*\) (.+)$", re.MULTILINE)
_QUOTE: Final[Mapping[Language, str]] = {"en": 'Research, quoted: "{text}" [{n}]', "zh": "引用研究：“{text}”[{n}]"}
_STOPS: Final = ".!?。！？;； "
_TOPICS: Final = {topic: re.compile("|".join(words), re.IGNORECASE) for topic, words in read_pairs(Path(__file__).parent, "topics").items()}
"""What a statement can be about -> the words that say so."""


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

    def say(self, sentence: str, n: int, held: NumberIndex) -> None:
        """Append a sentence, perhaps with other numbers. n: of the source; held: the numbers in it."""
        at = 0
        for found in numbers_of(sentence):
            self.text += sentence[at : found.start]
            falls = is_false_one(self.stated, self.lies, self.dice)
            self.stated += 1
            made = false_figure(sentence, found, held, self.dice) if falls else None
            if made is not None:
                self.plants.append((len(self.text) + made[2], Planted(self.role, f"{self.source}_{n}", made[1], found.number.value)))
            self.text += made[0] if made is not None else sentence[found.start : found.end]
            at = found.end
        self.text += sentence[at:]


def false_figure(
    sentence: str, found: FoundNumber, held: NumberIndex, dice: Dice, *, tenfold: bool = False
) -> tuple[str, float, int] | None:
    """Return a number of a sentence as another that the source holds nowhere, its value, and where its digits begin in it; None where it is
    written in words. tenfold: with its point moved, if that can be."""
    written = sentence[found.start : found.end]
    digits = _DIGITS.search(written)
    if digits is None:
        return None

    def is_free(text: str) -> bool:
        read = numbers_of(written.replace(digits[0], text, 1))
        return len(read) == 1 and not held.holds(read[0].number)

    value, least = float(digits[0].replace(",", "")), 3 * 10.0 ** -len(digits[0].partition(".")[2])
    far = (value * (1.3 + 0.23 * step + 0.1 * dice.roll("lie", digits[0])) + least for step in range(12))
    false = next(false_number(digits[0], chain([10 * value] if tenfold and value else [], far), is_free), None)
    if false is None:
        return None
    other = written.replace(digits[0], false, 1)
    return other, numbers_of(other)[0].number.value, digits.start()


def fitting_quote(user: str, language: Language, topics: Collection[str]) -> str:
    """Return a sentence that quotes the first statement of a prompt's evidence about one of the topics, without its full stop; "" where it
    has none. One sentence alone is quoted: a quote of two would leave the first without its citation. topics: keys of `topics.toml`; with
    `any`, the first statement is quoted where none fits."""
    statements = _LINE.findall(user.partition(f'<said by="{SPEAKER}">')[2].partition("</said>")[0])
    fitting = [each for each in statements if any(_TOPICS[topic].search(each[1]) for topic in topics if topic != "any")]
    for n, statement in fitting or (statements if "any" in topics else []):
        first = next((each.text for each in split_sentences(statement)), statement)
        return _QUOTE[language].format(n=n, text=first.strip().rstrip(_STOPS))
    return ""
