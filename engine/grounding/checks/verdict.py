"""One raw claim against the fact sheet: true, false, or not to be checked.

Given a claim as read and the sheet, gives the domain `Claim` without its offsets in the original text (`reading.py` adds them).
The rules are those of the grounding convention: equations within the tolerance of their indicator (twice that when hedged) or correctly
rounded; bounds and ranges by plain inequality with a little slack; states by their definition. A fact that is missing or not finite
convicts nobody.
A word is a matter of taste near the bounds of its band, and some need a history that is not at hand: neither true nor false.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from engine.domain.claims import Claimed, Verdict
from engine.domain.facts import FactSheet, FactValue
from engine.domain.text.reason import Reason
from engine.grounding.grammar.state import RawClaim, Subject
from engine.grounding.tables.table import NEGATIVE, IndicatorSpec, IndicatorTable
from engine.grounding.tables.thresholds import BANDS, HALF, HEDGE_FACTOR, NEAR_FALSE, NEAR_TRUE, Band

_COMPARED: Mapping[str, Callable[[float, float], bool]] = {
    "golden_cross": lambda line, signal: line > signal,
    "dead_cross": lambda line, signal: line < signal,
    "plus_above_minus": lambda plus, minus: plus > minus,
    "minus_above_plus": lambda plus, minus: minus > plus,
    "k_above_d": lambda k, d: k > d,
    "k_below_d": lambda k, d: k < d,
    "price_above": lambda line, price: price > line,
    "price_below": lambda line, price: price < line,
}
_NO_FRAME = Reason("no_facts_for_this_timeframe")
_NO_FACT = Reason("fact_is_missing")
_NO_RULE = Reason("cannot_be_checked_from_facts")
DOUBLED = Reason("some_charts_draw_histogram_at_twice")
_AS_DRAWN = 0.01
_OSCILLATOR_SLACK = 0.5
_PRICE_SLACK = 0.001
_FUNDING_SLACK = 0.0005
_BOUND_SLACK = 0.01
_WORDS = frozenset({"rising", "falling", "flat", "long", "short", "bullish_align", "bearish_align"})
_OF_INCOME = frozenset({"profitable", "unprofitable"})
_LEVEL_STATES = {
    ("support", "broken"): "price_below",
    ("support", "intact"): "price_above",
    ("resistance", "broken"): "price_above",
    ("resistance", "intact"): "price_below",
}


def judge_band(state: str, value: float, bands: Mapping[str, Band]) -> bool | None:
    """Return whether one value has the state; None where it is a matter of taste, or no state of one value."""
    band = bands.get(state) or BANDS["volume"].get(state) or BANDS["other"].get(state)
    return band.judge(value) if band is not None else None


def judge_pair(state: str, value: float, other: float) -> bool | None:
    """Return whether two values stand as the state says; None where it is a matter of taste.

    value: of the claim's own key; other: of what it is compared with.
    """
    if state == "price_near":
        distance = abs(other / value - 1) if value else 1.0
        return True if distance <= NEAR_TRUE else None if distance <= NEAR_FALSE else False
    rule = _COMPARED.get(state)
    if rule is not None:
        return rule(value, other)
    if state.startswith("above_"):
        return value > other
    if state.startswith("below_"):
        return value < other
    return None


def order_of(fast: float, middle: float, slow: float) -> str:
    """Return the order of three averages: bullish from fast to slow falling, bearish rising, else mixed."""
    return "bullish_align" if fast > middle > slow else "bearish_align" if fast < middle < slow else "mixed"


def judge_half(state: str, drawdown: float, best: float) -> bool | None:
    """Return whether half of the best unrealised gain was given back; None when there never was a gain."""
    if best <= 0:
        return None
    gave_back = abs(drawdown) >= HALF * best
    return gave_back if state == "gave_back_half" else not gave_back


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A claim's verdict. key: canonical, with timeframe. claimed: number, range or state word. deviation, tolerance: of equations."""

    key: str
    claimed: Claimed
    verdict: Verdict
    actual: FactValue
    unit: str
    deviation: float | None = None
    tolerance: float | None = None
    reason: str | None = None


def check(raw: RawClaim, sheet: FactSheet, table: IndicatorTable) -> CheckResult:
    """Judge one claim. table: the one it was read with. Where it can be read in two ways it is false only if both are."""
    return _read(raw, sheet, table)[1]


