"""A plan by the words of a question, without a model: which topics it names, about which markets or companies. Pure.

Every topic is a factor with tools that can answer it. A question that names none gets what is usual for its kind of symbol.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import JsonValue

from engine.desks.plan.references import filled_in
from engine.domain.errors import BadInput
from engine.domain.plan.plan import DecompositionPlan, FactorPlan, TaskItem
from engine.domain.text.language import Language
from engine.prompts.render import Text

_COINS: Final[Mapping[str, str]] = {
    "BTC": r"btc|bitcoin|比特币", "ETH": r"eth|ether(?:eum)?|以太坊", "SOL": r"sol(?:ana)?", "BNB": r"bnb", "XRP": r"xrp", "DOGE": r"doge(?:coin)?|狗狗币",
}  # fmt: skip
_MARKET = re.compile(r"\b[A-Za-z0-9]{2,10}/[A-Za-z]{3,5}(?::[A-Za-z]{3,5})?\b")
_TICKER = re.compile(r"\b\d{6}\.(?:SH|SZ|SS|BJ)\b|\b\d{4,5}\.HK\b|\^[A-Z]{2,6}\b|\$[A-Z]{1,5}\b")
_AGAINST_MEAN: Text = {"en": "Open interest against its mean", "zh": "持仓量与均值之比"}
_MOST_SYMBOLS = 3
_SUBJECTS: Final = ("symbol", "symbol_a", "symbol_b")


@dataclass(frozen=True)
class Topic:
    """What a question may be about. words: a pattern of the words that name it. companies: whether it is about listed companies, None =
    both. tasks: (symbols, question) -> its tasks."""

    name: str
    words: re.Pattern[str]
    companies: bool | None
    description: Text
    tasks: Callable[[Sequence[str], str], list[dict[str, Any]]]


def _task(tool: str, key: str, **args: Any) -> dict[str, Any]:
    return {"id": key, "tool": tool, "output_key": key, "args": args}


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_OF_FUNDING: Final = _words(r"funding|carry|资金费")


def _funding(symbols: Sequence[str], question: str) -> list[dict[str, Any]]:
    return [
        _task("funding_history", "funding", symbol="{symbol}", settlements=21),
        _task("correlation", "funding_and_price", symbol_a="{symbol}", series_a="close", symbol_b="{symbol}", series_b="funding_rate", bars=336),
    ]  # fmt: skip


def _positioning(symbols: Sequence[str], question: str) -> list[dict[str, Any]]:
    tasks = [
        _task("open_interest_history", "open_interest", symbol="{symbol}", points=168),
        _task("market_snapshot", "snapshot", symbol="{symbol}", timeframe="1h"),
        _task("calculate", "interest_to_mean", operation="divide", a="{open_interest.latest}", b="{open_interest.mean}",
              label=_AGAINST_MEAN[language_of(question)]),
    ]  # fmt: skip
    paid = [_task("funding_history", "funding", symbol="{symbol}", settlements=21)]  # which side is crowded shows in who pays
    return tasks if _OF_FUNDING.search(question) else tasks + paid


def _correlation(symbols: Sequence[str], question: str) -> list[dict[str, Any]]:
    other = symbols[1] if len(symbols) > 1 else "ETH/USDT:USDT" if symbols[0].startswith("BTC/") else "BTC/USDT:USDT"
    return [_task("correlation", "prices", symbol_a="{symbol}", symbol_b=other, timeframe="1h", bars=336)]


def _price(symbols: Sequence[str], question: str) -> list[dict[str, Any]]:
    return [
        _task("market_facts", "facts", symbol="{symbol}", timeframe="1h", keys=["close", "change_24h_pct", "rsi_14", "adx_14", "ema_200"]),
        _task("indicator_series", "volatility", symbol="{symbol}", indicator="atr_pct", timeframe="1h", bars=168),
    ]


def _fundamentals(symbols: Sequence[str], question: str) -> list[dict[str, Any]]:
    return [_task("company_fundamentals", "fundamentals", symbol="{symbol}")]


def _news(symbols: Sequence[str], question: str) -> list[dict[str, Any]]:
    return [_task("company_news", "news", symbol="{symbol}", days=14)]


def _background(symbols: Sequence[str], question: str) -> list[dict[str, Any]]:
    return [_task("research_question", "background", question=question.replace("{", "{{").replace("}", "}}")[:1000])]


def _decisions(symbols: Sequence[str], question: str) -> list[dict[str, Any]]:
    return [_task("past_decisions", "decisions", symbol="{symbol}", limit=10)]


TOPICS: Final[tuple[Topic, ...]] = (
    Topic("funding", _OF_FUNDING, False, {"en": "What holding costs", "zh": "持仓费用"}, _funding),
    Topic(
        "positioning", _words(r"open interest|\bOI\b|crowd|positioning|leverag|squeeze|liquidat|持仓|拥挤|杠杆|爆仓|清算"), False,
        {"en": "How much is held, and how crowded it is", "zh": "持仓规模与拥挤程度"}, _positioning,
    ),
    Topic(
        "correlation", _words(r"correlat|in step|together with|decoupl|相关|联动|脱钩"), False,
        {"en": "What moves together", "zh": "联动关系"}, _correlation,
    ),
    Topic(
        "price", _words(r"\bprices?\b|trend|momentum|volatil|overbought|oversold|rally|sell-?off|价格|走势|趋势|动量|波动|超买|超卖"), False,
        {"en": "Price, trend and volatility", "zh": "价格、趋势与波动"}, _price,
    ),
    Topic(
        "fundamentals", _words(r"earning|revenue|margin|profit|valuation|\bP/?E\b|fundamental|业绩|营收|利润|估值|市盈率|基本面|财报"), True,
        {"en": "What was reported", "zh": "公司财报"}, _fundamentals,
    ),
    Topic("news", _words(r"\bnews\b|headline|announce|新闻|消息|公告"), True, {"en": "What was published", "zh": "公开消息"}, _news),
    Topic(
        "background", _words(r"\bwhy\b|what (?:moves|drives|causes)|because|\bETFs?\b|regulat|research|为什么|为何|原因|驱动|监管|研究"), None,
        {"en": "What documents say", "zh": "资料中的说法"}, _background,
    ),
    Topic(
        "decisions", _words(r"\bdecid|\bdecision|last time|did we|决策|上次|我们之前"), None,
        {"en": "What was decided before", "zh": "以往决策"}, _decisions,
    ),
)  # fmt: skip
_USUAL: Final = {False: ("price", "positioning"), True: ("fundamentals", "news")}


def language_of(question: str) -> Language:
    """Return the language of a question: Chinese where any of it is."""
    return "zh" if re.search(r"[\u4e00-\u9fff]", question) else "en"


def is_company(symbol: str) -> bool:
    """Return whether a symbol names a listed company or an index, not a market of BASE/QUOTE."""
    return "/" not in symbol


def symbols_in(question: str, symbol: str) -> tuple[str, ...]:
    """Return what a question is about, in its order: markets, coins and tickers that it names; `symbol` where it names none."""
    at: dict[str, int] = {found[0].upper(): found.start() for found in _MARKET.finditer(question)}
    at |= {found[0].lstrip("$"): found.start() for found in _TICKER.finditer(question)}
    for coin, pattern in _COINS.items():
        named = re.search(rf"(?<![A-Za-z0-9/])(?:{pattern})(?![A-Za-z0-9/])", question, re.IGNORECASE)
        own = symbol if symbol.startswith(f"{coin}/") else f"{coin}/USDT:USDT"
        if named is not None and not any(known.startswith(f"{coin}/") for known in at):
            at[own] = named.start()
    return tuple(sorted(at, key=lambda each: at[each]))[:_MOST_SYMBOLS] or (symbol,)


def subjects_of(factor: FactorPlan, assumptions: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """Return the markets and companies that a factor's tasks ask about, in their order, as far as they are known before it begins."""
    return tuple(dict.fromkeys(each for task in factor.tasks for each in _subjects_of_task(task, factor, assumptions)))


