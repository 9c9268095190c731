"""Tasks in a person's words: what was asked, what was found, why there is nothing; no raw key of a result, in either language."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.domain.text.reason import Reason
from pages.desks.research.plan import plan_panel
from pages.desks.research.research_view import TaskTrace
from pages.desks.research.task_words import failure_words, found_words, restated, tool_name
from pages.frame.numbers import MINUS, THIN
from pages.frame.show import Show
from tests.pages.desks.research.runs import EVIL, Log, at_end
from tests.pages.reader import Reader

ENGLISH, CHINESE = Show(), Show(language="zh")
FUNDING = {"latest_pct": -0.0071, "mean_pct": 0.0016, "points": 21, "positive_share": 0.62, "values": []}
CASES = [
    ("funding_history", FUNDING, f"last {MINUS}0.0071{THIN}% · mean +0.0016{THIN}% of 21 · longs paid in 62{THIN}%"),
    ("market_facts", {"facts": {"rsi_14": {"value": 48.6, "unit": "index"}}, "missing": {}}, "RSI(14) 48.6"),
    (
        "correlation",
        {"correlation": 0.73, "low": 0.55, "high": 0.85, "n": 41, "significant": True},
        "+0.73, 95 % from +0.55 to +0.85, n 41 · beyond chance",
    ),
    ("calculate", {"operation": "divide", "result": 0.919257, "label": "Against its mean"}, "Against its mean: 0.9193"),
    (
        "company_news",
        {"count": 2, "publishers": 1, "headlines": [{"published": "2026-05-15T09:00:00Z", "title": "Up"}]},
        "headlines: 2, publishers: 1 · 2026-05-15 “Up”",
    ),
    ("research_question", {"papers": [{}, {}], "failed_sources": {"x": "y"}}, "documents: 2 · sources without an answer: 1"),
    ("onchain_flow", {"net_flow": 12.5, "notes": ["a", "b"]}, "net flow 12.5, notes a, b"),
]


def task(tool: str, **more: object) -> TaskTrace:
    """A task of a factor that has ended."""
    return replace(TaskTrace("factor", "id", tool, "done"), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("tool", "result", "words"), CASES, ids=[f"{case[0]}-{place}" for place, case in enumerate(CASES)])
def test_what_was_found_in_one_sentence(tool: str, result: dict[str, object], words: str) -> None:
    found = task(tool, result=result)
    assert found_words(found, ENGLISH) == words
    chinese = found_words(found, CHINESE)
    assert chinese
    assert not any(key in chinese for key in result if "_" in key and tool != "onchain_flow")
    assert tool_name(tool, ENGLISH) != tool


@pytest.mark.parametrize("value", ["prices moving " * 30, ["prices moving"] * 30, {"note": "prices moving " * 30}])
def test_no_word_of_a_result_is_cut(value: object) -> None:
    words = found_words(task("onchain_flow", result={"notes": value}), ENGLISH)
    assert len(words) <= 240
    assert words.removesuffix("…").rstrip(", ").endswith(("prices", "moving"))


def test_why_there_is_nothing_is_said_plainly() -> None:
    unsure = task(
        "funding_history",
        confidence=0.41,
        checks={"freshness": 0.41, "coverage": 1.0},
        reasons={"freshness": Reason("newest_is_old", age="11 d", usual="8 h")},
    )
    assert (
        failure_words(unsure, 0.6, ENGLISH)
        == "Confidence 41\u2009%, at least 60\u2009% is needed. The newest value is 11 d old, usual is up to 8 h"
    )
    assert failure_words(unsure, 0.6, CHINESE) == "置信度 41\u2009%，至少需要 60\u2009%。最新值距今 11 d，通常不超过 8 h"
    assert failure_words(unsure, 0.4, ENGLISH) == ""
    assert (
        failure_words(task("market_snapshot", error=Reason("about", who="market_snapshot", what="NOBODY is not known")), 0.6, ENGLISH)
        == "NOBODY is not known"
    )
    assert restated(Reason("attempt_of", n=2, of=3), CHINESE) == "第 2 次，共 3 次"
    assert restated("the model's own reason", CHINESE) == "the model's own reason"


def test_a_failed_task_on_the_page_says_what_was_done_about_it(logs: Callable[[str], Log]) -> None:
    view = at_end(logs("plan"))
    words = Reader(plan_panel(view, ENGLISH)).text
    assert "NOBODY/USDT:USDT" in words
    assert any(task.decision for factor in view.factors for task in factor.tasks)
    assert "market_snapshot:" not in words
    assert "percentile" not in words
    factor = view.factors[0]
    hostile = replace(
        factor, tasks=tuple(replace(each, error=EVIL, reason=EVIL, decision="skip", state="skipped") for each in factor.tasks)
    )
    assert "img" not in Reader(plan_panel(replace(view, factors=(hostile,)), ENGLISH)).tags
