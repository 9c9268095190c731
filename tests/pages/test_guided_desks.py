"""The demos of equities and research show what they say: a price of before a split, an order that code cuts, sealed rooms; a task that
fails and is retried, one that is planned anew, a figure that is not held."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from engine.api import Engine
from engine.domain.text.language import LANGUAGES, Language
from engine.settings import Settings
from pages.desks.equities.equity_reducer import EQUITIES
from pages.desks.equities.guided_demo import GUIDE as EQUITY_GUIDE
from pages.desks.equities.guided_demo import raw_price
from pages.desks.equities.sight import sent_to
from pages.desks.research.guided_demo import GUIDE as RESEARCH_GUIDE
from pages.desks.research.plan import plan_panel
from pages.desks.research.research_reducer import RESEARCH
from pages.frame.show import Show
from pages.run.guide import GuideClock, Scene, reached
from tests.pages.reader import Reader


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = Engine(Settings(_env_file=None, home=tmp_path, pace=0))  # type: ignore[call-arg]
    yield made
    made.close()


@pytest.mark.full
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_price_of_before_the_split_is_struck_and_code_cuts_what_the_judge_asks_for(engine: Engine, language: Language) -> None:
    engine.wait(EQUITY_GUIDE.start(engine, "en", "earlier")[0], 120)
    record = engine.wait(EQUITY_GUIDE.start(engine, language, "op")[0], 120)  # it finds nothing that an earlier one has written or holds
    assert EQUITY_GUIDE.is_own(record.request)
    view = EQUITIES.reduce(engine.events(record.run_id))
    found = raw_price(engine, view)
    assert found is not None
    claim, ratio, _ = found
    assert (claim.source, ratio) == ("market", 10.0)
    assert "account" not in (sent_to(view, "research") or {})
    assert "reports" not in (sent_to(view, "risk") or {})
    proposal = engine.trading.proposal_of(record.run_id)
    assert proposal is not None
    assert proposal.is_waiting
    facts = view.equity
    assert facts is not None
    assert facts.largest is not None
    assert proposal.figures.notional <= facts.largest
    asked, ordered = (record.result or {})["risk_summary"]["quantity"], int(proposal.plan.amount)
    assert asked * facts.price > facts.largest, "the judge asks for more than the account allows"
    assert ordered == facts.shares(facts.largest, facts.price), "and gets what it allows"
    assert view.ending is not None
    scene = Scene(engine, record, view, Show(language=language), GuideClock(), view.ending.at + timedelta(seconds=60))
    beats = EQUITY_GUIDE.beats(scene)
    assert beats[reached(beats, scene.now)].name == "sign"
    words = {beat.name: Reader(str(beat.words)).text for beat in beats}
    assert "2024-06-10" in words["raw"]
    assert f"{facts.shares(facts.largest, facts.price)}" in words["bounds"]
    assert {f"{asked:g}", str(ordered)} <= set(re.findall(r"\d+", words["cut"]))
    engine.trading.reject(proposal.id, "op", "seen")
    beats = EQUITY_GUIDE.beats(scene)
    assert beats[reached(beats, scene.now + timedelta(seconds=60))].is_last


@pytest.mark.full
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_task_is_retried_another_is_planned_anew_and_a_figure_is_not_held(engine: Engine, language: Language) -> None:
    record = engine.wait(RESEARCH_GUIDE.start(engine, language, "op")[0], 60)
    assert RESEARCH_GUIDE.is_own(record.request)
    view = RESEARCH.reduce(engine.events(record.run_id)).at_end(record.result or {})
    assert view.ending is not None
    scene = Scene(engine, record, view, Show(language=language), GuideClock(), view.ending.at + timedelta(seconds=60))
    beats = RESEARCH_GUIDE.beats(scene)
    assert [beat.name for beat in beats if beat.due is None] == []
    assert beats[reached(beats, scene.now)].is_last
    words = {beat.name: Reader(str(beat.words)).text for beat in beats}
    done = [task for factor in (record.result or {})["factors"] for task in factor["task_results"]]
    (retried,) = [task for task in done if task["kind"] == "retry"]
    assert (retried["status"], retried["attempt"]) == ("done", 2)
    failed, decided = (
        next(each for each in done if each["id"] == retried["id"] and each["kind"] == kind) for kind in ("task", "reasoning")
    )
    assert (failed["status"], decided["decision"]) == ("error", "retry")
    assert "2" in words["retried"]
    assert (
        words["failed"].partition(":" if language == "en" else "：")[2].strip()
        in Reader(str(plan_panel(view, Show(language=language)))).text
    )
    assert "BTCX" in words["refused"]
    assert any(factor.replanned for factor in view.factors)
    assert view.count_said("unsupported") >= 1
    assert view.count("supported") >= 1, "something is left to be handed on"
    assert str(view.count_said("unsupported")) in words["false"]
