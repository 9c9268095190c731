"""Statements lead to their sources by number, and sources to what they are: the result of a task, a document, another run."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pages.desks.research.answer import answer_panel, statements_panel
from pages.desks.research.origins import number_of, origins_of
from pages.desks.research.sources import documents_panel
from pages.frame.show import Show
from tests.pages.desks.research.runs import Log, at_end, shown
from tests.pages.reader import Reader

SHOW = Show()


@pytest.mark.full
def test_a_plan_cites_its_results_by_number_and_every_number_leads_to_a_line(logs: Callable[[str], Log]) -> None:
    view = at_end(logs("plan"))
    html = shown(view)
    numbers = [number_of(view, each) for each in view.statements]
    assert numbers == list(range(1, len(view.statements) + 1))
    assert set(re.findall(r'href="#(source-[\d-]+)"', html)) <= set(re.findall(r'id="(source-[\d-]+)"', html))
    answer = Reader(answer_panel(view, SHOW)).text
    assert "[funding/f" not in answer, "where it is from is a number, not a path in brackets"
    assert all(origin.title and origin.source for origin in origins_of(view, SHOW))


def test_the_documents_of_a_sub_question_stand_under_its_number_and_lead_to_its_run(logs: Callable[[str], Log]) -> None:
    view = at_end(logs("plan"))
    factor = view.factors[1]
    asked: dict[str, Any] = {
        "question": "Why?",
        "run_id": "child-1",
        "papers": [{"title": "A", "url": "https://a.example/x", "source": "openalex"}, {"title": "B", "url": "javascript:alert(1)"}],
    }
    task = replace(factor.tasks[0], tool="research_question", result=asked, arguments={"question": "Why?"})
    view = replace(view, factors=(view.factors[0], replace(factor, tasks=(task,))))
    n = next(number_of(view, each) for each in view.statements if each["factor"] == factor.name)
    statement = {**view.statements[-1], "text": "It is so [1], and so [2]."}
    view = replace(view, statements=(*view.statements[:-1], statement))
    assert [origin.name for origin in origins_of(view, SHOW)][-3:] == [f"{n}", f"{n}.1", f"{n}.2"]
    html = documents_panel(view, SHOW)
    assert 'href="./research?run=child-1&amp;lang=en"' in html
    assert re.search(r'href="https://a.example/x"[^>]*rel="noopener noreferrer nofollow"', html)
    assert "javascript:" not in html
    assert f'href="#source-{n}-2">{n}.2</a>' in statements_panel(view, SHOW)
