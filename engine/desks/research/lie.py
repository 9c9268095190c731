"""One lie on purpose in an answer of the research agent: a sentence of a document, cited as it should be, with another number in it.

Pure and deterministic. It is what a model does that misremembers a figure: the citation is right, and the document says something else.
"""

import re
from typing import Final

from engine.agents.script.quoted_speech import false_digits
from engine.desks.research.answer.extract import pick_sentences
from engine.desks.research.script import documents_in
from engine.desks.research.seats import ROLE
from engine.domain.chaos import ChaosKind
from engine.grounding.cited.numbers import FoundNumber, NumberIndex, numbers_of
from engine.llm.dice import Dice
from engine.llm.lie import PlantedSentence
from engine.llm.protocol import ModelCall, Planted
from engine.prompts.render import Text

_DIGITS: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")
_STOPS: Final = ".!?。！？"
_INVENTED: Final = ("73.9", "82.6", "61.7", "94.3", "57.1")
_NOTHING: Text = {"en": "This source puts it at {value} % [{n}]. ", "zh": "该来源给出的数值为{value}%[{n}]。"}
_TENFOLD: Final = ("price", "symbol")


def false_statement(call: ModelCall, kind: ChaosKind) -> PlantedSentence | None:
    """Return the first sentence of the documents with a number, and another number in it; None for a call without documents. kind: `price`
    and `symbol` move the decimal point, the others state another value. Where no document holds a number, one is made up."""
    documents = documents_in(call)
    for picked in pick_sentences(call.user, [text for _, text in documents], most=20):
        n, held = documents[picked.n - 1][0], NumberIndex(documents[picked.n - 1][1])
        for found in numbers_of(picked.text):
            if (lie := _changed(picked.text, found, n, held, kind)) is not None:
                return lie
    if not documents:
        return None
    n, held = documents[0][0], NumberIndex(documents[0][1])
    value = next((each for each in _INVENTED if not held.holds(numbers_of(f"{each} %")[0].number)), _INVENTED[0])
    return _NOTHING[call.language].format(value=value, n=n), Planted(ROLE, f"document_{n}", float(value), "not stated")


def _changed(sentence: str, found: FoundNumber, n: int, held: NumberIndex, kind: ChaosKind) -> PlantedSentence | None:
    written = sentence[found.start : found.end]
    digits = _DIGITS.search(written)
    if digits is None:
        return None
    false = _moved(digits[0], written, held) if kind in _TENFOLD else None
    false = false or false_digits(digits[0], written, held, Dice(f"chaos|{sentence}"))
    if false is None:
        return None
    other = written.replace(digits[0], false, 1)
    text = f"{sentence[: found.start]}{other}{sentence[found.end :]}".rstrip(_STOPS)
    return f"{text} [{n}]. ", Planted(ROLE, f"document_{n}", numbers_of(other)[0].number.value, found.number.value)


def _moved(digits: str, written: str, held: NumberIndex) -> str | None:
    """Return ten times a number, None where the document holds that too."""
    plain = digits.replace(",", "")
    decimals = max(len(plain.partition(".")[2]) - 1, 0)
    value = float(plain) * 10
    other = f"{value:,.{decimals}f}" if "," in digits else f"{value:.{decimals}f}"
    read = numbers_of(written.replace(digits, other, 1))
    return other if value and len(read) == 1 and not held.holds(read[0].number) else None
