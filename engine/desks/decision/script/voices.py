"""What the scripted model says for the roles of a decision, and the analysts' reports.

A voice reads the measured facts in its prompt, weighs them by plain rules and argues from them in English or Chinese. The same snapshot,
node, seed, language and facts always give the same text, but in a repetition, which varies by its number; of one market in two languages,
what is decided is the same. At a set rate it states false values on purpose, each with its `Planted` record; with rate 0 nothing false.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final

from engine.desks.decision.analysts import ANALYSTS
from engine.desks.decision.paths import POSITION, path_at
from engine.desks.decision.script.debate import write_case, write_ruling
from engine.desks.decision.script.executor import write_decision
from engine.desks.decision.script.market_speech import UNKNOWN, WORDS, MarketSpeech, confidence_of, varied, weighable
from engine.desks.decision.script.record import PatternSeen, direction_of, read_record
from engine.domain.decision import DEBATE_SIDES
from engine.domain.roles import Role
from engine.grounding.tables.markets import CRYPTO
from engine.llm.protocol import ModelCall, Script, Voice
from engine.script.dice import Dice
from engine.script.quoting import fitting_quote
from engine.script.signals import balance, score_of, split_key
from engine.script.speech import LEANS

_STANCE = {"bull": 1, "bear": -1}
_FOCUS = {
    "indicator": (
        *("rsi_14", "macd_hist", "adx_14", "plus_di", "minus_di", "macd", "macd_signal"),
        *("stoch_k", "mfi_14", "cci_20", "bb_upper", "bb_lower", "atr_pct"),
    ),
    "trend": ("close", "ema_20", "ema_50", "ema_200", "sma_50", "sma_200", "vwap", "support", "resistance", "adx_14", "macd_hist"),
    "sentiment": ("funding_rate_pct", "oi_change_pct", "fear_greed", "volume_ratio_20", "obv_trend", "change_24h_pct", "mfi_14"),
    "pattern": ("close", "bb_upper", "bb_lower", "support", "resistance", "bb_middle", "atr_14", "volume_ratio_20", "rsi_14"),
}
"""Analyst -> its business, in the order of its interest; one without an entry reports on whatever measured facts its prompt holds."""
_LEAD = {"indicator": 3, "trend": 2, "sentiment": 3}
_LENGTH = 7
_MISSED = ("oi_change_pct", "funding_rate_pct", "fear_greed")
"""What a report on sentiment says is missing, where it is."""
_DECIDED = 0.15
_QUOTES: Final = {analyst.key: analyst.quotes for analyst in ANALYSTS}
_ANY_LANGUAGE = "en"
"""Stands in the seed in every language: what is weighed, said falsely and decided does not depend on the language it is written in."""


def decision_voices(analysts: Iterable[Role], *, lies: float = 0.0, seed: int = 0) -> Mapping[Role, Voice]:
    """Return a voice for every role. analysts: keys. lies: share (0-1) of the stated values that are false. seed: changes phrasing and
    which values those are. Raises ValueError for other shares."""
    if not 0 <= lies <= 1:
        raise ValueError(f"lies is a share between 0 and 1, not {lies}")
    return dict.fromkeys((*analysts, *DEBATE_SIDES, "executor"), partial(_write, lies=lies, seed=seed))


def _write(call: ModelCall, *, lies: float, seed: int) -> Script:
    """Return the whole answer of a role, with the places of its planted values."""
    record, path = read_record(f"{call.system}\n{call.user}"), path_at(call.where)
    facts = ";".join(f"{key}={text}" for key, text in sorted(record.texts.items()))
    own_turns = call.user.count(f'<said by="{path.speaker(call.role)} ')
    again = f"|again {call.again}" if call.again else ""
    dice = Dice(f"{call.context}|{call.where}|{seed}|{_ANY_LANGUAGE}|{facts}{f'|{own_turns}' if own_turns else ''}{again}")
    lie_dice, stance = Dice(f"{call.context}|{call.where}|{seed}{again}"), _STANCE.get(call.role, 0)
    favour = stance * (record.side or 1) if path is POSITION else stance
    speech = MarketSpeech(call.where, WORDS[call.language], record.texts, CRYPTO, dice, lie_dice, lies, call.again, favour, record=record)
    if stance:
        write_case(stance, speech, path is POSITION)
    elif call.role == "judge":
        write_ruling(speech, path is POSITION)
    elif call.role == "executor":
        write_decision(speech)
    else:
        quote = fitting_quote(call.user, call.language, _QUOTES.get(call.role, ()))
        _write_report(call.role, speech, quote)
    return speech.finish()


def _write_report(role: Role, speech: MarketSpeech, quote: str) -> None:
    """Write one analyst's report, closing block included: it votes by the values it states."""
    record, keys = speech.record, _keys_of(role, speech)
    patterns = record.patterns if role == "pattern" or role not in _FOCUS else ()
    reported = _reported(role, keys, speech)
    believed = record.believing(speech.to_state(reported)).texts
    strength = max(-1.0, min(1.0, balance(believed, keys) + _pattern_push(patterns)))
    lean = (strength >= _DECIDED) - (strength <= -_DECIDED)
    confidence = confidence_of(abs(strength), speech, direction_of(lean))
    if keys or patterns:
        speech.say(f"opening.{role if role in _FOCUS else 'other'}.{LEANS[lean]}")
        _add_patterns(role, patterns, speech)
        speech.facts(reported)
    else:
        speech.say("nothing")
        confidence = 20
    for key in _MISSED if role == "sentiment" else ():
        if key not in record.texts:
            speech.say(f"missing.{key}")
    if keys or patterns:
        speech.say(f"closing.{LEANS[lean]}", conviction=speech.conviction(confidence))
    if quote:
        speech.add(quote)
    levels = {key: record.texts.get(key) if record.number(key) else UNKNOWN for key in ("support", "resistance")}
    speech.close("vote_heading", direction=direction_of(lean).value, confidence=confidence, **levels)


