"""What a reader can do with a run that has ended: decide again from one of its steps, and ask a step that failed once more."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from engine.domain.run import RunRecord
from pages.frame import shared_engine
from pages.words.texts import words_in
from tests.flows.answers import SOUND, cast, write_candles
from tests.pages.test_desk import decided, desk, page_of, run_of  # noqa: F401 - a fixture
from tests.servers import llm
from tests.servers.llm import Plan

SAY = words_in("en")


def ended(desk: AppTest) -> RunRecord:  # noqa: F811
    desk.run()
    desk.text_input(key="at").set_value("2026-03-10T12:07Z")
    return decided(desk)


@pytest.mark.full
def test_another_decision_begins_at_a_step_of_this_one(desk: AppTest) -> None:  # noqa: F811
    parent = ended(desk)
    desk.selectbox(key="again-node").select("judge").run()
    desk.checkbox(key="again-edit").check().run()
    box = desk.text_area(key=f"again-text-{parent.run_id}-judge")
    assert parent.result is not None
    assert box.value == parent.result["judge_verdict"]["text"]
    words = box.value.replace("Having heard both sides", "Having read the record twice")
    box.set_value(words).run()
    desk.button(key="again-run").click().run()
    assert not desk.exception
    child = shared_engine.get_engine().wait(run_of(desk), 30)
    assert child.run_id != parent.run_id
    assert child.request.origin is not None
    assert (child.request.origin.run_id, child.request.origin.from_node) == (parent.run_id, "judge")
    assert child.result is not None
    assert child.result["judge_verdict"]["text"] == words
    assert child.result["bull_argument"]["text"] == parent.result["bull_argument"]["text"]
    desk.run()
    assert parent.run_id in page_of(desk), "the new run names its parent"


@pytest.mark.full
def test_a_step_that_failed_can_be_asked_again(desk: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    plans: list[Plan] = [llm.status(401, "no")]
    with llm.LLMServer(cast(executor=lambda _: plans[-1])) as server:
        settings = {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": server.base_url, "TRIBUNAL_MODEL": "loopback"}
        for name, value in {**settings, "TRIBUNAL_DATA_DIR": str(write_candles(tmp_path / "recorded"))}.items():
            monkeypatch.setenv(name, value)
        desk.run()
        failed = decided(desk)
        assert failed.result is not None
        assert not failed.result["is_valid"]
        plans.append(SOUND["executor"])
        asked = len(server.requests)
        button = desk.button(key="retry-executor")
        assert button.label == SAY("try_again", role=SAY("executor"))
        button.click().run()
        again = shared_engine.get_engine().wait(run_of(desk), 30)
        assert again.result is not None
        assert again.result["is_valid"], again.result["errors"]
        assert len(server.requests) == asked + 1, "only the failed step was asked"
