"""A run is played in the time it took, but for long silences; the address keeps the moment, and what is played is never a later one."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.desks.decision.decision_reducer import reduce_decision
from pages.frame import shared_engine
from pages.frame.show import Show
from pages.run import look_back
from pages.run.messages import run_facts_panel
from pages.run.playback import LONGEST_SILENCE_S, has_silences, play_times, played_to
from tests.pages.events import RUNS
from tests.pages.proposals import START
from tests.pages.started import AT, Start, keyed, page_of

GAPS = st.lists(st.floats(0, 100), max_size=30)


@given(GAPS)
def test_no_silence_is_longer_than_is_said_and_no_event_comes_before_its_time(gaps: list[float]) -> None:
    instants = [START + timedelta(seconds=sum(gaps[:at])) for at in range(len(gaps) + 1)]
    times = play_times(instants)
    assert times[0] == 0.0
    assert len(times) == len(instants)
    for at, gap in enumerate(gaps):
        assert times[at + 1] - times[at] == pytest.approx(min(gap, LONGEST_SILENCE_S), abs=1e-5)
    assert has_silences(instants) == (max(gaps, default=0.0) > LONGEST_SILENCE_S)


@pytest.mark.full
@given(GAPS, st.data(), st.floats(0, 200), st.sampled_from([1, 4]))
def test_what_is_played_goes_on_from_where_it_began_and_four_times_is_four_times(
    gaps: list[float], data: st.DataObject, elapsed: float, speed: int
) -> None:
    times = play_times([START + timedelta(seconds=sum(gaps[:at])) for at in range(len(gaps) + 1)])
    origin = data.draw(st.integers(1, len(times)))
    now = played_to(times, origin, elapsed, speed)
    assert origin <= now <= len(times)
    assert times[now - 1] <= times[origin - 1] + elapsed * speed
    assert now == len(times) or times[now] > times[origin - 1] + elapsed * speed
    assert played_to(times, origin, elapsed * speed, 1) == now


def banner(app: AppTest) -> str:
    return next((body for body in page_of(app).split("\n") if "tb-moment tb-past" in body), "")


@pytest.mark.full
def test_play_pause_and_the_way_back_to_the_end(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    app = start()
    engine = shared_engine.get_engine()
    run_id = engine.wait(engine.start(engine.decisions.request("BTC/USDT:USDT", seed=301, at=AT)), 60).run_id
    events = engine.events(run_id)
    monkeypatch.setattr(look_back, "play_times", lambda instants: [float(at) for at in range(len(instants))])  # an event a second
    monkeypatch.setattr("pages.run.playback.monotonic", lambda: now[0])
    monkeypatch.setattr(look_back, "monotonic", lambda: now[0])
    app.query_params["run"] = run_id
    app.run()
    assert banner(app) == ""
    keyed(app, "play-").click().run()
    assert "after event 1 of" in banner(app)
    now[0] += 5.4
    app.run()
    assert "after event 6 of" in banner(app)
    assert "at" not in app.query_params, "the address is not written anew twice a second"
    keyed(app, "play-").click().run()
    assert "after event 6 of" in banner(app), "it is paused where it was"
    now[0] += 100
    app.run()
    assert "after event 6 of" in banner(app)
    assert app.query_params["at"][0] == "6"
    keyed(app, "moment-").click().run()  # one event back
    assert app.query_params["at"][0] == "5"
    app.query_params["at"] = "6"  # a browser that has not heard of it yet asks with the address before
    app.run()
    assert app.query_params["at"][0] == "5"
    keyed(app, "play-").click().run()
    now[0] += 2.0
    app.run()
    assert "after event 7 of" in banner(app)
    now[0] += len(events)
    app.run()
    assert banner(app) == "", "at the end it is the run as it is"
    assert "at" not in app.query_params
    keyed(app, "play-").click().run()
    assert banner(app) == "", "pause was pressed as the end came: it does not begin anew"
    now[0] += 2.0
    keyed(app, "play-").click().run()
    assert "after event 1 of" in banner(app)
    keyed(app, "play-").click().run()
    next(slider for slider in app.slider if str(slider.key).startswith("moment-")).set_value(5).run()
    app.button(key="to-the-end").click().run()
    assert not app.exception
    assert banner(app) == ""


@pytest.mark.full
def test_an_address_with_a_moment_opens_at_it(start: Start) -> None:
    app = start()
    engine = shared_engine.get_engine()
    run_id = engine.wait(engine.start(engine.decisions.request("BTC/USDT:USDT", seed=301, at=AT)), 60).run_id
    app.query_params["run"] = run_id
    for asked, shown in (("7", "after event 7 of"), ("1e9", ""), ("-3", "after event 1 of"), ("99999", "")):
        app.query_params["at"] = asked
        app.run()
        assert not app.exception
        assert shown in banner(app)
    app.query_params["at"] = "9"
    app.run()
    assert "after event 9 of" in banner(app), "the reader went back in the browser"


def test_one_lie_on_purpose_stands_among_the_facts_of_the_run() -> None:
    view = reduce_decision(RUNS["entry"]())
    assert view.facts is not None
    assert "on purpose" not in run_facts_panel(view, Show())
    asked = {**view.facts.request, "chaos": {"role": "bull", "kind": "price"}}
    told = run_facts_panel(replace(view, facts=replace(view.facts, request=asked)), Show())
    assert 'one lie on purpose <b class="">Bull · the price times ten</b>' in told
