"""A plan by the words of a question, without a model: which topics it names, about which markets or companies. Pure.

Every topic is a factor with tools that can answer it. A question that names none gets what is usual for its kind of symbol.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import JsonValue

from engine.desks.plan.references import filled_in
from engine.desks.plan.words import say
from engine.domain.errors import BadInput
from engine.domain.plan.plan import DecompositionPlan, FactorPlan, TaskItem
from engine.domain.text.language import LANGUAGES, Language

_COINS: Final[Mapping[str, str]] = {
    "BTC": r"btc|bitcoin|比特币", "ETH": r"eth|ether(?:eum)?|以太坊", "SOL": r"sol(?:ana)?", "BNB": r"bnb", "XRP": r"xrp",
    "DOGE": r"doge(?:coin)?|狗狗币",
}  # fmt: skip
_MARKET = re.compile(r"\b[A-Za-z0-9]{2,10}/[A-Za-z]{3,5}(?::[A-Za-z]{3,5})?\b")
_TICKER = re.compile(r"\b\d{6}\.(?:SH|SZ|SS|BJ)\b|\b\d{4,5}\.HK\b|\^[A-Z]{2,6}\b|\$[A-Z]{1,5}\b")
_MOST_SYMBOLS = 3
_SUBJECTS: Final = ("symbol", "symbol_a", "symbol_b")
_OF_COMPANIES: Final[Mapping[str, bool | None]] = {
    "funding": False, "positioning": False, "correlation": False, "price": False, "fundamentals": True, "news": True, "background": None,
    "decisions": None,
}  # fmt: skip
"""Topic, in the order of their factors -> whether it is about listed companies, None = about markets too."""
_USUAL: Final = {False: ("price", "positioning"), True: ("fundamentals", "news")}
_CUES: Final = {
    topic: re.compile("|".join(say(f"{topic}.cues", language) for language in LANGUAGES), re.IGNORECASE) for topic in _OF_COMPANIES
}


def _task(tool: str, key: str, **args: Any) -> dict[str, Any]:
    return {"id": key, "tool": tool, "output_key": key, "args": args}


def _tasks_of(topic: str, symbols: Sequence[str], question: str) -> list[dict[str, Any]]:
    own, label = "{symbol}", say("positioning.against_mean", language_of(question))
    other = symbols[1] if len(symbols) > 1 else "ETH/USDT:USDT" if symbols[0].startswith("BTC/") else "BTC/USDT:USDT"
    keys = ["close", "change_24h_pct", "rsi_14", "adx_14", "ema_200"]
    funding = _task("funding_history", "funding", symbol=own, settlements=21)
    paid = [] if _CUES["funding"].search(question) else [funding]  # which side is crowded shows in who pays
    tasks = {
        "funding": [
            funding,
            _task("correlation", "funding_and_price", symbol_a=own, series_a="close", symbol_b=own, series_b="funding_rate", bars=336),
        ],
        "positioning": [
            _task("open_interest_history", "open_interest", symbol=own, points=168),
            _task("market_snapshot", "snapshot", symbol=own, timeframe="1h"),
            _task("calculate", "interest_to_mean", operation="divide", a="{open_interest.latest}", b="{open_interest.mean}", label=label),
            *paid,
        ],
        "correlation": [_task("correlation", "prices", symbol_a=own, symbol_b=other, timeframe="1h", bars=336)],
        "price": [
            _task("market_facts", "facts", symbol=own, timeframe="1h", keys=keys),
            _task("indicator_series", "volatility", symbol=own, indicator="atr_pct", timeframe="1h", bars=168),
        ],
        "fundamentals": [_task("company_fundamentals", "fundamentals", symbol=own)],
        "news": [_task("company_news", "news", symbol=own, days=14)],
        "background": [_task("research_question", "background", question=question.replace("{", "{{").replace("}", "}}")[:1000])],
        "decisions": [_task("past_decisions", "decisions", symbol=own, limit=10)],
    }
    return tasks[topic]


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


def _factor_of(topic: str, symbols: Sequence[str], question: str, name: str) -> FactorPlan:
    """Return the factor of a topic. name: its own, or that of the factor it takes the place of."""
    tasks = tuple(TaskItem.model_validate(each) for each in _tasks_of(topic, symbols, question))
    description = say(f"{topic}.description", language_of(question))
    return FactorPlan(name=name, description=description, placeholders={"symbol": symbols[0]}, tasks=tasks)


def _topics_of(question: str, company: bool) -> list[str]:
    """Return the topics that a question names and that its kind of symbol has; the usual ones where it names none."""
    fitting = [topic for topic, companies in _OF_COMPANIES.items() if companies in (None, company)]
    return [topic for topic in fitting if _CUES[topic].search(question)] or [topic for topic in fitting if topic in _USUAL[company]]


def plan_by_words(question: str, symbol: str) -> DecompositionPlan:
    """Return the plan that a question's words come to. symbol: what it is about unless it says otherwise."""
    symbols = symbols_in(question, symbol)
    factors = tuple(_factor_of(topic, symbols, question, topic) for topic in _topics_of(question, is_company(symbols[0])))
    return DecompositionPlan(question=question, factors=factors)


def replanned_by_words(factor: FactorPlan, question: str, symbol: str, tool: str) -> FactorPlan | None:
    """Return a factor of the same name for what the old one was about, without the tool that failed, or None.

    With other tasks of the topic left they stay; those that need the output of one that went go with it. It stays about what the question
    names, else what the factor itself was about, else `symbol`.
    """
    own_symbol = factor.placeholders.get("symbol")
    about = (own_symbol,) if isinstance(own_symbol, str) and own_symbol else subjects_of(factor, {})
    symbols = symbols_in(question, about[0] if about else symbol)
    text = f"{factor.name} {factor.description} {tool}"
    topic = factor.name if factor.name in _OF_COMPANIES else _topics_of(text, is_company(symbols[0]))[0]
    fresh = _factor_of(topic, symbols, question, factor.name)
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
