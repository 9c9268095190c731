"""A run of any flow has a page: its flow's own, or what every run has. One order of panels, on the page and in the saved file."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from engine.desks import flows
from engine.domain.run import RunRecord
from pages.desks import flow_pages, page_of_flow
from pages.desks.decision import panels
from pages.desks.decision.decision_view import DECISION
from pages.frame import shared_engine
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.run.generic_page import GenericPage
from tests.pages.events import RUNS
from tests.pages.saved import run_document
from tests.pages.started import Start, filed, page_of
from tests.toy.flow import ToyFlow, ToyRequest

HOSTILE = "what <img src=x onerror=alert(1)> lies below?"


@pytest.fixture
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(flows(), "toy", ToyFlow())  # type: ignore[arg-type]


def told(question: str = HOSTILE) -> RunRecord:
    engine = shared_engine.get_engine()
    return engine.wait(engine.start(ToyRequest(question=question)), 30)


def test_every_flow_of_this_installation_has_a_page_and_any_other_the_generic_one() -> None:
    own = {name for name, flow in flows().items() if type(flow).__module__.startswith("engine.desks.")}  # another test may add its toys
    assert set(flow_pages()) == own
    assert isinstance(page_of_flow("toy"), GenericPage)
    assert {name: page.flow for name, page in flow_pages().items()} == {name: name for name in flow_pages()}


@pytest.mark.full
@pytest.mark.usefixtures("_toy")
@pytest.mark.parametrize(("language", "said"), [("en", "What was said"), ("zh", "发言记录")])
def test_a_run_of_a_flow_without_a_page_is_shown_by_what_every_run_has(start: Start, language: str, said: str) -> None:
    app = start(TRIBUNAL_LANGUAGE=language)
    record = told()
    assert record.result is not None
    app.query_params["run"] = record.run_id
    app.run()
    assert not app.exception
    shown = page_of(app)
    for words in (
        said,
        "what &lt;img",
        "Once upon a time: found layer 0 and layer 1",
        *({"en": ("Digger", "Teller"), "zh": ("digger", "teller")}[language]),
        'class="tb-tl"',
        record.run_id,
    ):
        assert words in shown, words
    for foreign in ("<img", "Analysts", "分析师", "WAIT", "cannot be shown", "无法显示"):
        assert foreign not in shown, foreign
    files = str(app.get("download_button"))
    assert "save-bundle" in files
    assert "save-page" in files
    count = len(shared_engine.get_engine().events(record.run_id))
    app.slider(key=f"moment-{record.run_id}-{count}").set_value(count - 1).run()
    assert not app.exception
    assert "tb-moment" in page_of(app)


@pytest.mark.full
def test_page_and_saved_file_have_the_panels_in_one_order(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    marked = tuple(replace(panel, build=lambda *_, name=panel.name: markup("<i>panel-{}</i>", name)) for panel in panels.PANELS)
    monkeypatch.setattr(page_of_flow("decision"), "panels", marked)
    app = start()
    app.query_params["run"] = filed(shared_engine.get_engine()).basis.run_id
    app.run()
    names = [f"<i>panel-{panel.name}</i>" for panel in panels.PANELS]
    saved = run_document(DECISION.reduce(RUNS["entry"]()), Show(), None, "green-up", at=datetime(2026, 11, 1, 8, tzinfo=UTC))
    assert [saved.index(name) for name in names] == sorted(saved.index(name) for name in names)
    for column in ("main", "side", "foot"):
        drawn = [page_of(app).index(f"<i>panel-{panel.name}</i>") for panel in panels.PANELS if panel.column == column]
        assert drawn == sorted(drawn)
