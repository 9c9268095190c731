"""What is false on purpose: numbers for a script that lies at a set rate, and one false sentence about a market for a model that lies once.

Pure and deterministic. Every lie is off by clearly more than any tolerance of the grounding convention, and written as plainly as a person
would.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from engine.domain.chaos import ChaosKind
from engine.domain.facts import number_text, read_fact_lines
from engine.domain.roles import Role
from engine.domain.text.language import LANGUAGES, Language
from engine.domain.text.word_files import read_texts
from engine.llm.protocol import ModelCall, Planted, PlantedSentence
from engine.script.dice import Dice

Facts = Mapping[str, float | str]

_WORDS: Final = {language: read_texts(Path(__file__).parent, language, "lies") for language in LANGUAGES}
_NAMES: Final = {"rsi_14": "RSI(14)", "adx_14": "ADX", "mfi_14": "MFI"}
INDEXES: Final = tuple(_NAMES)
"""Indicators from 0 to 100, of which a value can be stated falsely."""
_FAR = 25.0  # of an index from 0 to 100; its tolerance is 5 at most, 10 when hedged
_APART = 1.25  # two timeframes' values whose ratio is smaller are taken to be alike
_PRICES: Final[Mapping[ChaosKind, float]] = {"price": 10.0, "symbol": 0.0353}
"""Kind of lie -> what the price is multiplied by: a slipped digit, and another market's price, about as ether's of bitcoin's."""


def is_false_one(count: int, share: float, dice: Dice) -> bool:
    """Return whether the value stated after `count` others is to be false: evenly spread, so that the share holds."""
    start = dice.roll("start")
    return math.floor((count + 1) * share + start) > math.floor(count * share + start)


def false_number(written: str, values: Iterable[float], fits: Callable[[str], bool]) -> Iterator[str]:
    """Yield those values that fit, in the form in which a number is written: as many decimals, commas where it has some."""
    comma = "," if "," in written else ""
    texts = (f"{value:{comma}.{decimals_of(written)}f}" for value in values)
    return (text for text in texts if fits(text))


def decimals_of(text: str) -> int:
    """Return how many digits a written number has after its point."""
    digits, _, power = text.lower().partition("e")
    return max(0, len(digits.partition(".")[2]) - int(power or 0))


def lie_about_facts(call: ModelCall, kind: ChaosKind) -> PlantedSentence | None:
    """Return a lie about the measured facts in a prompt, or in what tools gave; None where they hold nothing to lie about."""
    answered = (str(message.get("content") or "") for message in call.messages if message.get("role") == "tool")
    return false_sentence(read_fact_lines("\n".join((call.system, call.user, *answered))), kind, call.where, call.language)


def put_right(made: PlantedSentence) -> str | None:
    """Return a planted sentence with the true value in place of the false one; None where they are no numbers."""
    sentence, planted = made
    if not isinstance(planted.stated, float) or not isinstance(planted.true, float):
        return None
    return sentence.replace(number_text(planted.stated, "index"), number_text(planted.true, "index"))


def false_sentence(facts: Facts, kind: ChaosKind, role: Role, language: Language) -> PlantedSentence | None:
    """Return the lie, ready to be before a text; None when the facts hold nothing to lie about."""
    makers = {"timeframe": _timeframe, "state": _state, "price": _price, "symbol": _price}
    made = (makers[kind](facts, kind) if kind in makers else None) or _value(facts) or _price(facts, "price")
    if made is None:
        return None
    words, values, key, stated, true = made
    return _WORDS[language][words].format(**values), Planted(role, key, stated, true)


_Made = tuple[str, Mapping[str, str], str, float | str, float | str] | None
"""Key of its words, what they are filled in with, and what is stated of which key in place of what."""


def _number(facts: Facts, key: str) -> float | None:
    value = facts.get(key)
    return value if isinstance(value, float) else None


def _value(facts: Facts) -> _Made:
    for key, name in _NAMES.items():
        if (true := _number(facts, key)) is not None:
            stated = true + _FAR if true < 50 else true - _FAR
            return "value", {"name": name, "value": number_text(stated, "index")}, key, round(stated, 1), true
    return None


def _timeframe(facts: Facts, _kind: ChaosKind) -> _Made:
    """Return the main timeframe's value, said of the higher one."""
    for full, true in facts.items():
        frame, _, key = full.rpartition(".")
        main = _number(facts, key)
        if not frame or key not in _NAMES or main is None or not isinstance(true, float):
            continue
        if max(main, true) > _APART * max(1.0, min(main, true)) and abs(main - true) > _FAR / 4:
            return "framed", {"frame": frame, "name": _NAMES[key], "value": number_text(main, "index")}, full, main, true
    return None


def _price(facts: Facts, kind: ChaosKind) -> _Made:
    true = _number(facts, "close") or _number(facts, "price")
    if true is None:
        return None
    stated = true * _PRICES[kind]
    return "price", {"value": number_text(stated, "price")}, "close", stated, true


def _state(facts: Facts, _kind: ChaosKind) -> _Made:
    rsi, price, line = (_number(facts, key) for key in ("rsi_14", "close", "ema_200"))
    if rsi is not None:
        word = "overbought" if rsi < 60 else "oversold"
        return word, {}, "rsi_14", word, rsi
    if price is None or line is None:
        return None
    word = "price_below" if price > line else "price_above"
    return word, {}, "ema_200", word, line
