"""A run of any flow has a page: its flow's own, or what every run has. One order of panels, on the page and in the saved file."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.api import Seat
from engine.desks import flows
from engine.domain.errors import BadInput
from engine.domain.run import RunRecord
from engine.domain.text.language import LANGUAGES, Language
from pages.desks import flow_pages, page_of_flow
from pages.desks.decision import panels
from pages.desks.decision.decision_reducer import reduce_decision
from pages.desks.decision.document import run_document
from pages.frame import shared_engine
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.run.generic_page import GenericPage, stages_panel
from pages.run.reducer import PLAIN
from tests.pages.event_log import Log
from tests.pages.events import RUNS
from tests.pages.reader import Reader
from tests.pages.started import AT, Start, filed, page_of
from tests.toy.flow import DIGGER, DUG, ToyFlow, ToyRequest, digger_says

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
@pytest.mark.usefixtures("_toy")
def test_the_page_of_runs_lists_every_flow_and_leads_to_its_page(start: Start) -> None:
    app = start()
    engine = shared_engine.get_engine()
    decided = engine.wait(engine.start(engine.decisions.request("BTC/USDT:USDT", seed=1, at=AT)), 60)
    first, second = told("what lies below?"), told("what lies above?")
    app = app.switch_page("views/runs.py").run()
    shown = page_of(app)
    for run_id in (decided.run_id, first.run_id, second.run_id):
        assert f"?run={run_id}&amp;" in shown
    assert "Once upon a time" in shown
    app.selectbox(key="flow-en").select("toy").run()
    assert not app.exception
    assert app.query_params["flow"] in ("toy", ["toy"])
    listed = next(body for body in page_of(app).split("</table>") if "tb-runs" in body)
    assert decided.run_id not in listed
    assert first.run_id in listed
    app.selectbox(key="first-run").select(first.run_id)
    app.selectbox(key="second-run").select(second.run_id).run()
    assert not app.exception
    assert "≠ run_id" in page_of(app)


@pytest.mark.full
@pytest.mark.usefixtures("_toy")
def test_such_a_run_is_asked_again_from_a_step_with_other_words(start: Start) -> None:
    app = start()
    record = told("what lies below?")
    app.query_params["run"] = record.run_id
    app.run()
    assert app.selectbox(key="again-node").options == ["Digger", "Teller"]
    app.checkbox(key="again-edit").check().run()
    app.text_area(key=f"again-text-{record.run_id}-teller").set_value("Nothing at all.").run()
    app.button(key="again-run").click().run()
    assert not app.exception
    engine = shared_engine.get_engine()
    again = engine.wait(str(app.query_params["run"]), 30)
    assert again.run_id != record.run_id
    assert again.request.origin is not None
    assert again.request.origin.run_id == record.run_id
    assert "Nothing at all." in page_of(app.run())


@pytest.mark.full
@pytest.mark.usefixtures("_toy")
@pytest.mark.parametrize(("language", "words"), [("en", "Ask Teller again"), ("zh", "重新询问teller")])
def test_a_step_that_gave_no_answer_is_asked_again_by_its_button(
    start: Start, monkeypatch: pytest.MonkeyPatch, language: str, words: str
) -> None:
    app = start(TRIBUNAL_LANGUAGE=language)
    with monkeypatch.context() as mute:
        mute.setattr(ToyFlow, "voices", lambda *_: {DIGGER: digger_says})
        record = told("what lies below?")
    assert record.result is not None
    assert record.result["is_valid"] is False
    app.query_params["run"] = record.run_id
    app.run()
    assert [str(button.key) for button in app.button if str(button.key).startswith("retry-")] == ["retry-teller"]
    assert app.button(key="retry-teller").label == words
    dug = list(DUG)
    app.button(key="retry-teller").click().run()
    assert not app.exception
    engine = shared_engine.get_engine()
    again = engine.wait(str(app.query_params["run"]), 30)
    assert again.request.origin is not None
    assert (again.request.origin.run_id, again.request.origin.from_node) == (record.run_id, "teller")
    assert again.result is not None
    assert (again.result["is_valid"], dug) == (True, DUG), "what was dug before stands"
    shown = page_of(app.run())
    assert "Once upon a time: found layer 0 and layer 1" in shown
    assert not [button for button in app.button if str(button.key).startswith("retry-")]


@pytest.mark.full
@pytest.mark.usefixtures("_toy")
@pytest.mark.parametrize("language", LANGUAGES)
def test_such_a_run_is_saved_with_its_panels_in_the_order_of_the_page(start: Start, language: Language) -> None:
    start()
    record, page = told(), GenericPage("toy")
    view, show = PLAIN.reduce(shared_engine.get_engine().events(record.run_id)), Show(language=language)
    saved = page.document(record, view, show, "green-up")
    assert "<img" not in saved
    assert "what &lt;img" in saved
    at = [saved.index(str(panel.build(view, show))) for panel in page.panels if panel.build(view, show)]
    assert len(at) >= 4
    assert at == sorted(at)


def test_stages_are_those_of_the_seats_before_anybody_reaches_them() -> None:
    seats = {role: Seat(role, role, stage, {"en": role, "zh": role}) for role, stage in (("bull", "debate"), ("executor", "last"))}
    log = Log()
    log.start()
    assert stages_panel(PLAIN.reduce(log.events), Show(), seats) == ""
    log.add("node.started", "bull", stage="other")
    words = Reader(stages_panel(PLAIN.reduce(log.events), Show(), seats)).text
    assert words.index("debate") < words.index("last")
    assert "other" not in words
    assert "waiting" in words


@pytest.mark.full
def test_such_a_page_starts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIBUNAL_HOME", str(tmp_path / "home"))
    assert GenericPage("toy").compare(*[RunRecord.model_construct(result=None)] * 2, Show()) == ""
    with pytest.raises(BadInput, match="toy"):
        raise_request()


def raise_request() -> None:
    from streamlit.testing.v1 import AppTest

    def form() -> None:
        import streamlit as st

        from engine.api import Engine
        from pages.run.generic_page import GenericPage

        try:
            GenericPage("toy").draw_form(Engine()).request()
        except Exception as problem:
            st.text(str(problem))

    app = AppTest.from_function(form, default_timeout=30).run()
    assert not app.exception
    raise BadInput(app.text[0].value)


@pytest.mark.full
def test_page_and_saved_file_have_the_panels_in_one_order(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    marked = tuple(replace(panel, build=lambda *_, name=panel.name: markup("<i>panel-{}</i>", name)) for panel in panels.PANELS)
    monkeypatch.setattr(panels, "PANELS", marked)
    app = start()
    app.query_params["run"] = filed(shared_engine.get_engine()).basis.run_id
    app.run()
    names = [f"<i>panel-{panel.name}</i>" for panel in panels.PANELS]
    saved = run_document(reduce_decision(RUNS["entry"]()), Show(), None, "green-up", at=datetime(2026, 11, 1, 8, tzinfo=UTC))
    assert [saved.index(name) for name in names] == sorted(saved.index(name) for name in names)
    for column in ("main", "side", "foot"):
        drawn = [page_of(app).index(f"<i>panel-{panel.name}</i>") for panel in panels.PANELS if panel.column == column]
        assert drawn == sorted(drawn)
