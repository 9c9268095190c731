"""A dossier on its way to another desk, with the market and the instant it was meant for."""

from datetime import UTC, datetime
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from pages.frame import shared_engine
from tests.conftest import ROOT
from tests.pages.desks.research.runs import AT, PLAN
from tests.pages.started import Start, page_of

NOW = datetime(2026, 5, 17, 9, tzinfo=UTC)


def asked(*names: str) -> list[str]:
    """The ids of finished plans, one about each name."""
    engine, question = shared_engine.get_engine(), PLAN["question"]
    plans = [{**PLAN, "question": f"{question} {name}"} for name in names]
    return [engine.wait(engine.start(engine.plans.request(plan=plan, at=AT)), 60).run_id for plan in plans]


def link_of(app: AppTest) -> str:
    """Where the dossier is handed to."""
    (button,) = [each for each in app.get("link_button") if "evidence=" in each.proto.url]
    return str(button.proto.url)


@pytest.mark.full
def test_a_dossier_goes_to_the_desk_market_and_instant_that_are_chosen(start: Start) -> None:
    app = start("research")
    (run_id,) = asked("alpha")
    app.query_params["run"] = run_id
    app.run()
    assert not app.exception
    result = shared_engine.get_engine().record(run_id).result
    assert result is not None
    dates = [each["as_of"] for each in result["statements"]]
    early = sum(date < "2026-05-16T10" for date in dates)
    assert 0 < early < len(dates)
    assert f"known by then and given</span><b>{len(dates)} / {len(dates)}" in page_of(app)
    assert link_of(app).startswith("./?"), "relative: a path that the server stands under is kept"
    app.text_input(key=f"attach-at-{run_id}").set_value("2026-05-16T10:00Z").run()
    assert f"given</span><b>{early} / {len(dates)}" in page_of(app), "what was measured at noon was not known at ten"
    assert f"dated later, or may be</span><b>{len(dates) - early}" in page_of(app)
    app.text_input(key=f"attach-at-{run_id}").set_value("2020-01-01").run()
    assert "None of it was known then" in page_of(app)
    assert next(each for each in app.get("link_button") if "evidence=" in each.proto.url).proto.disabled
    app.text_input(key=f"attach-at-{run_id}").set_value("soon").run()
    assert "cannot be read" in " ".join(str(each.value) for each in app.warning)
    app.text_input(key=f"attach-at-{run_id}").set_value("2026-05-16T12:00Z").run()
    app.selectbox(key="attach-market").select("ETH/USDT:USDT").run()
    query = dict(parse_qsl(urlsplit(link_of(app)).query))
    assert query == {"evidence": run_id, "symbol": "ETH/USDT:USDT", "at": "2026-05-16T12:00Z", "lang": "en"}
    desk = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=30)
    desk.query_params.update(query)
    desk.run()
    assert not desk.exception
    assert desk.text_input(key="at").value == "2026-05-16T12:00Z"
    assert [box.value for box in desk.selectbox if str(box.key).startswith("market-")] == ["ETH/USDT:USDT"]
    desk.text_input(key="at").set_value("").run()
    assert desk.text_input(key="at").value == "", "from then on the form is its reader's"
