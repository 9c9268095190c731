"""Statements lead to their sources by number, and sources to what they are: the result of a task, a document, another run."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pages.desks.research.answer import answer_panel, dated_words, letter_of, statements_panel
from pages.desks.research.origins import number_of, opened, origins_of
from pages.desks.research.panels import trust_panel
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


@pytest.mark.full
def test_documents_open_where_they_have_an_address_of_the_web(logs: Callable[[str], Log]) -> None:
    origins = {origin.source: origin for origin in origins_of(at_end(logs("research")), SHOW)}
    assert "href" in opened(origins["openalex"])
    assert "href" not in opened(origins["library"]), "a file of the library is no address"


@pytest.mark.full
def test_many_sources_are_behind_a_switch_and_letters_go_on_after_z(logs: Callable[[str], Log]) -> None:
    view = at_end(logs("research"))
    many = replace(view, ended_with={**view.ended_with, "top_papers": [{"title": f"t{n}", "source": "library"} for n in range(30)]})
    html = documents_panel(many, SHOW)
    assert "Show 20 more" in html
    assert 'id="source-30"' in html
    assert [letter_of(place) for place in (0, 25, 26, 51, 52)] == ["a", "z", "aa", "az", "ba"]


@pytest.mark.parametrize(
    ("written", "words"),
    [("2026-05-16T08:00:00+00:00", "2026-05-16 08:00"), ("2026-05", "2026-05"), ("", "—"), ("some time last week", "some time last week")],
)
def test_dates_are_as_exact_as_their_source(written: str, words: str) -> None:
    assert dated_words(written) == words


@pytest.mark.full
def test_confidence_says_what_made_it_while_that_gives_it(logs: Callable[[str], Log]) -> None:
    search = at_end(logs("research"))
    parts = search.confidence_parts
    found = parts["supported"] * (0.6 + 0.25 * parts["agreement"] + 0.15 * parts["freshness"])
    assert search.confidence == pytest.approx(found * (0.7 + 0.3 * parts["answered"]), abs=1e-3)
    assert "× (0.60 + 0.25 ×" in trust_panel(search, SHOW)
    assert "× (0.60" not in trust_panel(replace(search, confidence=0.123), SHOW), "a formula that does not give it is not said"
    plan = at_end(logs("plan"))
    assert plan.confidence == min(plan.confidence_parts.values())
    assert "the least of these" in trust_panel(plan, SHOW)
    assert "the least of these" not in trust_panel(replace(plan, confidence=0.123), SHOW)
    assert trust_panel(replace(plan, confidence=None), SHOW) == ""
