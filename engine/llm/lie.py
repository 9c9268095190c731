"""One false sentence about a market, made from the true facts in a prompt.

Given the facts, a kind of lie and a language; gives the sentence and its record. Pure and deterministic. It is false by clearly more than
any tolerance of the grounding convention, and written as plainly as a person would.
"""

from collections.abc import Callable, Mapping

from engine.domain.chaos import ChaosKind
from engine.domain.facts import number_text, read_fact_lines
from engine.domain.roles import Role
from engine.domain.text.language import Language
from engine.llm.protocol import ModelCall, Planted

Facts = Mapping[str, float | str]
PlantedSentence = tuple[str, Planted]
"""A false sentence, ready to be before a text, and its record."""
LieMaker = Callable[[ModelCall, ChaosKind], PlantedSentence | None]
"""(what a role is asked, kind of lie) -> a false sentence; None where the question holds nothing to lie about."""

_NAMES: Mapping[str, str] = {
    "rsi_14": "RSI(14)",
    "adx_14": "ADX",
    "mfi_14": "MFI",
    "ema_200": "EMA 200",
    "ema_50": "EMA 50",
    "ema_20": "EMA 20",
}
INDEXES = ("rsi_14", "adx_14", "mfi_14")
"""Indicators from 0 to 100, of which a value can be stated falsely."""
_FAR = 25.0  # of an index from 0 to 100; its tolerance is 5 at most, 10 when hedged
_APART = 1.25  # two timeframes' values whose ratio is smaller are taken to be alike
_OTHER_MARKET = 0.0353  # what one market's price is of another's, about as ether's of bitcoin's
_VALUE = {"en": "The {name} stands at {value}. ", "zh": "{name}为{value}。"}
_FRAMED = {"en": "On the {frame} chart the {name} stands at {value}. ", "zh": "{frame}级别的{name}为{value}。"}
_PRICE = {"en": "Price trades at {value}. ", "zh": "当前价格{value}。"}
_STATE = {
    "oversold": {"en": "RSI is oversold. ", "zh": "RSI处于超卖区。"},
    "overbought": {"en": "RSI is overbought. ", "zh": "RSI处于超买区。"},
    "price_above": {"en": "Price trades above the EMA 200. ", "zh": "价格位于EMA200上方。"},
    "price_below": {"en": "Price trades below the EMA 200. ", "zh": "价格位于EMA200下方。"},
}


def lie_about_facts(call: ModelCall, kind: ChaosKind) -> PlantedSentence | None:
    """Return a lie about the measured facts in a prompt, or in what tools gave: a `LieMaker`."""
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
    makers = {"value": _value, "timeframe": _timeframe, "price": _price, "symbol": _symbol, "state": _state}
    made = makers[kind](facts, language) or _value(facts, language) or _price(facts, language)
    if made is None:
        return None
    text, key, stated, true = made
    return text, Planted(role, key, stated, true)


_Made = tuple[str, str, float | str, float | str] | None


def _number(facts: Facts, key: str) -> float | None:
    value = facts.get(key)
    return value if isinstance(value, float) else None


def _value(facts: Facts, language: Language) -> _Made:
    for key in INDEXES:
        true = _number(facts, key)
        if true is not None:
            stated = true + _FAR if true < 50 else true - _FAR
            return _VALUE[language].format(name=_NAMES[key], value=number_text(stated, "index")), key, round(stated, 1), true
    return None


def _timeframe(facts: Facts, language: Language) -> _Made:
    """Return the main timeframe's value, said of the higher one."""
    for full, true in facts.items():
        frame, _, key = full.rpartition(".")
        main = _number(facts, key)
        if not frame or key not in INDEXES or main is None or not isinstance(true, float):
            continue
        if max(main, true) > _APART * max(1.0, min(main, true)) and abs(main - true) > _FAR / 4:
            return _FRAMED[language].format(frame=frame, name=_NAMES[key], value=number_text(main, "index")), full, main, true
    return None


def _price(facts: Facts, language: Language) -> _Made:
    return _priced(facts, language, 10.0)


def _symbol(facts: Facts, language: Language) -> _Made:
    return _priced(facts, language, _OTHER_MARKET)


def _priced(facts: Facts, language: Language, factor: float) -> _Made:
    true = _number(facts, "close") or _number(facts, "price")
    if true is None:
        return None
    stated = true * factor
    return _PRICE[language].format(value=number_text(stated, "price")), "close", stated, true


def _state(facts: Facts, language: Language) -> _Made:
    rsi = _number(facts, "rsi_14")
    if rsi is not None:
        word = "overbought" if rsi < 60 else "oversold"
        return _STATE[word][language], "rsi_14", word, rsi
    price, line = _number(facts, "close"), _number(facts, "ema_200")
    if price is None or line is None:
        return None
    word = "price_below" if price > line else "price_above"
    return _STATE[word][language], "ema_200", word, line