def other_subjects(
    question: str, old: FactorPlan, before: Mapping[str, JsonValue], new: FactorPlan, after: Mapping[str, JsonValue]
) -> tuple[str, ...]:
    """Return what tasks of a new plan ask about that neither the question names nor the old plan asked about. A task that compares with
    something else is about both. before, after: the global assumptions of the plans."""
    known = {_base(each) for each in (*symbols_in(question, ""), *subjects_of(old, before)) if each}
    asked = [_subjects_of_task(task, new, after) for task in new.tasks]
    return tuple(each[0] for each in asked if known and each and not known & set(map(_base, each)))


def _subjects_of_task(task: TaskItem, factor: FactorPlan, assumptions: Mapping[str, JsonValue]) -> list[str]:
    found: list[str] = []
    for name, value in task.args.items():
        try:
            words = filled_in(value, {**assumptions, **factor.placeholders})
        except BadInput:  # it needs the output of an earlier task
            continue
        if isinstance(words, str) and name in _SUBJECTS:
            found.append(words)
        elif isinstance(words, str) and name == "question":
            found += [each for each in symbols_in(words, "") if each]
    return found


def _base(symbol: str) -> str:
    """Return what a symbol is about, whatever it is quoted in: `BTC` of `BTC/USDT:USDT`."""
    return symbol.partition("/")[0].upper()


