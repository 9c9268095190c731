"""The analysts' reports: what each looks at and how it weighs that.

An analyst without a focus of its own reports on whatever measured facts its prompt holds.
"""

from collections import Counter
from collections.abc import Iterable

from engine.desks.decision.script.record import PatternSeen, direction_of, split_key
from engine.desks.decision.script.signals import balance, is_average, score_of
from engine.desks.decision.script.speech import LEANS, POSITION_KEYS, MarketSpeech
from engine.domain.opinion import Direction
from engine.domain.roles import Role

_FOCUS = {
    "indicator": (
        *("rsi_14", "macd_hist", "adx_14", "plus_di", "minus_di", "macd", "macd_signal"),
        *("stoch_k", "mfi_14", "cci_20", "bb_upper", "bb_lower", "atr_pct"),
    ),
    "trend": ("close", "ema_20", "ema_50", "ema_200", "sma_50", "sma_200", "vwap", "support", "resistance", "adx_14", "macd_hist"),
    "sentiment": ("funding_rate_pct", "oi_change_pct", "fear_greed", "volume_ratio_20", "obv_trend", "change_24h_pct", "mfi_14"),
    "pattern": ("close", "bb_upper", "bb_lower", "support", "resistance", "bb_middle", "atr_14", "volume_ratio_20", "rsi_14"),
}
_LEAD = {"indicator": 3, "trend": 2, "sentiment": 3}
_LENGTH = 7
_MISSED = ("oi_change_pct", "funding_rate_pct", "fear_greed")
"""What a report on sentiment says is missing, where it is."""
_ABOUT_POSITION = frozenset({*POSITION_KEYS, "entry_price", "liquidation_price", "leverage", "size"})
_DECIDED = 0.15
UNKNOWN = "N/A"


def write_report(role: Role, speech: MarketSpeech, quote: str) -> None:
    """Write one analyst's report, closing block included: it votes by the values it states. quote: a sentence that quotes the evidence it
    was given, or nothing."""
    record, keys = speech.record, focus_keys(role, speech)
    patterns = record.patterns if role == "pattern" or role not in _FOCUS else ()
    reported = _reported(role, keys, speech)
    strength = max(-1.0, min(1.0, balance(record.with_values(speech.to_tell(reported)), keys) + _pattern_push(patterns)))
    lean = (strength >= _DECIDED) - (strength <= -_DECIDED)
    confidence = confidence_of(abs(strength), speech, direction_of(lean))
    if keys or patterns:
        speech.say(f"opening.{role if role in _FOCUS else 'other'}.{LEANS[lean]}")
        _tell_patterns(role, patterns, speech)
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
    levels = {key: record.texts[key] if record.number(key) is not None else UNKNOWN for key in ("support", "resistance")}
    speech.close("vote_heading", direction=direction_of(lean).value, confidence=confidence, **levels)


def focus_keys(role: Role, speech: MarketSpeech) -> list[str]:
    """Return the keys of the record that are this role's business, of every timeframe, in the order of its interest."""
    known = speech.sayable(speech.texts)
    if role not in _FOCUS:
        return [key for key in known if split_key(key)[1] not in _ABOUT_POSITION]
    order = _FOCUS[role]
    mine = (key for key in known if split_key(key)[1] in order)
    return sorted(mine, key=lambda key: (bool(split_key(key)[0]), order.index(split_key(key)[1])))


def varied(keys: Iterable[str], reported: Iterable[str] = ()) -> list[str]:
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


def confidence_of(strength: float, speech: MarketSpeech, direction: Direction) -> int:
    """Return 0-100 from the strength of a view (0-1): a direction starts at 51, standing aside stays under 56."""
    jitter = speech.dice.roll("confidence") * 4 - 2
    if direction is Direction.NEUTRAL:
        return round(max(30.0, 54 - 40 * strength + jitter))
    return round(min(86.0, 51 + 34 * strength + jitter))


def _reported(role: Role, keys: list[str], speech: MarketSpeech) -> list[str]:
    """Return as many facts as fit a report, in their order: the first of its interest always, of the rest the strongest."""
    lead = keys[: _LEAD.get(role, 1)]
    rest = sorted(keys[len(lead) :], key=lambda key: -abs(score_of(key, speech.record)) - 0.2 * speech.dice.roll("told", key))
    room = _LENGTH - len(lead) - (min(2, len(speech.record.patterns)) if role == "pattern" else 0)
    chosen = {*lead, *varied(rest, lead)[:room]}
    return [key for key in keys if key in chosen]


def _kind(key: str) -> tuple[str, str]:
    timeframe, bare = split_key(key)
    if is_average(bare):
        return timeframe, "average"
    return timeframe, "di" if bare.endswith("_di") else bare.partition("_")[0]


def _pattern_push(patterns: Iterable[PatternSeen]) -> float:
    """Return how far the candlestick patterns push, fading with age; at most 0.5."""
    push = sum(pattern.turn * 0.35 / (1 + pattern.bars_ago / 3) for pattern in patterns)
    return max(-0.5, min(0.5, push))


def _tell_patterns(role: Role, patterns: Iterable[PatternSeen], speech: MarketSpeech) -> None:
    freshest = sorted(patterns, key=lambda pattern: (pattern.bars_ago, -abs(pattern.turn), pattern.name))
    if role == "pattern" and not freshest:
        speech.say("no_pattern")
    for pattern in freshest[:2]:
        age = speech.words["age"][0 if pattern.bars_ago == 0 else 1 if pattern.bars_ago <= 3 else 2]
        speech.say(f"pattern.{LEANS[pattern.turn]}", name=speech.words.text(f"candle.{pattern.name}", pattern.name), age=age)
