"""What a task of a plan was asked, what it found and why it failed, in a person's words: one sentence a kind of tool. Pure.

Whatever is missing in a result of another version is left out of its sentence; a tool that is not known here shows its fields.
"""

from collections.abc import Callable, Mapping
from typing import Final

from engine.domain.text.reason import Reason
from engine.domain.text.visible import shortened
from pages.desks.research.research_view import TaskTrace
from pages.frame import json_fields as read
from pages.frame import numbers
from pages.frame.json_fields import Fields
from pages.frame.show import Show
from pages.words.fact_names import fact_name
from pages.words.texts import WORDS

_LONGEST = 240
_SIGNS: Final = {"divide": "÷", "subtract": numbers.MINUS, "multiply": "×", "add": "+"}


def tool_name(tool: str, show: Show) -> str:
    """Return what a tool does, as a heading; one that is not known by its own name."""
    return show.say(f"rs_tool_{tool}") if f"rs_tool_{tool}" in WORDS else tool.replace("_", " ")


def asked_words(task: TaskTrace, show: Show) -> str:
    """Return what a task was asked, "" for nothing."""
    given, words = task.arguments, _ASKED.get(task.tool)
    return shortened(words(given, show) if words is not None else short(dict(given)), _LONGEST)


def found_words(task: TaskTrace, show: Show) -> str:
    """Return what a task found in one sentence, "" where there is nothing, or nothing of it can be read."""
    words = _FOUND.get(task.tool)
    if not task.result:
        return ""
    return words(task.result, show) if words is not None else short(dict(task.result))


def failure_words(task: TaskTrace, threshold: float, show: Show) -> str:
    """Return why a task gave no result, "" where it gave one. threshold: the least confidence that counts, 0-1."""
    if task.error is not None:
        return restated(_without_tool(task.error, task.tool), show)
    if task.confidence is None or task.confidence >= threshold:
        return ""
    weakest = min(task.checks, key=lambda name: task.checks[name], default="")
    why = restated(task.reasons.get(weakest, ""), show)
    words = show.say("rs_too_unsure", confidence=numbers.share(task.confidence), least=numbers.share(threshold))
    return f"{words} {why[:1].upper()}{why[1:]}".strip() if show.language == "en" else f"{words}{why}"


def restated(reason: str, show: Show) -> str:
    """Return why something was decided or measured so, in the page's words where the desk's own code wrote it; a model's as they are."""
    if not isinstance(reason, Reason):
        return reason
    if reason.key == "confidence_below":
        return show.say("rs_too_unsure", confidence=reason.values["sure"], least=reason.values["threshold"])
    return numbers.restyled(show.translated(reason))


def _without_tool(error: str, tool: str) -> str:
    if isinstance(error, Reason) and error.key == "about" and error.values["who"] == tool:
        return str(error.values["what"])
    return error.removeprefix(f"{tool}: ")


def short(value: object) -> str:
    """Return JSON as a few words: fields of an object by name, lists of objects by their length."""
    return shortened(_plain(value), _LONGEST)


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {_plain(each)}" for name, each in value.items() if each is not None)
    if isinstance(value, list):
        is_deep = any(isinstance(each, dict | list) for each in value)
        return f"[{len(value)}]" if is_deep else ", ".join(str(each) for each in value)
    return numbers.restyled(f"{value:g}") if isinstance(value, float) else str(value)


def figure(value: float | None) -> str:
    """Return a measured number with the digits it needs: `76,857.4`, `0.9193`."""
    if value is None:
        return numbers.DASH
    size = abs(value)
    return numbers.number(value, 0 if size >= 1e5 else 1 if size >= 1000 else 2 if size >= 10 else 4)


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def _counted(given: Fields, key: str, word: str, show: Show) -> str:
    n = read.number(given, key)
    return show.say(word, n=numbers.number(n)) if n is not None else ""


