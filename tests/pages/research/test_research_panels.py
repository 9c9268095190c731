"""The panels of a plan and of a search, from the logs of real runs: what they show, at every moment, with hostile words in them."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from pages.frame.show import Show
from pages.research.research_reducer import RESEARCH
from pages.research.task_words import tool_name
from tests.pages.reader import Reader
from tests.pages.research.runs import EVIL, Log, at_end, shown


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("flow", ["plan", "research"])
def test_every_prefix_of_a_log_is_shown_and_nothing_hostile_is_a_tag(logs: Callable[[str], Log], flow: str, language: str) -> None:
    record, events = logs(flow)
    for count in sorted({0, 1, 2, *range(3, len(events), max(1, len(events) // 12)), len(events)}):
        assert "img" not in Reader(shown(RESEARCH.reduce(events[:count]), language)).tags
    assert "img" not in Reader(shown(at_end((record, events)), language)).tags


def test_in_pieces_as_in_one_go(logs: Callable[[str], Log]) -> None:
    for flow in ("plan", "research"):
        _, events = logs(flow)
        half = RESEARCH.reduce(events[: len(events) // 2])
        assert RESEARCH.reduce(events, half) == RESEARCH.reduce(events)


def test_a_plan_shows_every_factor_every_decision_and_every_statement(logs: Callable[[str], Log]) -> None:
    record, _ = log = logs("plan")
    view = at_end(log)
    assert record.result is not None
    assert [factor.name for factor in view.factors] == ["funding", "positions"]
    words = Reader(shown(view)).text
    for factor in record.result["factors"]:
        assert factor["name"] in words
        for task in factor["task_results"]:
            assert tool_name(task["tool"], Show()) in words or task["kind"] in ("reasoning", "replan", "skip")
    failed = [task for task in view.factors[0].tasks if task.id == "n"]
    kinds = {task["kind"] for task in record.result["factors"][0]["task_results"]}
    assert view.factors[0].replanned == ("replan" in kinds)
    assert failed
    assert all(task.old or task.state == "skipped" for task in failed), "a market that there is not has no result"
    assert all(task.decision for task in failed if task.error), "what was decided about it is said"
    for statement in record.result["statements"]:
        assert statement["text"][:20] in words


def test_a_search_shows_its_sources_its_documents_and_what_they_hold(logs: Callable[[str], Log]) -> None:
    record, _ = log = logs("research")
    view, words = at_end(log), Reader(shown(at_end(log))).text
    assert {each.source for each in view.searches} >= {"library", "wikipedia"}
    assert next(each for each in view.searches if each.source == "wikipedia").error
    assert EVIL in words, "words of a document are words"
    assert record.result is not None
    assert all(paper["title"] in words for paper in record.result["top_papers"])
    supported = [each for each in record.result["statements"] if each["status"] == "supported"]
    assert supported, "the example holds a number"
    assert shown(view).count('class="tb-claim ok"') >= len(supported)


def test_a_number_that_no_source_holds_wears_its_mark(logs: Callable[[str], Log]) -> None:
    view = at_end(logs("research"))
    answer = "Funding is paid every 9 hours [1]."
    number = {"text": "9", "start": 22, "end": 23, "value": 9.0, "unit": "", "found_in": []}
    said = {"text": answer, "start": 0, "end": len(answer), "citations": [1], "numbers": [number], "status": "unsupported"}
    false = replace(view, statements=(said,), ended_with={**view.ended_with, "answer": answer})
    html = shown(false)
    assert 'class="tb-claim un" title="no source holds this number">9</span>' in html
    assert '<a class="tb-src" href="#source-1">1</a>' in html
    assert "Answered, in part unsupported" in Reader(html).text