def _keys_of(role: Role, speech: MarketSpeech) -> list[str]:
    """Return the known keys that are this role's business, of every timeframe, in the order of its interest."""
    order = _FOCUS.get(role)
    if order is None:
        return weighable(speech)
    mine = (key for key in speech.sayable(speech.texts) if split_key(key)[1] in order)
    return sorted(mine, key=lambda key: (bool(split_key(key)[0]), order.index(split_key(key)[1])))


def _reported(role: Role, keys: list[str], speech: MarketSpeech) -> list[str]:
    """Return as many facts as fit a report, in their order: the first of its interest always, of the rest the strongest."""
    lead = keys[: _LEAD.get(role, 1)]
    rest = sorted(keys[len(lead) :], key=lambda key: -abs(score_of(key, speech.texts)) - 0.2 * speech.dice.roll("told", key))
    room = _LENGTH - len(lead) - (min(2, len(speech.record.patterns)) if role == "pattern" else 0)
    chosen = {*lead, *varied(rest, lead)[:room]}
    return [key for key in keys if key in chosen]


def _pattern_push(patterns: Iterable[PatternSeen]) -> float:
    """Return how far the candlestick patterns push, fading with age; at most 0.5."""
    push = sum(pattern.turn * 0.35 / (1 + pattern.bars_ago / 3) for pattern in patterns)
    return max(-0.5, min(0.5, push))


def _add_patterns(role: Role, patterns: Iterable[PatternSeen], speech: MarketSpeech) -> None:
    freshest = sorted(patterns, key=lambda pattern: (pattern.bars_ago, -abs(pattern.turn), pattern.name))
    if role == "pattern" and not freshest:
        speech.say("no_pattern")
    for pattern in freshest[:2]:
        age = speech.words["age"][0 if pattern.bars_ago == 0 else 1 if pattern.bars_ago <= 3 else 2]
        speech.say(f"pattern.{LEANS[pattern.turn]}", name=speech.words.text(f"candle.{pattern.name}", pattern.name), age=age)
