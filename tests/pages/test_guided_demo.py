"""The guided demo ends in a proposal with something struck, in either language; its captions come one by one with the run; and why a
decision is what it is stands in one sentence."""

import re
from pathlib import Path

import pytest

from engine.api import Engine
from engine.domain.run import DecideRequest
from engine.domain.text.language import LANGUAGES, Language
from engine.settings import Settings
from pages.decision.decision_reducer import DECISION
from pages.decision.grounding import grounding_panel
from pages.decision.guided_demo import captions, demo_request, is_demo
from pages.decision.why import why_sentence
from pages.frame.show import Show
from tests.pages.reader import Reader


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return Engine(Settings(_env_file=None, home=Path(tmp_path_factory.mktemp("demo")), pace=0))  # type: ignore[call-arg]


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_proposes_and_something_is_struck_and_the_captions_follow(engine: Engine, language: Language) -> None:
    run_id = engine.start(demo_request(engine, language))
    record = engine.wait(run_id, 60)
    proposal = engine.trading.proposal_of(run_id)
    assert is_demo(record.request)
    assert proposal is not None
    assert proposal.is_waiting
    assert proposal.figures.reward_risk_net is not None
    assert proposal.figures.reward_risk_net >= 1.5, "a trade that is worth its costs"
    events, show = engine.events(run_id), Show(language=language)
    reached = []
    for seq in range(1, len(events) + 1):
        view = DECISION.reduce(events[:seq])
        page = str(captions(view, show, proposal if view.ending else None))
        assert page.count('aria-current="step"') == 1
        reached.append(page[: page.index(" now")].count("<li"))
    assert reached == sorted(reached), "no caption goes back"
    assert set(reached) >= {1, 2, 4}
    assert "<s>" in page
    assert view.checked is not None
    assert view.checked.false > 0
    said, (run,) = view.false_said, [each for each in engine.runs() if each.run_id == run_id]
    assert (run.false_claims, run.claims) == (said.total, said.checked), "the list of runs counts what the page counts"
    assert 0 < said.total < said.checked
    counts = re.compile(r"(\d+) of (\d+) checked" if language == "en" else r"核验 (\d+) 个数字，(?:共 )?(\d+) 处错误")
    wanted = (said.total, said.checked) if language == "en" else (said.checked, said.total)
    line = " ".join(Reader(grounding_panel(view, show)).words).replace(" false numbers", "")
    for words in (" ".join(Reader(page).words), line):
        assert tuple(map(int, counts.search(words).groups())) == wanted, words  # type: ignore[union-attr]
    rejected = engine.trading.reject(proposal.id, "op-1", "seen")
    ended = captions(view, show, rejected)
    assert str(ended)[: str(ended).index(" now")].count("<li") == 5


def test_a_run_that_was_asked_for_otherwise_is_no_demo(engine: Engine) -> None:
    asked = demo_request(engine, "en")
    for other in ({"seed": 21}, {"lies": 0.0}, {"at": None}, {"symbol": "ETH/USDT:USDT"}):
        assert not is_demo(DecideRequest.model_validate({**asked.model_dump(), **other}))
    assert not is_demo(None)


def test_the_first_sentence_of_why_is_the_executors_own_and_no_longer(engine: Engine) -> None:
    for seed in range(2, 30):
        request = engine.decisions.request("BTC/USDT:USDT", feed="simulated", at="2026-05-16T12:00Z", seed=seed, model="scripted")
        record = engine.wait(engine.start(request), 60)
        view = DECISION.reduce(engine.events(record.run_id))
        words = Reader(str(why_sentence(view, Show()))).text.strip()
        if view.ending is not None and view.ending.action == "signal_wait" and view.ending.is_valid:
            assert words.endswith(".")
            assert words[:20] in " ".join(view.role("executor").text.split())
            assert len(words) < 400
            return
        assert words == "", "the reasons of an order stand below"
    pytest.fail("no market to wait in")
