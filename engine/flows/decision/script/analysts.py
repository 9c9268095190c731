"""The analysts' reports: what each looks at, how it weighs that, how it says it.

An analyst nobody planned for reports on whatever measured facts its prompt holds.
"""

from collections import Counter

from engine.domain.roles import Role
from engine.domain.text.language import Language
from engine.flows.decision.script.candles import candle_name
from engine.flows.decision.script.lexicon import POSITION_KEYS, RoleWords
from engine.flows.decision.script.record import PatternSeen, Record, direction_of, split_key
from engine.flows.decision.script.signals import balance, score
from engine.flows.decision.script.speech import Speech
from engine.flows.decision.script.votes import close_with, confidence_of, conviction, level

_FOCUS = {
    "indicator": (
        *("rsi_14", "macd_hist", "adx_14", "plus_di", "minus_di", "macd", "macd_signal"),
        *("stoch_k", "mfi_14", "cci_20", "bb_upper", "bb_lower", "atr_pct"),
    ),
    "trend": ("close", "ema_20", "ema_50", "ema_200", "sma_50", "sma_200", "vwap", "support", "resistance", "adx_14", "macd_hist"),
    "sentiment": ("funding_rate_pct", "oi_change_pct", "fear_greed", "volume_ratio_20", "obv_trend", "change_24h_pct", "mfi_14"),
    "pattern": ("close", "bb_upper", "bb_lower", "support", "resistance", "bb_middle", "atr_14", "volume_ratio_20", "rsi_14"),
}
_LEAD = {"indicator": 3, "trend": 2, "sentiment": 3, "pattern": 1}
_LENGTH = 7
_ABOUT_POSITION = frozenset({*POSITION_KEYS, "entry_price", "liquidation_price", "leverage", "size"})
_DECIDED = 0.15
_OFTEN = 0.5


def write_report(role: Role, speech: Speech, words: RoleWords, language: Language, quote: str = "") -> None:
    """One analyst's report, closing block included. quote: a sentence that quotes the evidence it was given."""
    record = speech.record
    keys = focus_keys(role, speech)
    patterns = record.patterns if role == "pattern" or role not in _FOCUS else ()
    strength = balance(record, keys) + _pattern_push(patterns)
    strength = max(-1.0, min(1.0, strength))
    direction = direction_of(strength if abs(strength) >= _DECIDED else 0)
    confidence = confidence_of(abs(strength), speech.dice, direction)
    if keys or patterns:
        lean = (strength > _DECIDED) - (strength < -_DECIDED)
        speech.say_one_of(words.openings.get(role, words.openings[""])[lean], "opening")
        late = role != "pattern" and speech.dice.roll("order") < _OFTEN
        if not late:
            _tell_patterns(role, patterns, speech, words, language)
        speech.facts(keys_to_report(role, keys, speech))
        if late:
            _tell_patterns(role, patterns, speech, words, language)
        _tell_missing(role, speech, words)
        speech.say_one_of(words.closings[lean], "closing", conviction=conviction(words.conviction, confidence))
    else:
        speech.say(words.nothing)
        _tell_missing(role, speech, words)
        confidence = 20
    speech.say(quote)
    close_with(
        speech,
        words.vote_heading,
        direction=direction.value,
        confidence=confidence,
        support=level(record, "support"),
        resistance=level(record, "resistance"),
    )


def focus_keys(role: Role, speech: Speech) -> list[str]:
    """Return the keys of the record that are this role's business, of every timeframe, in the order of its interest."""
    known = speech.sayable(speech.record.values)
    if role not in _FOCUS:
        return [key for key in known if split_key(key)[1] not in _ABOUT_POSITION]
    order = _FOCUS[role]
    return sorted(
        (key for key in known if split_key(key)[1] in order), key=lambda key: (bool(split_key(key)[0]), order.index(split_key(key)[1]))
    )


def keys_to_report(role: Role, keys: list[str], speech: Speech) -> list[str]:
    """Return as many facts as fit a report, in their order: the first of its interest always, of the rest the strongest."""
    lead = keys[: _LEAD.get(role, 1)]
    rest = sorted(keys[len(lead) :], key=lambda key: -abs(_score(key, speech.record)) - 0.2 * speech.dice.roll("told", key))
    room = _LENGTH - len(lead) - (min(2, len(speech.record.patterns)) if role == "pattern" else 0)
    chosen = {*lead, *varied(rest, lead)[:room]}
    return [key for key in keys if key in chosen]


def varied(keys: list[str], reported: list[str]) -> list[str]:
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


def _kind(key: str) -> tuple[str, str]:
    timeframe, bare = split_key(key)
    if bare.startswith(("ema_", "sma_", "vwap", "bb_middle")):
        return timeframe, "average"
    return timeframe, "di" if bare.endswith("_di") else bare.split("_")[0]


def _score(key: str, record: Record) -> float:
    return score(key, record.values[key], record)


def _pattern_push(patterns: tuple[PatternSeen, ...]) -> float:
    """Return how far the candlestick patterns push, fading with age; at most 0.5."""
    push = sum(pattern.turn * 0.35 / (1 + (pattern.bars_ago or 0) / 3) for pattern in patterns)
    return max(-0.5, min(0.5, push))


def _tell_patterns(role: Role, patterns: tuple[PatternSeen, ...], speech: Speech, words: RoleWords, language: Language) -> None:
    if role == "pattern" and not patterns:
        speech.say_one_of(words.no_pattern, "no pattern")
    freshest = sorted(patterns, key=lambda pattern: (pattern.bars_ago or 0, -abs(pattern.turn), pattern.name))
    for pattern in freshest[:2]:
        ago = pattern.bars_ago or 0
        age = words.ages[0 if ago == 0 else 1 if ago <= 3 else 2]
        speech.say_one_of(words.pattern[pattern.turn], f"pattern {pattern.turn}", name=candle_name(pattern.name, language), age=age)


def _tell_missing(role: Role, speech: Speech, words: RoleWords) -> None:
    if role == "sentiment":
        for key in words.missing:
            if key not in speech.record.values:
                speech.say(words.missing[key])
