"""Nothing of a reader's is lost: a desk returns to its last run, the form has what that was asked for, and the tab's title says how it
stands."""

from datetime import UTC, datetime

import pytest

from engine.domain.chaos import Chaos
from engine.domain.shown_state import ShownState
from engine.domain.text.language import Language
from pages.frame import shared_engine
from pages.frame.page_frame import WaitingCount
from pages.frame.show import Show
from pages.frame.tab_title import tab_title
from pages.run.run_links import run_title, short_subject
from pages.words.texts import words_in
from tests.pages.started import AT, Start, page_of

NOW = datetime(2026, 5, 17, 9, tzinfo=UTC)


@pytest.mark.full
def test_a_fresh_desk_shows_its_last_run_as_it_was_asked_for_and_a_new_one_is_a_press_away(start: Start) -> None:
    app = start()
    engine = shared_engine.get_engine()
    assert "No run yet" in page_of(app)
    chaos = Chaos(role="bear", kind="price")
    request = engine.decisions.request("ETH/USDT:USDT", timeframe="1h", timeframe_htf="1d", seed=3, lies=0.35, at=AT, chaos=chaos)
    run_id = engine.wait(engine.start(request), 60).run_id
    engine.wait(engine.start(engine.equities.request("AAPL", seed=2)), 60)  # another desk's
    app = start()
    assert not app.exception
    assert app.query_params["run"] in (run_id, [run_id])
    fields = {each.key: each.value for each in (*app.selectbox, *app.number_input, *app.text_input)}
    wanted = {"timeframe": "1h", "higher-1h-en": "1d", "seed": 3, "lies": 35.0, "at": "2026-11-01T08:00Z", "liar-en": "bear"}
    wanted |= {"lie-en": "price", "market-simulated-": "ETH/USDT:USDT"}
    assert {key: fields[key] for key in wanted} == wanted
    app.button(key="run-button").click().run()
    again = engine.record(str(app.query_params["run"][0] if isinstance(app.query_params["run"], list) else app.query_params["run"]))
    assert again.run_id != run_id
    assert again.request.model_copy(update={"propose": False}) == request.model_copy(update={"propose": False}), "the same once more"
    engine.wait(again.run_id, 60)
    app.run()
    app.button(key="new-run").click().run()
    assert not app.exception
    assert "Nothing waits" in page_of(app)
    assert "run" not in app.query_params
    app.run()
    assert "Nothing waits" in page_of(app), "until one is begun"
    app = start()
    app.query_params.clear()  # as a press in the navigation does
    app = app.switch_page("desks/equities/view.py").run()
    assert not app.exception
    assert app.number_input(key="equity-seed").value == 2


def test_the_title_of_the_tab_says_how_a_run_stands_in_the_language_of_the_page() -> None:
    def title(state: ShownState, language: Language = "en") -> str:
        return tab_title(run_title(state, "BTC/USDT:USDT", (3, 9), "short", Show(language=language)))

    assert title("running") == "… BTC 3/9 - Tribunal"
    assert title("waits") == "● BTC short to sign - Tribunal"
    assert title("waits", "zh") == "● BTC short 待签署 - Tribunal"
    assert title("finished") == "◆ BTC short - Tribunal"
    assert title("stopped") == "■ BTC stopped - Tribunal"
    assert short_subject("AAPL") == "AAPL"
    assert len(short_subject("What moves BTC/USDT funding this week, and why?")) == 28
    say = words_in("en")
    assert tab_title(WaitingCount(2, 0).words(say), "Approvals") == "2 wait - Approvals - Tribunal"
    assert tab_title(WaitingCount(1, 2).words(say), "Approvals") == "1 waits, 2 locked - Approvals - Tribunal"
    assert tab_title(WaitingCount(halted=2).words(say), "Approvals") == "2 halted - Approvals - Tribunal"
    assert tab_title(WaitingCount().words(say), "Approvals") == "Approvals - Tribunal"