def check_since(raw: RawClaim, earlier_sheet: FactSheet, sheet: FactSheet, table: IndicatorTable) -> tuple[CheckResult, CheckResult]:
    """Judge a claim about an earlier market: as it was when it was said, and the same reading of it by `sheet`."""
    subject, then = _read(raw, earlier_sheet, table)
    return then, _check(raw, subject, sheet, table)


def _read(raw: RawClaim, sheet: FactSheet, table: IndicatorTable) -> tuple[Subject, CheckResult]:
    """Return the reading that counts, judged."""
    outcome = _check(raw, raw.subject, sheet, table)
    for other in _other_readings(raw, table) if outcome.verdict == "false" else ():
        alternative = _check(raw, other, sheet, table)
        if alternative.verdict == "true":
            return other, alternative
    return raw.subject, outcome


def _other_readings(raw: RawClaim, table: IndicatorTable) -> list[Subject]:
    subject, either = raw.subject, raw.subject.named.indicator.either
    found = [Subject(subject.named, subject.at, subject.nearby)] if subject.nearby is not None else []
    found += [raw.also] if raw.also is not None else []
    return [*found, replace(subject, named=replace(subject.named, indicator=table[either]))] if either in table else found


def key_of(subject: Subject, base: str | None = None) -> str:
    """Return the fact's key: timeframe prefix where it is not the main one, a name that is negative by itself folded into its fact."""
    bare = base or subject.named.key
    bare = NEGATIVE.get(bare, bare)
    return f"{subject.frame}.{bare}" if subject.frame is not None else bare


def _number(sheet: FactSheet, key: str) -> float | None:
    value = sheet.number(key)
    return value if value is not None and math.isfinite(value) else None


def _value(sheet: FactSheet, key: str) -> FactValue:
    number = _number(sheet, key)
    return number if number is not None else sheet.word(key)


def _check(raw: RawClaim, subject: Subject, sheet: FactSheet, table: IndicatorTable) -> CheckResult:
    if raw.relation == "state":
        return _check_state(raw, subject, sheet, table)
    key = key_of(subject, raw.base)
    indicator = table[raw.base] if raw.base is not None and raw.base in table else subject.named.indicator
    actual = _number(sheet, key)
    assert raw.number is not None
    claimed: Claimed = (raw.number, raw.high) if raw.high is not None else raw.number
    unit = indicator.unit
    if actual is None:
        return CheckResult(key, claimed, "unverifiable", None, unit, reason=_missing(subject, sheet))
    tolerance = tolerance_of(indicator, actual, raw.hedged)
    written, compared = (abs(raw.number), abs(actual)) if indicator.magnitude else (raw.number, actual)
    if raw.relation == "=":
        if _is_doubled(raw, subject, sheet):
            return CheckResult(key, claimed, "unverifiable", actual, unit, reason=DOUBLED)
        holds = abs(written - compared) <= max(tolerance, raw.step / 2 * (1 + 1e-9)) * (1 + 1e-9)
        deviation = (written - compared) / abs(actual) if actual else None
        return CheckResult(key, claimed, _word(holds), actual, unit, deviation, tolerance)
    return CheckResult(key, claimed, _word(_within(raw, indicator, written, compared)), actual, unit)


def _is_doubled(raw: RawClaim, subject: Subject, sheet: FactSheet) -> bool:
    """Return whether a MACD or its bar is stated at twice the histogram, as Chinese charts draw it (`MACD` names the bar there)."""
    if subject.named.indicator.kind not in {"macd", "histogram"} or raw.number is None:
        return False
    bar = _number(sheet, key_of(Subject(subject.named, subject.at, subject.frame), "macd_hist"))
    return bar is not None and bar != 0 and abs(raw.number / (2 * bar) - 1) <= _AS_DRAWN


def _within(raw: RawClaim, indicator: IndicatorSpec, bound: float, actual: float) -> bool:
    """Return whether a bound or range holds, with the slack of the tolerance."""
    high = raw.high
    slack = _slack(indicator, bound if high is None else max(abs(bound), abs(high)))
    if raw.hedged:
        slack = max(slack, tolerance_of(indicator, actual, False))
    if high is not None:
        high = abs(high) if indicator.magnitude else high
        return min(bound, high) - slack <= actual <= max(bound, high) + slack
    return actual >= bound - slack if raw.relation == ">" else actual <= bound + slack


