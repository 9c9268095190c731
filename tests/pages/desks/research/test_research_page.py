"""The page over real runs: its dossiers, and a dossier on its way to another desk, with the market and the instant it was meant for."""

from datetime import UTC, datetime
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from engine.domain.run import RunSummary
from pages.desks.research.dossiers import DossierLine, dossier_list
from pages.frame import shared_engine
from pages.frame.show import Show
from tests.conftest import ROOT
from tests.pages.desks.research.runs import AT, EVIL, PLAN
from tests.pages.reader import Reader
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


@pytest.mark.full
def test_a_dossier_goes_to_the_equities_desk_with_a_date(start: Start) -> None:
    app = start("research")
    (run_id,) = asked("alpha")
    app.query_params["run"] = run_id
    app.run()
    next(each for each in app.get("button_group") if "attach-desk" in each.proto.id).set_value("rs_to_equities").run()
    assert not app.exception
    app.date_input(key="attach-date").set_value(datetime(2026, 5, 15, tzinfo=UTC).date()).run()
    assert "2026-05-15 20:00 UTC" in page_of(app), "the close of that session"
    query = dict(parse_qsl(urlsplit(link_of(app)).query))
    assert link_of(app).startswith("./equities?")
    assert query == {"evidence": run_id, "symbol": "AAPL", "date": "2026-05-15", "session": "post_close", "lang": "en"}


@pytest.mark.full
def test_dossiers_stand_beside_the_form_and_words_find_them(start: Start) -> None:
    app = start("research")
    assert 'class="tb tb-dossiers"' not in page_of(app)
    runs = asked("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota")
    app.query_params["run"] = runs[0]
    app.run()
    html = page_of(app)
    assert html.count('class="s">statements: ') == 9
    assert f'run={runs[0]}&amp;lang=en" target="_self" aria-current="page"' in html
    app.text_input(key="research-find-en").set_value("FUNDING zeta").run()
    assert page_of(app).count('class="s">statements: ') == 1
    app.text_input(key="research-find-en").set_value("nowhere").run()
    assert "None with these words." in page_of(app)


def test_a_line_of_the_list_says_how_it_stands() -> None:
    def run(status: str, is_valid: bool | None = True) -> RunSummary:
        at = datetime(2026, 5, 16, 8, 6, tzinfo=UTC)
        fields = {
            "run_id": "r-1",
            "flow": "plan",
            "created_at": at,
            "finished_at": None,
            "status": status,
            "subject": EVIL,
            "headline": None,
        }
        return RunSummary.model_validate({**fields, "is_valid": is_valid, "duration_ms": None, "error": None})

    lines = [DossierLine(run("finished"), 9, 2, 0.67), DossierLine(run("running", None)), DossierLine(run("finished", False))]
    page = Reader(dossier_list(lines, 20, Show(), "r-1", NOW))
    for words in ("statements: 9 · 2 ? · 67\u2009%", "05-16", "running", "not valid", "older ones: 17", EVIL):
        assert words in page.text
    assert "img" not in page.tags
