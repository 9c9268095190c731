"""A verdict without a model: each part of the question that a rule knows is held to the results that can decide it. Pure.

`high` and `low` mean the upper and the lower fifth of the values that were read. A long is crowded where longs pay, funding is high and
so is open interest; a short where shorts pay and funding is low instead. Two markets move in step from a correlation of 0.5 on. What no
rule knows (why, what will be, a question with a negation) is said to be unknown; nothing is guessed.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from engine.desks.plan.answering.measured import Measured
from engine.desks.plan.answering.synthesis import Synthesis, Verdict
from engine.desks.plan.by_words import language_of
from engine.desks.plan.words import say
from engine.domain.text.language import Language

_HIGH, _LOW, _REACH = 80.0, 20.0, 20.0
_IN_STEP = 0.5
_CLAUSE: Final = re.compile(r"(?<=[?？])|[,;，；。]|\band\b|以及|并且|而且", re.IGNORECASE)
_ASKS: Final = re.compile(r"^\W*(?:is|are|was|were|do|does|did|has|have|had|will|should|can|could)\b", re.IGNORECASE)
_ASKS_ZH: Final = re.compile("吗|是否|有没有|是不是")
_OPENS: Final = re.compile(r"^\W*(?:what|why|how|which|who|when|where)\b|为什么|为何|什么|多少|如何|怎么|将会", re.IGNORECASE)
_BEYOND: Final = re.compile(
    r"\bnot\b|n[’']t\b|\bno\b|\bnever\b|^\W*(?:will|should|could)\b|\bgoing to\b|\blikely\b|\btomorrow\b|\bnext\b|不|没|未|将|明天",
    re.IGNORECASE,
)
"""A negation, the future, or advice: no rule turns a verdict round, looks ahead, or says what to do."""
_NEUTRAL_ZH: Final = re.compile(r"是不是|有没有|是否")


Decide = Callable[[Sequence[Measured], Language], Synthesis | None]
"""What was found of one part of the question, in a sentence that cites its results; None: what it needs was not read. `sure` is 0.5 at the
border of a rule and 0.9 far from it: a rule of thumb is never certain."""


def answer_by_rule(question: str, results: Sequence[Measured]) -> Synthesis:
    """Return the answer of the rules, in the language of the question; it begins with its verdict."""
    language = language_of(question)
    if not results:
        return Synthesis(say("verdict.unknown", language) + say("nothing_known", language), "unknown")
    findings = [_of_clause(each, results, language) for each in clauses_of(question)]
    if not findings:
        return Synthesis(say("verdict.unknown", language) + say("no_yes_or_no", language), "unknown")
    said = {each.verdict for each in findings}
    verdict: Verdict = said.pop() if len(said) == 1 else "partly"
    first, *others = (each.text for each in findings)
    text = say(f"verdict.{verdict}", language) + first + "".join(f" {_opened(each)}" if language == "en" else each for each in others)
    sure = min(each.sure for each in findings if verdict == "unknown" or each.verdict != "unknown")
    last = next((each for each in reversed(findings) if each.headline), findings[-1])
    against = next((each.against for each in findings if each.against), "")
    return Synthesis(text, verdict, sure, headline=last.headline, deciding=last.deciding, against=against)


def clauses_of(question: str) -> list[str]:
    """Return the parts of a question that ask for yes or no; one without a verb of its own goes on asking as the one before."""
    found: list[str] = []
    asks = _ASKS_ZH.search(question) is not None
    for part in _CLAUSE.split(question):
        clause = part.strip(" \t\n?？!！.")
        if not clause:
            continue
        begins = _ASKS.search(clause) is not None
        asks = False if _OPENS.search(clause) else begins or asks or _ASKS_ZH.search(question) is not None
        if asks and found and not begins and _rule_of(found[-1]) is None and clause.isascii():
            found[-1] += f" and {clause}"  # `Are BTC and ETH correlated?` is one question
        elif asks:
            found.append(clause)
    return found


def _of_clause(clause: str, results: Sequence[Measured], language: Language) -> Synthesis:
    rule = _rule_of(clause)
    if rule is None or _BEYOND.search(_NEUTRAL_ZH.sub("", clause)):
        return Synthesis(say("no_rule", language, asked=clause), "unknown")
    return rule(results, language) or Synthesis(say("not_read", language, asked=clause), "unknown")


def _rule_of(clause: str) -> Decide | None:
    return next((rule for words, rule in _RULES if words.search(clause)), None)


def _opened(text: str) -> str:
    return text[0].upper() + text[1:]


def _of_tool(results: Sequence[Measured], tool: str, *names: str) -> Measured | None:
    return next((each for each in results if each.tool == tool and each.figures.keys() >= set(names)), None)


def _clear(value: float, border: float, reach: float = _REACH) -> float:
    """Return how far a value is from where the verdict turns."""
    return round(0.5 + 0.4 * min(1.0, abs(value - border) / reach), 2)


def _finding(is_so: bool, key: str, language: Language, sure: float, deciding: str, **values: object) -> Synthesis:
    """Return what a rule found: the sentence and the headline of a key, with `no` in them where it is not so."""
    said = {**values, "no": "" if is_so else say("not", language)}
    headline = _opened(say(f"{key}.headline", language, **said))
    return Synthesis(say(key, language, **said), "yes" if is_so else "no", sure, headline=headline, deciding=deciding)


def _funding(results: Sequence[Measured], language: Language, *, is_high: bool) -> Synthesis | None:
    found = _of_tool(results, "funding_history", "latest_pct", "percentile", "points")
    if found is None:
        return None
    rate, rank, points = (found.figures[name] for name in ("latest_pct", "percentile", "points"))
    is_so = (rate > 0 and rank >= _HIGH) if is_high else rank <= _LOW
    sure, word = _clear(rank, _HIGH if is_high else _LOW), say("high" if is_high else "low", language)
    about = {"word": word, "rate": rate, "rank": rank, "points": points, "n": found.n}
    return _finding(is_so, "funding", language, sure, f"{found.n} latest_pct", **about)


def _crowded(results: Sequence[Measured], language: Language, *, is_long: bool) -> Synthesis | None:
    paid = _of_tool(results, "funding_history", "latest_pct", "percentile", "positive_share")
    held = _of_tool(results, "open_interest_history", "percentile")
    if paid is None:
        return None
    rate, rank = paid.figures["latest_pct"], paid.figures["percentile"]
    pays = (rate > 0 and rank >= _HIGH) if is_long else (rate < 0 and rank <= _LOW)
    if held is None and pays:
        return None  # half of what makes a crowd is there, and the other half is not known
    halves = [(pays, _clear(rank, _HIGH if is_long else _LOW))]
    cited, interest, is_held = f"[{paid.n}]", "", ""
    if held is not None:
        high = held.figures["percentile"]
        halves.append((high >= _HIGH, _clear(high, _HIGH)))
        cited, interest = f"{cited}[{held.n}]", say("crowd.interest", language, rank=high)
        is_held = say("crowd.is_held", language, rank=high, n=held.n) if high >= _HIGH else ""
    is_so = all(fits for fits, _ in halves)
    sure = min(clear for _, clear in halves) if is_so else max(clear for fits, clear in halves if not fits)
    share, side = round(paid.figures["positive_share"] * 100), say("long" if is_long else "short", language)
    about = {"side": side, "share": share, "rate": rate, "rank": rank, "interest": interest, "cited": cited}
    found = _finding(is_so, "crowd", language, sure, f"{paid.n} latest_pct", **about)
    against = say("crowd.is_paid", language, rank=rank, n=paid.n) if pays else is_held  # the half of a crowd that is there
    return found if is_so else replace(found, against=against)


def _ranked(
    results: Sequence[Measured], language: Language, *, tool: str, subject: str, word: str, indicator: str | None = None
) -> Synthesis | None:
    """Return whether the last value of a series is among its highest, or its lowest. indicator: which one, of a tool that reads several."""
    found = _of_tool([each for each in results if each.fields.get("indicator") == indicator], tool, "percentile", "latest")
    if found is None:
        return None
    rank, border = found.figures["percentile"], _LOW if word == "low" else _HIGH
    is_so = rank <= border if word == "low" else rank >= border
    about = {"subject": say(f"series.{subject}", language), "word": say(word, language), "latest": found.figures["latest"], "rank": rank}
    return _finding(is_so, "ranked", language, _clear(rank, border), f"{found.n} latest", n=found.n, **about)


def _compared(
    results: Sequence[Measured],
    language: Language,
    *,
    claim: str,
    tool: str,
    name: str,
    border: str | float,
    is_above: bool,
    reach: float,
) -> Synthesis | None:
    """Return whether a figure is above, or below, a border: a number, or another figure of the same result. claim: what is so then."""
    needed = (name, border) if isinstance(border, str) else (name,)
    found = _of_tool(results, tool, *needed)
    if found is None:
        return None
    value = found.figures[name]
    limit = found.figures[border] if isinstance(border, str) else border
    is_so = value > limit if is_above else value < limit
    figures = ", ".join(_shown(found, each) for each in needed)
    text = say("claim" if is_so else "no_claim", language, claim=say(f"claim.{claim}", language), figures=figures, n=found.n)
    headline = say(f"claim.{claim}.headline", language, no="" if is_so else say("claim.not", language))
    sure = _clear(value, limit, (abs(limit) * reach if isinstance(border, str) else reach) or 1.0)
    return Synthesis(text, "yes" if is_so else "no", sure, headline=_opened(headline), deciding=f"{found.n} {name}")


def _shown(result: Measured, name: str) -> str:
    plain = name.rpartition(".")[2].removesuffix("_pct")
    return f"{plain} {result.figures[name]:.6g}{' %' if name.endswith('_pct') else ''}"


def _together(results: Sequence[Measured], language: Language, *, is_apart: bool) -> Synthesis | None:
    read = [each for each in results if each.tool == "correlation" and "correlation" in each.figures]
    closes = [each for each in read if all(each.fields.get(side, "").startswith("close of") for side in "ab")]
    if not read:
        return None
    found = (closes or read)[0]
    value = found.figures["correlation"]
    moves = value >= _IN_STEP
    one, other = (found.fields.get(side, "").partition(" of ")[2] or found.fields.get(side, "") for side in "ab")
    key, deciding = "in_step" if moves else "not_in_step", f"{found.n} correlation"
    return _finding(moves != is_apart, key, language, _clear(value, _IN_STEP, 0.3), deciding, a=one, b=other, value=value, n=found.n)


_UP, _DOWN = r"(?:ris|grow|increas|climb|up\b|增|上升)", r"(?:fall|drop|declin|decreas|shrink|down\b|减|下降)"
_HIGH_WORDS, _LOW_WORDS = r"(?:high|elevated|expensive|rich|extreme|高|贵)", r"(?:\blow\b|cheap|低|便宜)"
_FUNDING, _INTEREST, _PRICE = r"(?:funding|carry|资金费)", r"(?:open interest|\bOI\b|持仓)", r"(?:trend|price|趋势|价格|走势)"
_RATE: Final = {"tool": "funding_history", "name": "latest_pct", "border": 0.0, "reach": 0.01}
_CHANGE: Final = {"tool": "open_interest_history", "name": "change_pct", "border": 0.0, "reach": 5.0}
_RSI: Final = {"tool": "market_facts", "name": "facts.rsi_14", "reach": 15.0}
_TREND: Final = {"tool": "market_facts", "name": "facts.close", "border": "facts.ema_200", "reach": 0.03}
_REPORTED: Final = {"tool": "company_fundamentals", "border": 0.0, "reach": 5.0}
_HELD: Final = {"tool": "open_interest_history", "subject": "open_interest"}
_TABLE: Final[tuple[tuple[str, Callable[..., Synthesis | None], Mapping[str, Any]], ...]] = (
    (r"shorts?\b.*crowd|crowd\w* short|空头.*拥挤", _crowded, {"is_long": False}),
    (r"longs?\b.*crowd|crowd|拥挤", _crowded, {"is_long": True}),
    (rf"{_FUNDING}.*{_HIGH_WORDS}|{_HIGH_WORDS} (?:funding|carry)", _funding, {"is_high": True}),
    (rf"{_FUNDING}.*{_LOW_WORDS}|{_LOW_WORDS} (?:funding|carry)", _funding, {"is_high": False}),
    (rf"{_FUNDING}.*(?:negative|负)", _compared, {"claim": "funding_negative", "is_above": False, **_RATE}),
    (
        rf"{_FUNDING}.*(?:positive|正)|longs? (?:pay|paying)|多头付费",
        _compared,
        {"claim": "funding_positive", "is_above": True, **_RATE},
    ),
    (rf"{_INTEREST}.*{_HIGH_WORDS}", _ranked, {"word": "high", **_HELD}),
    (rf"{_INTEREST}.*{_LOW_WORDS}", _ranked, {"word": "low", **_HELD}),
    (rf"{_INTEREST}.*{_UP}", _compared, {"claim": "interest_rising", "is_above": True, **_CHANGE}),
    (rf"{_INTEREST}.*{_DOWN}", _compared, {"claim": "interest_falling", "is_above": False, **_CHANGE}),
    (r"decoupl|脱钩", _together, {"is_apart": True}),
    (r"correlat|in step|together|联动|相关", _together, {"is_apart": False}),
    (r"overbought|超买", _compared, {"claim": "overbought", "border": 70.0, "is_above": True, **_RSI}),
    (r"oversold|超卖", _compared, {"claim": "oversold", "border": 30.0, "is_above": False, **_RSI}),
    (r"volatil|波动", _ranked, {"tool": "indicator_series", "subject": "volatility", "word": "large", "indicator": "atr_pct"}),
    (rf"{_PRICE}.*{_UP}|uptrend|bullish", _compared, {"claim": "trend_up", "is_above": True, **_TREND}),
    (rf"{_PRICE}.*{_DOWN}|downtrend|bearish", _compared, {"claim": "trend_down", "is_above": False, **_TREND}),
    (
        rf"(?:revenue|sales|营收).*{_UP}",
        _compared,
        {"claim": "revenue_growing", "name": "figures.revenue_growth_pct", "is_above": True, **_REPORTED},
    ),
    (r"profitable|盈利", _compared, {"claim": "profitable", "name": "figures.net_margin_pct", "is_above": True, **_REPORTED}),
)
_RULES: Final[tuple[tuple[re.Pattern[str], Decide], ...]] = tuple(
    (re.compile(words, re.IGNORECASE), partial(rule, **how)) for words, rule, how in _TABLE
)
