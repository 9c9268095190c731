"""A verdict without a model: each part of the question that a rule knows is held to the results that can decide it. Pure.

`high` and `low` mean the upper and the lower fifth of the values that were read. A long is crowded where longs pay, funding is high and
so is open interest; a short where shorts pay and funding is low instead. Two markets move in step from a correlation of 0.5 on. What no
rule knows (why, what will be, a question with a negation) is said to be unknown; nothing is guessed.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from engine.desks.plan.answering.measured import Measured
from engine.desks.plan.answering.synthesis import Synthesis, Verdict
from engine.desks.plan.planning.by_words import language_of
from engine.domain.text.language import Language
from engine.prompts.render import Text

_HIGH, _LOW, _REACH = 80.0, 20.0, 20.0
_IN_STEP = 0.5
_WORDS: Final[Mapping[Verdict, Text]] = {
    "yes": {"en": "Yes: ", "zh": "是："},
    "no": {"en": "No: ", "zh": "否："},
    "partly": {"en": "Partly: ", "zh": "部分是："},
    "unknown": {"en": "Cannot say: ", "zh": "无法判断："},
}
_NOTHING: Final[Text] = {"en": "no task of the plan gave a result.", "zh": "计划中没有任务得到结果。"}
_OPEN: Final[Text] = {
    "en": "the question does not ask for yes or no, and no rule answers it; what was measured stands below.",
    "zh": "这个问题不是是非题，规则无法回答；以下是测得的结果。",
}
_NO_RULE: Final[Text] = {"en": "no measurement decides “{asked}”.", "zh": "没有测量能判断“{asked}”。"}
_NOT_READ: Final[Text] = {"en": "what decides “{asked}” could not be read.", "zh": "判断“{asked}”所需的数据未能取得。"}
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


@dataclass(frozen=True)
class Finding:
    """What was found of one part of the question. text: a sentence that cites its results. sure: 0.5 at a rule's border, 0.9 far from it: a
    rule of thumb is never certain. headline, deciding, against: as of `Synthesis`."""

    verdict: Verdict
    text: str
    sure: float = 0.0
    headline: str = ""
    deciding: str = ""
    against: str = ""


Decide = Callable[[Sequence[Measured], Language], Finding | None]
"""None: what it needs was not read."""


def answer_by_rule(question: str, results: Sequence[Measured]) -> Synthesis:
    """Return the answer of the rules, in the language of the question; it begins with its verdict."""
    language = language_of(question)
    if not results:
        return Synthesis(_WORDS["unknown"][language] + _NOTHING[language], "unknown", 0.0, "rule")
    findings = [_of_clause(each, results, language) for each in clauses_of(question)]
    if not findings:
        return Synthesis(_WORDS["unknown"][language] + _OPEN[language], "unknown", 0.0, "rule")
    said = {each.verdict for each in findings}
    verdict: Verdict = said.pop() if len(said) == 1 else "partly"
    first, *others = (each.text for each in findings)
    text = _WORDS[verdict][language] + first + "".join(_opened(each, language) for each in others)
    sure = min(each.sure for each in findings if verdict == "unknown" or each.verdict != "unknown")
    last = next((each for each in reversed(findings) if each.headline), Finding("unknown", ""))
    against = next((each.against for each in findings if each.against), "")
    return Synthesis(text, verdict, sure, "rule", headline=last.headline, deciding=last.deciding, against=against)


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


def asks_for_a_verdict(question: str) -> bool:
    """Return whether a question asks for yes or no."""
    return bool(clauses_of(question))


def _of_clause(clause: str, results: Sequence[Measured], language: Language) -> Finding:
    rule = _rule_of(clause)
    if rule is None or _BEYOND.search(_NEUTRAL_ZH.sub("", clause)):
        return Finding("unknown", _NO_RULE[language].replace("{asked}", clause))
    return rule(results, language) or Finding("unknown", _NOT_READ[language].replace("{asked}", clause))


def _rule_of(clause: str) -> Decide | None:
    return next((rule for words, rule in _RULES if words.search(clause)), None)


def _opened(text: str, language: Language) -> str:
    return f" {text[0].upper()}{text[1:]}" if language == "en" else text


def _of_tool(results: Sequence[Measured], tool: str, *names: str) -> Measured | None:
    return next((each for each in results if each.tool == tool and all(each.number(name) is not None for name in names)), None)


def _figure(of: Measured, name: str) -> float:
    value = of.number(name)
    assert value is not None, "what is asked for was looked up with its name"
    return value


def _clear(value: float, border: float, reach: float = _REACH) -> float:
    """Return how far a value is from where the verdict turns."""
    return round(0.5 + 0.4 * min(1.0, abs(value - border) / reach), 2)


def _funding(is_high: bool) -> Decide:
    def decide(results: Sequence[Measured], language: Language) -> Finding | None:
        found = _of_tool(results, "funding_history", "latest_pct", "percentile", "points")
        if found is None:
            return None
        rate, rank, n = (_figure(found, name) for name in ("latest_pct", "percentile", "points"))
        is_so = (rate > 0 and rank >= _HIGH) if is_high else rank <= _LOW
        word = ("high", "高") if is_high else ("low", "低")
        if language == "zh":
            text = (
                f"资金费率{'' if is_so else '不'}{word[1]}：最近一次为 {rate:+.4f} %，"
                f"处于 {n:.0f} 次结算的第 {rank:.0f} 百分位 [{found.n}]。"
            )
        else:
            text = (
                f"funding is {'' if is_so else 'not '}{word[0]}: the last rate is {rate:+.4f} %, "
                f"at percentile {rank:.0f} of {n:.0f} settlements [{found.n}]."
            )
        named = f"资金费率{'' if is_so else '不'}{word[1]}" if language == "zh" else f"Funding {'' if is_so else 'not '}{word[0]}"
        sure = _clear(rank, _HIGH if is_high else _LOW)
        return Finding("yes" if is_so else "no", text, sure, named, f"{found.n} latest_pct")

    return decide


def _crowded(is_long: bool) -> Decide:
    def decide(results: Sequence[Measured], language: Language) -> Finding | None:
        paid = _of_tool(results, "funding_history", "latest_pct", "percentile", "positive_share")
        held = _of_tool(results, "open_interest_history", "percentile")
        if paid is None:
            return None
        rate, rank = _figure(paid, "latest_pct"), _figure(paid, "percentile")
        pays = (rate > 0 and rank >= _HIGH) if is_long else (rate < 0 and rank <= _LOW)
        if held is None and pays:
            return None  # half of what makes a crowd is there, and the other half is not known
        share = round(_figure(paid, "positive_share") * 100)
        is_held = held is not None and _figure(held, "percentile") >= _HIGH
        is_so = pays and is_held
        clear = [_clear(rank, _HIGH if is_long else _LOW)] + ([_clear(_figure(held, "percentile"), _HIGH)] if held is not None else [])
        sure = min(clear) if is_so else max(each for each, fits in zip(clear, (pays, is_held), strict=False) if not fits)
        side, zh_side = ("long", "多头") if is_long else ("short", "空头")
        marks = f"[{paid.n}]" + (f"[{held.n}]" if held is not None else "")
        if language == "zh":
            interest = f"，持仓量处于第 {_figure(held, 'percentile'):.0f} 百分位" if held is not None else ""
            text = (
                f"{zh_side}{'' if is_so else '不'}拥挤：{share} % 的结算为多头付费，最近资金费率 {rate:+.4f} %，"
                f"处于第 {rank:.0f} 百分位{interest} {marks}。"
            )
        else:
            interest = f", and open interest is at percentile {_figure(held, 'percentile'):.0f}" if held is not None else ""
            text = (
                f"the {side} is {'' if is_so else 'not '}crowded: longs paid in {share} % of the settlements, "
                f"the last rate of {rate:+.4f} % is at percentile {rank:.0f}{interest} {marks}."
            )
        if language == "zh":
            named = f"{zh_side}{'' if is_so else '不'}拥挤"
            held_high = f"持仓量处于第 {_figure(held, 'percentile'):.0f} 百分位 [{held.n}]。" if held is not None else ""
            paid_so = f"资金费率处于第 {rank:.0f} 百分位 [{paid.n}]。"
        else:
            named = f"{side.capitalize()} crowded" if is_so else f"{side.capitalize()} not crowded"
            held_high = f"Open interest is at percentile {_figure(held, 'percentile'):.0f} [{held.n}]." if held is not None else ""
            paid_so = f"Funding is at percentile {rank:.0f} [{paid.n}]."
        against = "" if is_so else paid_so if pays else held_high if is_held else ""  # the half of a crowd that is there
        return Finding("yes" if is_so else "no", text, sure, named, f"{paid.n} latest_pct", against)

    return decide


def _ranked(tool: str, is_high: bool, subject: Text, word: Text, indicator: str | None = None) -> Decide:
    """Return whether the last value of a series is among its highest, or its lowest. indicator: which one, of a tool that reads several."""

    def decide(results: Sequence[Measured], language: Language) -> Finding | None:
        found = _of_tool([each for each in results if each.fields.get("indicator") == indicator], tool, "percentile", "latest")
        if found is None:
            return None
        rank = _figure(found, "percentile")
        is_so = rank >= _HIGH if is_high else rank <= _LOW
        named, said, latest = subject[language], word[language], f"{_figure(found, 'latest'):.6g}"
        if language == "zh":
            text = f"{named}{'' if is_so else '不'}{said}：{latest}，处于第 {rank:.0f} 百分位 [{found.n}]。"
        else:
            text = f"{named} is {'' if is_so else 'not '}{said}: {latest} is at percentile {rank:.0f} [{found.n}]."
        short = f"{named}{'' if is_so else '不'}{said}" if language == "zh" else f"{named.capitalize()} {'' if is_so else 'not '}{said}"
        return Finding("yes" if is_so else "no", text, _clear(rank, _HIGH if is_high else _LOW), short, f"{found.n} latest")

    return decide


def _compared(tool: str, name: str, border: str | float, is_above: bool, claim: Text, reach: float, unit: str = "") -> Decide:
    """Return whether a figure is above, or below, a border: a number, or another figure of the same result. claim: what is so then."""

    def decide(results: Sequence[Measured], language: Language) -> Finding | None:
        needed = (name, border) if isinstance(border, str) else (name,)
        found = _of_tool(results, tool, *needed)
        if found is None:
            return None
        value = _figure(found, name)
        limit = _figure(found, border) if isinstance(border, str) else border
        is_so = value > limit if is_above else value < limit
        shown = ", ".join(f"{each.rpartition('.')[2].removesuffix('_pct')} {_figure(found, each):.6g}{unit}" for each in needed)
        no = {"en": "it is not so that ", "zh": "并非"}[language] if not is_so else ""
        text = f"{no}{claim[language]}{'：' if language == 'zh' else ': '}{shown} [{found.n}]{'。' if language == 'zh' else '.'}"
        span = abs(limit) * reach if isinstance(border, str) else reach
        short = f"{no}{claim[language]}" if language == "zh" else _short_claim(claim["en"], is_so)
        return Finding("yes" if is_so else "no", text, _clear(value, limit, span or 1.0), short, f"{found.n} {name}")

    return decide


def _short_claim(claim: str, is_so: bool) -> str:
    """Return `Funding negative` of `funding is negative`, `Funding not negative` where it is not so."""
    subject, _, rest = claim.removeprefix("the ").partition(" is ")
    words = ("" if subject == "it" else f"{subject} ") + ("" if is_so else "not ") + rest
    return words[:1].upper() + words[1:]


def _together(is_apart: bool) -> Decide:
    def decide(results: Sequence[Measured], language: Language) -> Finding | None:
        read = [each for each in results if each.tool == "correlation" and each.number("correlation") is not None]
        closes = [each for each in read if all(each.fields.get(side, "").startswith("close of") for side in "ab")]
        if not (closes or read):
            return None
        found = (closes or read)[0]
        value = _figure(found, "correlation")
        moves = value >= _IN_STEP
        names = [found.fields.get(side, "").partition(" of ")[2] or found.fields.get(side, "") for side in "ab"]
        if language == "zh":
            text = f"{names[0]} 与 {names[1]} {'' if moves else '不'}同步，相关系数为 {value:+.2f} [{found.n}]。"
        else:
            text = f"{names[0]} and {names[1]} {'move' if moves else 'do not move'} in step, they correlate at {value:+.2f} [{found.n}]."
        short = f"{'' if moves else '不'}同步" if language == "zh" else "In step" if moves else "Not in step"
        sure = _clear(value, _IN_STEP, 0.3)
        return Finding("yes" if moves != is_apart else "no", text, sure, short, f"{found.n} correlation")

    return decide


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_UP, _DOWN = r"(?:ris|grow|increas|climb|up\b|增|上升)", r"(?:fall|drop|declin|decreas|shrink|down\b|减|下降)"
_HIGH_WORDS, _LOW_WORDS = r"(?:high|elevated|expensive|rich|extreme|高|贵)", r"(?:\blow\b|cheap|低|便宜)"
_INTEREST = r"(?:open interest|\bOI\b|持仓)"
_INTEREST_NAME: Text = {"en": "open interest", "zh": "持仓量"}
_RULES: Final[tuple[tuple[re.Pattern[str], Decide], ...]] = (
    (_words(r"shorts?\b.*crowd|crowd\w* short|空头.*拥挤"), _crowded(is_long=False)),
    (_words(r"longs?\b.*crowd|crowd|拥挤"), _crowded(is_long=True)),
    (_words(rf"(?:funding|carry|资金费).*{_HIGH_WORDS}|{_HIGH_WORDS} (?:funding|carry)"), _funding(is_high=True)),
    (_words(rf"(?:funding|carry|资金费).*{_LOW_WORDS}|{_LOW_WORDS} (?:funding|carry)"), _funding(is_high=False)),
    (
        _words(r"(?:funding|carry|资金费).*(?:negative|负)"),
        _compared("funding_history", "latest_pct", 0.0, False, {"en": "funding is negative", "zh": "资金费率为负"}, 0.01, " %"),
    ),
    (
        _words(r"(?:funding|carry|资金费).*(?:positive|正)|longs? (?:pay|paying)|多头付费"),
        _compared("funding_history", "latest_pct", 0.0, True, {"en": "funding is positive", "zh": "资金费率为正"}, 0.01, " %"),
    ),
    (_words(rf"{_INTEREST}.*{_HIGH_WORDS}"), _ranked("open_interest_history", True, _INTEREST_NAME, {"en": "high", "zh": "高"})),
    (_words(rf"{_INTEREST}.*{_LOW_WORDS}"), _ranked("open_interest_history", False, _INTEREST_NAME, {"en": "low", "zh": "低"})),
    (
        _words(rf"{_INTEREST}.*{_UP}"),
        _compared("open_interest_history", "change_pct", 0.0, True, {"en": "open interest is rising", "zh": "持仓量在增加"}, 5.0, " %"),
    ),
    (
        _words(rf"{_INTEREST}.*{_DOWN}"),
        _compared("open_interest_history", "change_pct", 0.0, False, {"en": "open interest is falling", "zh": "持仓量在减少"}, 5.0, " %"),
    ),
    (_words(r"decoupl|脱钩"), _together(is_apart=True)),
    (_words(r"correlat|in step|together|联动|相关"), _together(is_apart=False)),
    (
        _words(r"overbought|超买"),
        _compared("market_facts", "facts.rsi_14", 70.0, True, {"en": "the market is overbought", "zh": "市场超买"}, 15.0),
    ),
    (
        _words(r"oversold|超卖"),
        _compared("market_facts", "facts.rsi_14", 30.0, False, {"en": "the market is oversold", "zh": "市场超卖"}, 15.0),
    ),
    (
        _words(r"volatil|波动"),
        _ranked("indicator_series", True, {"en": "volatility", "zh": "波动"}, {"en": "high", "zh": "大"}, "atr_pct"),
    ),
    (
        _words(rf"(?:trend|price|趋势|价格|走势).*{_UP}|uptrend|bullish"),
        _compared("market_facts", "facts.close", "facts.ema_200", True, {"en": "the trend is up", "zh": "趋势向上"}, 0.03),
    ),
    (
        _words(rf"(?:trend|price|趋势|价格|走势).*{_DOWN}|downtrend|bearish"),
        _compared("market_facts", "facts.close", "facts.ema_200", False, {"en": "the trend is down", "zh": "趋势向下"}, 0.03),
    ),
    (
        _words(rf"(?:revenue|sales|营收).*{_UP}"),
        _compared(
            "company_fundamentals", "figures.revenue_growth_pct", 0.0, True, {"en": "revenue is growing", "zh": "营收在增长"}, 5.0, " %"
        ),
    ),
    (
        _words(r"profitable|盈利"),
        _compared("company_fundamentals", "figures.net_margin_pct", 0.0, True, {"en": "it is profitable", "zh": "公司盈利"}, 5.0, " %"),
    ),
)
