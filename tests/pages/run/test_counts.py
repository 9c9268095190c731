"""Numbers of false claims on one page: each says what it counts, and those that count the same agree."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from engine.api import Engine, role_of
from engine.domain.decision import DEBATE_SIDES
from pages.claims.claim_card import stated
from pages.desks.decision import panels
from pages.desks.decision.compared_runs import decision_figures
from pages.desks.decision.decision_view import DECISION, DecisionView
from pages.desks.decision.page import brief_panel
from pages.desks.decision.steps import step_strip
from pages.frame.show import Show
from tests.pages.events import RUNS
from tests.pages.reader import Reader

AT = "2026-11-01T08:00:00Z"


@pytest.fixture(params=["en", "zh"])
def told(request: Any, make_engine: Callable[..., Engine]) -> tuple[DecisionView, Show, Any]:
    """A run in which analysts, debate and executor all stated something false."""
    engine = make_engine()
    for seed in range(1, 30):
        asked = engine.decisions.request("BTC/USDT:USDT", seed=seed, lies=0.5, at=AT, language=request.param)
        record = engine.wait(engine.start(asked), 60)
        view = DECISION.reduce(engine.events(record.run_id))
        said = view.false_said
        if said.debate and said.analysts and said.executor:
            return view, Show(request.param), record
    pytest.fail("no run in which everybody lied")


def words_of(html: str) -> str:
    return " ".join("".join(Reader(html).words).split())


def debate_pips(view: DecisionView, show: Show) -> int:
    """How many false numbers the pips beside the speakers show."""
    return panels.debate_panel(view, show).count('<span class="n">')


@pytest.mark.full
def test_every_count_of_one_page_says_what_it_counts(told: tuple[DecisionView, Show, Any]) -> None:
    view, show, record = told
    zh, said, checked = show.language == "zh", view.false_said, view.checked
    assert checked is not None
    read = [claim for claim in checked.claims if claim.verdict == "false"]
    assert (said.debate, said.analysts) == (checked.false, len(read) - checked.false)

    grounding = panels.grounding_panel(view, show)
    rows = grounding.count("<tr>") - 1 - grounding.count('class="why"')  # under each of them stands how it was read
    assert rows == said.total, "the executor's are rows as well"
    strip = words_of(step_strip(view, show))
    assert [int(count) for count in re.findall(r"(\d+) ✕", strip)] == [said.grounding, said.executor], "the strip counts the same rows"
    line = words_of(grounding)
    head = f"{rows} 处错误" if zh else f"{rows} false numbers"
    assert head in line
    for count, word in ((said.debate, "辩论" if zh else "in the debate"), (said.analysts, "分析师"), (said.executor, "交易执行")):
        english = {"分析师": "of analysts", "交易执行": "of the executor"}.get(word, word)
        assert (f"{word} {count}" if zh else f"{count} {english}") in line
    debate = words_of(panels.debate_panel(view, show))
    assert ("辩论：属实" if zh else "Debate: verified") in debate
    assert ("辩论：属实" if zh else "Debate: verified") not in line, "said once"
    assert ("所有角色" if zh else "in all roles") in line, "planted values"

    matrix = panels.matrix_panel(view, show)
    boxes, spoken = matrix.count('<td class="no">'), (*checked.claims, *view.role("executor").claims)
    assert (f"{boxes} 格有误" if zh else f"{boxes} boxes false") in words_of(matrix)
    wrong = {(claim.key, role_of(claim.source), stated(claim, show)) for claim in spoken if claim.verdict == "false"}
    assert matrix.count("<del>") == len(wrong), "every false number is there"
    assert "<del>" not in matrix.partition("<details")[2], "and none of them is folded"
    facts, disputed = {claim.key for claim in spoken}, {key for key, _, _ in wrong}
    shown = min(len(facts), max(14, len(disputed)))
    assert (f"{shown}/{len(facts)} 项数据" if zh else f"{shown} of {len(facts)} facts") in words_of(matrix)

    assert debate_pips(view, show) == sum(claim.verdict == "false" for claim in checked.claims if role_of(claim.source) in DEBATE_SIDES)
    assert ("辩论：" if zh else "debate:") in words_of(brief_panel(view, show))
    assert ("辩论中的错误" if zh else "False claims in the debate") in " ".join(decision_figures(record.result or {}, show))


def test_the_gate_says_whose_numbers_it_judges() -> None:
    words = words_of(panels.decision_messages_panel(DECISION.reduce(RUNS["gate_closed"]()), Show()))
    assert "of the debate's checked numbers were false (6 of 8)" in words