def _slack(indicator: IndicatorSpec, bound: float) -> float:
    if indicator.unit == "index" and indicator.base != "cci":
        return _OSCILLATOR_SLACK
    if indicator.unit == "price" and indicator.kind != "atr":
        return _PRICE_SLACK * abs(bound)
    return _FUNDING_SLACK if indicator.kind == "funding" else _BOUND_SLACK * abs(bound)


def tolerance_of(indicator: IndicatorSpec, actual: float, hedged: bool) -> float:
    """Return the absolute tolerance of an equation, in the fact's unit."""
    plain = max(indicator.relative * abs(actual), indicator.absolute)
    return plain * HEDGE_FACTOR if hedged else plain


def _word(holds: bool | None) -> Verdict:
    return "unverifiable" if holds is None else "true" if holds else "false"


def _missing(subject: Subject, sheet: FactSheet) -> str:
    if subject.frame is None:
        return _NO_FACT
    return _NO_FACT if any(fact.key.startswith(f"{subject.frame}.") for fact in sheet) else _NO_FRAME


def _check_state(raw: RawClaim, subject: Subject, sheet: FactSheet, table: IndicatorTable) -> CheckResult:
    if raw.state in {"bullish_align", "bearish_align"} and "ema_alignment" in table:
        subject = Subject(table.named("ema_alignment"), subject.at, subject.frame, subject.nearby)
    indicator = subject.named.indicator
    key = (
        "close"
        if indicator.kind == "channel"
        else "drawdown_from_peak_pct"
        if raw.state in {"gave_back_half", "kept_half"}
        else key_of(subject)
    )
    key = "profit_pct" if raw.state in {"in_profit", "in_loss"} else key
    if raw.state in _OF_INCOME and _number(sheet, key) is None and _number(sheet, _with_prefix(subject, "net_income")) is not None:
        key = _with_prefix(subject, "net_income")
    actual = _order(sheet, subject) if indicator.kind == "alignment" else _value(sheet, key)
    state = raw.state
    claimed = f"not_{state}" if raw.negated else state
    holds = _judge(raw, subject, sheet, key, actual)
    if holds is not None and raw.negated:
        holds = not holds
    reason = None if holds is not None else (_missing(subject, sheet) if actual is None else _NO_RULE)
    return CheckResult(key, claimed, _word(holds), actual, indicator.unit, reason=reason)


def _with_prefix(subject: Subject, key: str) -> str:
    return f"{subject.frame}.{key}" if subject.frame is not None else key


def _order(sheet: FactSheet, subject: Subject) -> str | None:
    """Return the order of EMA 20, 50 and 200 as a state word; None when one is missing."""
    prefix = f"{subject.frame}." if subject.frame is not None else ""
    fast, middle, slow = (_number(sheet, f"{prefix}ema_{period}") for period in (20, 50, 200))
    return order_of(fast, middle, slow) if fast is not None and middle is not None and slow is not None else None


def _judge(raw: RawClaim, subject: Subject, sheet: FactSheet, key: str, actual: FactValue) -> bool | None:
    state, frame = raw.state, subject.frame
    prefix = f"{frame}." if frame is not None else ""
    if isinstance(actual, str):
        return actual == state if state in _WORDS else None
    if actual is None:
        return None
    pair = _LEVEL_STATES.get((subject.named.indicator.base, state))
    if state in {"gave_back_half", "kept_half"}:
        best = _number(sheet, "mfe_pct")
        holds = judge_half(state, actual, best) if best is not None else None
    elif state == "inside":
        low, high = _number(sheet, f"{prefix}bb_lower"), _number(sheet, f"{prefix}bb_upper")
        holds = low <= actual <= high if low is not None and high is not None else None
    elif state in {"golden_cross", "dead_cross"}:
        holds = _crossed(state, subject, sheet, prefix)
    elif pair is not None or raw.other is not None:
        other = _number(sheet, "close" if raw.other is None else key_of(raw.other))
        holds = judge_pair(pair or state, actual, other) if other is not None else None
    else:
        holds = judge_band(state, actual, subject.named.indicator.bands)
    return holds


def _crossed(state: str, subject: Subject, sheet: FactSheet, prefix: str) -> bool | None:
    """Return the state of a crossover now: line against signal, or %K against %D."""
    pair = ("stoch_k", "stoch_d") if subject.named.indicator.base == "stoch_k" else ("macd", "macd_signal")
    fast, slow = (_number(sheet, prefix + key) for key in pair)
    return judge_pair(state, fast, slow) if fast is not None and slow is not None else None
