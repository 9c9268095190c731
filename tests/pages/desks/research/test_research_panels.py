"""The panels of a plan and of a search, from the logs of real runs: what they show, at every moment, with hostile words in them."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from pages.desks.research.answer import answer_panel
from pages.desks.research.research_reducer import RESEARCH
from pages.desks.research.task_words import tool_name
from pages.desks.research.verdict import verdict_bar
from pages.frame.show import Show
from tests.pages.desks.research.runs import EVIL, Log, at_end, shown
from tests.pages.reader import Reader

SHOW = Show()


@pytest.mark.full
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("flow", ["plan", "research"])
def test_every_prefix_of_a_log_is_shown_and_nothing_hostile_is_a_tag(logs: Callable[[str], Log], flow: str, language: str) -> None:
    record, events = logs(flow)
    for count in sorted({0, 1, 2, *range(3, len(events), max(1, len(events) // 12)), len(events)}):
        assert "img" not in Reader(shown(RESEARCH.reduce(events[:count]), language)).tags
    assert "img" not in Reader(shown(at_end((record, events)), language)).tags


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
    skipped = [task["id"] for task in record.result["factors"][0]["task_results"] if task["kind"] == "skip"]
    assert [task.id for task in view.factors[0].tasks if task.state == "skipped"] == skipped == ["f", "n"]
    assert failed
    assert all(task.old or task.state == "skipped" for task in failed), "a market that there is not has no result"
    assert all(task.decision for task in failed if task.error), "what was decided about it is said"
    for statement in record.result["statements"]:
        assert statement["text"][:20] in words


@pytest.mark.full
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


@pytest.mark.full
def test_a_number_that_no_source_holds_wears_its_mark(logs: Callable[[str], Log]) -> None:
    view = at_end(logs("research"))
    answer = "Funding is paid every 9 hours [1]."
    number = {"text": "9", "start": 22, "end": 23, "value": 9.0, "unit": "", "found_in": []}
    said = {"text": answer, "start": 0, "end": len(answer), "citations": [1], "numbers": [number], "status": "unsupported"}
    false = replace(view, statements=(said,), ended_with={**view.ended_with, "answer": answer, "headline": None})
    html = shown(false)
    assert 'class="tb-claim un" title="no source holds this number">9</span>' in html
    assert '<a class="tb-src" href="#source-1">1</a>' in html
    assert "Answered, in part unsupported" in Reader(html).text


def test_a_plan_answers_first_with_its_numbers_marked_and_says_that_no_model_did(logs: Callable[[str], Log]) -> None:
    plan = at_end(logs("plan"))
    words = "No: 5 was read [1]. 9 was not [1]."
    numbers = [{"text": "5", "start": 4, "end": 5, "found_in": [1]}, {"text": "9", "start": 20, "end": 21, "found_in": []}]
    held = {"text": words[:19], "start": 0, "end": 19, "citations": [1], "numbers": numbers[:1], "status": "supported"}
    lost = {"text": words[20:], "start": 20, "end": 34, "citations": [1], "numbers": numbers[1:], "status": "unsupported"}
    given = {"text": words, "by": "script", "statements": [held, lost]}
    html = answer_panel(replace(plan, ended_with={**plan.ended_with, "synthesis": given}), SHOW)
    assert '<span class="tb-claim ok" title="found in source 1">5</span>' in html
    assert '<span class="tb-claim un" title="no source holds this number">9</span>' in html
    assert html.index("No: ") < html.index("The last funding rate"), "the answer stands before what was measured"
    assert "No model answered" in html
    of_model = {**plan.ended_with, "verdict": "no", "synthesis": {**given, "by": "model", "statements": [held]}}
    assert "No model answered" not in answer_panel(replace(plan, ended_with=of_model), SHOW)
    bar = verdict_bar(replace(plan, ended_with=of_model), SHOW)
    assert '<div class="word">Answered: no</div>' in bar
