"""The view of a run: the same in any pieces, never failing on a prefix, right at its end."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pages.desks import page_of_flow
from pages.desks.decision.decision_view import DECISION
from pages.desks.decision.steps import CLOSING_NODE, stages
from pages.frame.show import Show
from tests.pages import event_log as runs
from tests.pages.event_log import spoken, with_data
from tests.pages.events import RUNS

LOGS = {name: make() for name, make in RUNS.items()}
WHOLE = {name: DECISION.reduce(log) for name, log in LOGS.items()}


@pytest.mark.full
@settings(suppress_health_check=[HealthCheck.too_slow])  # the first log is played while inputs are drawn
@given(name=st.sampled_from(sorted(LOGS)), data=st.data())
def test_any_split_of_the_log_gives_the_same_view(name: str, data: st.DataObject) -> None:
    log = LOGS[name]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(log)), max_size=6)))
    view = None
    for start, stop in zip([0, *cuts], [*cuts, len(log)], strict=True):
        seen_again = data.draw(st.integers(0, 3))
        view = DECISION.reduce(log[max(0, start - seen_again) : stop], view)
    assert view == WHOLE[name]


@pytest.mark.parametrize("name", sorted(LOGS))
def test_every_prefix_can_be_drawn_and_never_forgets_a_word(name: str) -> None:
    view = None
    written: dict[tuple[str, int], str] = {}
    for event in LOGS[name]:
        view = DECISION.reduce([event], view)
        if event.kind == "node.tokens":
            key = (event.node or "", int(str(event.data.to_json()["attempt"])))
            written[key] = written.get(key, "") + str(event.data.to_json()["text"])
        assert [stage.name for stage in stages(view)] == list(CLOSING_NODE)
        for (node, attempt), text in written.items():
            assert view.nodes[node].texts[attempt] == text


def test_a_finished_entry_is_known_in_full() -> None:
    view = WHOLE["entry"]
    assert view.opening is not None
    assert view.ending is not None
    assert view.checked is not None
    assert (view.opening.symbol, view.opening.price, view.opening.analysts) == ("BTC/USDT:USDT", 78034.2, runs.ANALYSTS)
    assert (view.ending.action, view.ending.is_valid, view.running) == ("signal_entry_short", True, False)
    assert (view.checked.false, view.checked.verified) == (4, 12)
    assert [fix.source for fix in view.corrections] == ["bull", "bull", "bear", "bear"]
    assert view.planted[0].truth == 48.6
    assert [stage.state for stage in stages(view)] == ["done"] * 4
    assert {claim.source for claim in view.checked.claims} >= {"indicator", "bull", "bear", "judge"}


def test_a_retry_supersedes_the_words_before_it() -> None:
    bull = WHOLE["entry"].role("bull")
    assert bull.text == spoken("bull")
    assert bull.superseded == ("Sellers are",)
    assert [(retry.attempt, retry.wait_s, retry.repair) for retry in bull.retries] == [(2, 0.9, False)]
    assert WHOLE["starting"].role("sentiment").state == "retrying"
    assert WHOLE["starting"].role("sentiment").text == ""


@pytest.mark.parametrize(
    ("name", "states", "closing"),
    [
        ("debating", ["done", "running", "waiting", "waiting"], None),
        ("gate_closed", ["done", "done", "gate_closed", "not_reached"], "signal_wait"),
        ("short_handed", ["failed", "not_reached", "not_reached", "not_reached"], "signal_wait"),
        ("abstained", ["partly", "running", "waiting", "waiting"], None),
    ],
)
def test_the_steps_of_every_ending(name: str, states: list[str], closing: str | None) -> None:
    view = WHOLE[name]
    assert [stage.state for stage in stages(view)] == states
    assert (view.ending.action if view.ending else None) == closing


@pytest.mark.parametrize("at", [9, 30])
def test_a_run_that_was_stopped_and_continued_ends_as_if_it_had_not_been(at: int) -> None:
    log = LOGS["entry"]
    stopped = [*log[:at], with_data(log[at], {"reason": "by a person"}, kind="run.stopped", node=None)]
    resumed = [*stopped, with_data(log[at], {"nodes": []}, kind="run.resumed", node=None), *log[at:]]
    numbered = [event.model_copy(update={"seq": number}) for number, event in enumerate(resumed, 1)]
    cut = DECISION.reduce(numbered[: at + 1])
    assert cut.ending is not None
    assert cut.ending.stopped
    assert page_of_flow("decision").tab_word(cut, Show("en")) == "Stopped"
    assert not cut.running
    assert {node.state for node in cut.nodes.values()} <= {"stopped", "done", "abstained", "failed"}
    assert DECISION.reduce(numbered[: at + 2]).running
    whole, view = WHOLE["entry"], DECISION.reduce(numbered)
    assert view.ending == whole.ending
    assert {name: (node.text, node.state) for name, node in view.nodes.items()} == {n: (v.text, v.state) for n, v in whole.nodes.items()}