def _of_symbol(key: str = "", word: str = "") -> Callable[[Fields, Show], str]:
    """Return what says the market or company, its timeframe, and how much of it was asked for."""

    def words(given: Fields, show: Show) -> str:
        about = " ".join(part for part in (read.words(given, "symbol"), read.words(given, "timeframe")) if part)
        return _joined(about, _counted(given, key, word, show) if key else "")

    return words


def series_name(name: str, show: Show) -> str:
    """Return a series as people call it: its fact's name, or one of the series that are no facts."""
    key = {"close": "close", "volume": "volume", "funding_rate": "rs_funding", "open_interest": "rs_interest"}.get(name)
    return show.say(key) if key is not None else fact_name(name, show.language)


def _asked_series(given: Fields, show: Show) -> str:
    return _joined(series_name(read.words(given, "indicator") or "", show), _of_symbol("bars", "rs_values_n")(given, show))


def _asked_correlation(given: Fields, show: Show) -> str:
    sides = [
        (series_name(read.words(given, f"series_{side}") or "close", show), read.words(given, f"symbol_{side}") or "") for side in "ab"
    ]
    return f"{sides[0][0]} {sides[0][1]} ~ {sides[1][0]} {sides[1][1]}"


def _asked_sum(given: Fields, show: Show) -> str:
    operation, a, b = read.words(given, "operation") or "", read.number(given, "a"), read.number(given, "b")
    sign = _SIGNS.get(operation)
    return f"{figure(a)} {sign} {figure(b)}" if sign and a is not None and b is not None else short(dict(given))


def _asked_question(given: Fields, show: Show) -> str:
    return f"“{read.words(given, 'question') or ''}”"


_ASKED: Final[Mapping[str, Callable[[Fields, Show], str]]] = {
    "funding_history": _of_symbol("settlements", "rs_payments_n"),
    "open_interest_history": _of_symbol("points", "rs_values_n"),
    "indicator_series": _asked_series,
    "market_snapshot": _of_symbol(),
    "market_facts": _of_symbol(),
    "correlation": _asked_correlation,
    "calculate": _asked_sum,
    "company_fundamentals": _of_symbol(),
    "company_news": _of_symbol("days", "rs_days_n"),
    "past_decisions": _of_symbol(),
    "research_question": _asked_question,
}


def figure_label(tool: str, figure: str, show: Show) -> str:
    """Return what a figure of a tool's result is called."""
    series = {"funding_history": "funding_rate", "open_interest_history": "open_interest"}.get(tool)
    if series is not None:
        return series_name(series, show)
    plain = figure.rpartition(".")[2]
    return show.say(f"rs_figure_{plain}") if f"rs_figure_{plain}" in WORDS else fact_name(plain, show.language)


def _percent(given: Fields, key: str, digits: int = 2) -> str:
    return numbers.signed_percent(read.number(given, key), digits)


def _rank(given: Fields, show: Show) -> str:
    rank = read.number(given, "percentile")
    return show.say("rs_rank", share=numbers.percent(rank, 0)) if rank is not None else ""


def _found_funding(given: Fields, show: Show) -> str:
    n, share = read.number(given, "points"), read.number(given, "positive_share")
    paid = show.say("rs_longs_paid", share=numbers.percent(share * 100, 0)) if share is not None else ""
    mean = show.say("rs_mean_of", mean=_percent(given, "mean_pct", 4), n=numbers.number(n))
    return _joined(show.say("rs_last_is", value=_percent(given, "latest_pct", 4)), mean, paid)


def _found_interest(given: Fields, show: Show) -> str:
    since = (read.words(given, "from") or "")[:10]
    change = show.say("rs_change_since", change=_percent(given, "change_pct"), since=since) if since else ""
    return _joined(show.say("rs_last_is", value=figure(read.number(given, "latest"))), change, _rank(given, show))


