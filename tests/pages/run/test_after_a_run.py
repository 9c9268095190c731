"""What a reader can do with a run that has ended: look back, uncover what came after, decide again, take it away."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine.api import verify_bundle
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
def test_a_past_moment_is_shown_as_it_was(desk: AppTest) -> None:  # noqa: F811
    record = ended(desk)
    events = shared_engine.get_engine().events(record.run_id)
    slider = desk.slider(key=f"moment-{record.run_id}-{len(events)}")
    assert (slider.min, slider.max, slider.value) == (1, len(events), len(events))
    judged = next(event.seq for event in events if event.kind == "node.finished" and event.node == "judge")
    slider.set_value(judged).run()
    assert not desk.exception
    shown = page_of(desk)
    assert f"As it stood after event {judged} of {len(events)}" in shown
    assert "Numbers are checked against the snapshot when the judge has spoken." in shown
    assert "Executor is deciding" not in shown
    assert not [button for button in desk.button if button.key == "again-run"], "deciding again starts from the end"
    desk.button(key=f"moment-{record.run_id}-{len(events)}-on").click().run()
    assert f"As it stood after event {judged + 1} of" in page_of(desk)
    moved = desk.slider(key=f"moment-{record.run_id}-{len(events)}-1")  # another one: the first may still be told what it stood at
    moved.set_value(len(events)).run()
    assert "As it stood" not in page_of(desk)


@pytest.mark.full
def test_what_came_after_is_uncovered_one_by_one(desk: AppTest) -> None:  # noqa: F811
    record = ended(desk)
    snapshot = shared_engine.get_engine().snapshot(record.run_id)
    later = shared_engine.get_engine().decisions.later_candles(record.run_id, 3)
    assert snapshot is not None
    assert later is not None
    assert later.opened_at[0] == snapshot.candles.closed_at
    for number in (1, 2):
        desk.button(key=f"later-{record.run_id}-on").click().run()
        assert not desk.exception
        assert f"After candle {number}, at" in page_of(desk)
    desk.button(key=f"later-{record.run_id}-back").click().run()
    assert "After candle 1, at" in page_of(desk)


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


@pytest.mark.full
def test_the_record_that_is_saved_can_be_verified(desk: AppTest, tmp_path: Path) -> None:  # noqa: F811
    record = ended(desk)
    keys = {str(button.key) for button in desk.get("download_button")}
    assert {"save-page", "save-bundle"} <= keys
    bundle = json.loads(json.dumps(shared_engine.get_engine().bundle(record.run_id), allow_nan=False))
    assert verify_bundle(bundle) == []


@pytest.mark.full
def test_every_place_holds_one_kind_of_thing_from_the_first_frame_on(desk: AppTest) -> None:  # noqa: F811
    """A browser under load meets the messages of several frames at once; a block where an element stood has torn its page."""
    desk.run()
    frames = [kinds(desk.main)]
    desk.text_input(key="at").set_value("2026-03-10T12:07Z")
    record = decided(desk)
    frames.append(kinds(desk.main))
    events = shared_engine.get_engine().events(record.run_id)
    for moment in (1, 2, 12):
        desk.slider(key=f"moment-{record.run_id}-{len(events)}").set_value(moment).run()
        frames.append(kinds(desk.main))
    for before, after in combinations(frames, 2):
        assert {path: (before[path], after[path]) for path in before.keys() & after.keys() if before[path] != after[path]} == {}


def kinds(block: Any, path: tuple[int, ...] = ()) -> dict[tuple[int, ...], str]:
    """Path of every place on the page -> whether a block or an element stands there."""
    found: dict[tuple[int, ...], str] = {}
    for index, child in block.children.items():
        inner = getattr(child, "children", None)
        found[(*path, index)] = "element" if inner is None else "block"
        found |= kinds(child, (*path, index)) if inner is not None else {}
    return found