def factor_of(topic: Topic, symbols: Sequence[str], question: str, language: Language, name: str | None = None) -> FactorPlan:
    """Return the factor of a topic. name: of the factor it takes the place of."""
    tasks = tuple(TaskItem.model_validate(each) for each in topic.tasks(symbols, question))
    return FactorPlan(name=name or topic.name, description=topic.description[language], placeholders={"symbol": symbols[0]}, tasks=tasks)


def topics_of(question: str, company: bool) -> list[Topic]:
    """Return the topics that a question names and that its kind of symbol has; the usual ones where it names none."""
    fitting = [topic for topic in TOPICS if topic.companies in (None, company)]
    named = [topic for topic in fitting if topic.words.search(question)]
    return named or [topic for topic in fitting if topic.name in _USUAL[company]]


def plan_by_words(question: str, symbol: str) -> DecompositionPlan:
    """Return the plan that a question's words come to. symbol: what it is about unless it says otherwise."""
    symbols, language = symbols_in(question, symbol), language_of(question)
    topics = topics_of(question, is_company(symbols[0]))
    factors = tuple(factor_of(topic, symbols, question, language) for topic in topics)
    return DecompositionPlan(question=question, factors=factors)


def replanned_by_words(factor: FactorPlan, question: str, symbol: str, tool: str) -> FactorPlan | None:
    """Return a factor of the same name for what the old one was about, without the tool that failed, or None.

    With other tasks of the topic left they stay; those that need the output of one that went go with it. It stays about what the question
    names, else what the factor itself was about, else `symbol`.
    """
    own_symbol = factor.placeholders.get("symbol")
    about = (own_symbol,) if isinstance(own_symbol, str) and own_symbol else subjects_of(factor, {})
    symbols = symbols_in(question, about[0] if about else symbol)
    language = language_of(question)
    text = f"{factor.name} {factor.description} {tool}"
    company = is_company(symbols[0])
    own = next((topic for topic in TOPICS if topic.name == factor.name), None)
    topics = [own] if own is not None else topics_of(text, company)[:1]
    if not topics:
        return None
    fresh = factor_of(topics[0], symbols, question, language, factor.name)
    if fresh.tasks != factor.tasks or fresh.placeholders != factor.placeholders:
        return fresh
    kept: list[TaskItem] = []
    gone: set[str] = set()
    for task in fresh.tasks:
        needs = {key for key in gone if f"{{{key}" in str(task.args)}
        if task.tool == tool or needs:
            gone.add(task.output_key)
        else:
            kept.append(task)
    return fresh.model_copy(update={"tasks": tuple(kept)}) if kept else None