def _found_series(given: Fields, show: Show) -> str:
    mean = show.say("rs_mean_of", mean=figure(read.number(given, "mean")), n=numbers.number(read.number(given, "points")))
    return _joined(show.say("rs_last_is", value=figure(read.number(given, "latest"))), mean, _rank(given, show))


def _found_snapshot(given: Fields, show: Show) -> str:
    known = [("rs_in_24h", "change_24h_pct", 2), ("rs_funding_is", "funding_rate_pct", 4), ("rs_interest_24h", "oi_change_pct", 2)]
    parts = [show.say(key, value=_percent(given, name, digits)) for key, name, digits in known if read.number(given, name) is not None]
    return _joined(show.say("rs_trades_at", price=numbers.price(read.number(given, "price"))), *parts)


def _found_facts(given: Fields, show: Show) -> str:
    facts = read.inner(given, "facts")

    def written(key: str) -> str:
        row = read.inner(facts, key)
        value = numbers.fact(read.value(row, "value"), read.words(row, "unit") or "", None, show.language)
        return f"{fact_name(key, show.language)} {value}"

    return _joined(*map(written, facts))


def _found_correlation(given: Fields, show: Show) -> str:
    found, low, high = (numbers.signed(read.number(given, key), 2) for key in ("correlation", "low", "high"))
    chance = show.say("rs_beyond_chance" if read.flag(given, "significant") else "rs_by_chance")
    return _joined(show.say("rs_correlates", value=found, low=low, high=high, n=numbers.number(read.number(given, "n"))), chance)


def _found_sum(given: Fields, show: Show) -> str:
    result = read.value(given, "result")
    shown = show.say(f"rs_is_{result}") if result in ("greater", "less", "equal") else figure(read.number(given, "result"))
    if read.words(given, "operation") == "percentile":
        shown = show.say("rs_rank", share=numbers.percent(read.number(given, "result"), 0))
    return f"{read.words(given, 'label') or show.say('rs_result')}{show.say('colon')}{shown}"


def _found_company(given: Fields, show: Show) -> str:
    known = read.numbers(given, "figures")
    parts = [
        f"{show.say(f'rs_figure_{key}')} {numbers.percent(known[key], 1)}"
        for key in ("revenue_growth_pct", "net_margin_pct")
        if key in known
    ]
    parts += [f"{show.say('rs_figure_pe_ratio')} {numbers.number(known['pe_ratio'], 1)}"] if "pe_ratio" in known else []
    return _joined(show.say("rs_report_to", day=read.words(given, "report_period") or numbers.DASH), *parts)


def _found_news(given: Fields, show: Show) -> str:
    newest = next(iter(read.rows(given, "headlines")), {})
    counted = show.say("rs_headlines", n=read.count(given, "count"), publishers=read.count(given, "publishers"))
    title = shortened(read.words(newest, "title") or "", 120)
    return _joined(counted, f"{(read.words(newest, 'published') or '')[:10]} “{title}”" if title else "")


def _found_decisions(given: Fields, show: Show) -> str:
    actions = read.numbers(given, "actions")
    counted = show.say("list_comma").join(f"{show.say(name) if name in WORDS else name} {int(n)}" for name, n in actions.items())
    return _joined(show.say("rs_decisions_n", n=read.count(given, "count")), counted)


def _found_answer(given: Fields, show: Show) -> str:
    lost = len(read.inner(given, "failed_sources"))
    counted = show.say("rs_documents_n", n=len(read.rows(given, "papers")))
    return _joined(counted, show.say("rs_sources_lost", n=lost) if lost else "")


_FOUND: Final[Mapping[str, Callable[[Fields, Show], str]]] = {
    "funding_history": _found_funding,
    "open_interest_history": _found_interest,
    "indicator_series": _found_series,
    "market_snapshot": _found_snapshot,
    "market_facts": _found_facts,
    "correlation": _found_correlation,
    "calculate": _found_sum,
    "company_fundamentals": _found_company,
    "company_news": _found_news,
    "past_decisions": _found_decisions,
    "research_question": _found_answer,
}
