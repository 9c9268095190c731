"""The page of the equities desk over a real run: what was filed is signed or rejected there, and looked back at."""

from datetime import date

import pytest

from engine.domain.proposal import Proposal
from engine.llm.protocol import ModelCall, Script
from pages.frame import shared_engine
from tests.flows.equities.played import VIEW, Says
from tests.pages.desks.equities.runs import say, silent, view_of
from tests.pages.started import Start, keyed, page_of

DAY = date(2024, 3, 5)


def first_silent() -> Says:
    """A role that has no words the first time it is asked, and a view from then on."""
    asked: list[str] = []

    def speak(call: ModelCall) -> Script:
        asked.append(call.where)
        return Script(VIEW if call.where.endswith("_again") else "")

    return speak


def filed_shares() -> Proposal:
    """A proposal for shares that waits."""
    engine = shared_engine.get_engine()
    for symbol in ("AAPL", "MSFT", "JPM", "XOM", "AMZN"):
        request = engine.equities.request(symbol, trade_date=date(2026, 11, 20), session="post_close", propose=True)
        proposal = engine.trading.proposal_of(engine.wait(engine.start(request), 60).run_id)
        if proposal is not None and proposal.is_waiting:
            return proposal
    pytest.fail("no company with something to decide")


@pytest.mark.parametrize(("press", "state"), [("approve-", ("filled", "sent", "approved")), ("open-rejects-", ("pending",))])
def test_an_order_for_shares_is_answered_on_the_page(start: Start, press: str, state: tuple[str, ...]) -> None:
    app = start()
    proposal = filed_shares()
    app.query_params["run"] = proposal.basis.run_id
    app.run()
    assert not app.exception
    shown = page_of(app)
    for words in ("Research debate, checked", "Risk debate, checked", "Account and the largest order", proposal.basis.symbol):
        assert words in shown
    assert "cannot be shown" not in shown
    app.run()  # with the price of now
    keyed(app, press).click().run()
    assert not app.exception
    answered = shared_engine.get_engine().trading.proposal(proposal.id)
    assert answered.state in state


@pytest.mark.full
def test_a_past_moment_of_a_run_has_no_signature(start: Start) -> None:
    app = start()
    run_id = filed_shares().basis.run_id
    app.query_params["run"] = run_id
    app.run()
    count = len(shared_engine.get_engine().events(run_id))
    app.slider(key=f"moment-{run_id}-{count}").set_value(count - 1).run()
    assert not app.exception
    assert "tb-moment" in page_of(app)
    assert [button for button in app.button if str(button.key).startswith("approve-")] == []


@pytest.mark.full
def test_a_run_is_asked_again_from_a_step_with_other_words(start: Start) -> None:
    app = start()
    engine = shared_engine.get_engine()
    asked = engine.equities.request("AAPL", trade_date=DAY, session="post_close")
    record = engine.wait(engine.start(asked), 60)
    app.query_params["run"] = record.run_id
    app.run()
    assert app.selectbox(key="again-node").options == [
        *("Market", "News", "Sentiment", "Fundamentals"),
        *("Bull researcher", "Bear researcher", "Research manager", "Risky", "Safe", "Neutral", "Risk judge", "Trader"),
    ]
    assert not [button for button in app.button if str(button.key).startswith("retry-")], "everybody has answered"
    app.selectbox(key="again-node").select("risk_judge")
    app.checkbox(key="again-edit").check().run()
    ruled = app.text_area(key=f"again-text-{record.run_id}-risk_judge")
    assert "[Final decision]" in str(ruled.value), "what the judge said stands there to be changed"
    ruled.set_value("Nothing today.\n\n[Final decision]\naction: HOLD\nquantity: 0\nconfidence: 51\n").run()
    app.button(key="again-run").click().run()
    assert not app.exception
    again = engine.wait(str(app.query_params["run"]), 60)
    assert again.request.origin is not None
    assert again.request.origin.run_id == record.run_id
    assert again.result is not None
    assert again.result["order"] is None
    assert "Nothing today." in page_of(app.run())


@pytest.mark.full
def test_an_analyst_that_failed_twice_is_asked_again_by_one_button(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    app = start()
    engine = shared_engine.get_engine()
    with monkeypatch.context() as patched:
        say(patched, market=silent, news=first_silent())
        record = engine.wait(engine.start(engine.equities.request("AAPL", trade_date=DAY, session="post_close")), 60)
    app.query_params["run"] = record.run_id
    app.run()
    assert {node.state for node in view_of(engine.events(record.run_id)).nodes.values() if node.name.startswith("news")} >= {"done"}
    retries = [(str(button.key), button.label) for button in app.button if str(button.key).startswith("retry-")]
    assert retries == [("retry-market", "Ask Market again")]
    app.button(key="retry-market").click().run()
    assert not app.exception
    again = engine.wait(str(app.query_params["run"]), 60)
    assert again.result is not None
    assert again.result["analysts"]["market"]["status"] == "done"


@pytest.mark.full
@pytest.mark.parametrize(("language", "session", "preset"), [("en", "Pre-open", "Index · 5"), ("zh", "盘前", "指数 · 5")])
def test_the_form_is_set_with_segments_and_one_of_each_is_always_chosen(start: Start, language: str, session: str, preset: str) -> None:
    app = start("equities", TRIBUNAL_LANGUAGE=language)
    parts = {name: app.button_group(key=f"equity-{name}-{language}") for name in ("session", "preset-stock", "depth")}
    assert [part.value for part in parts.values()] == ["post_close", "stock", "1"]
    assert session in str(parts["session"].options)
    assert preset in str(parts["preset-stock"].options)
    parts["depth"].set_value("3").run()
    assert not app.exception
    assert {"en": "6", "zh": "6"}[language] in page_of(app)
    parts["depth"].set_value(None).run()
    assert not app.exception


@pytest.mark.full
@pytest.mark.parametrize(("language", "bought"), [("en", "Trader"), ("zh", "交易员")])
def test_what_was_argued_stands_beside_the_order_in_the_queue(start: Start, language: str, bought: str) -> None:
    app = start(TRIBUNAL_LANGUAGE=language)
    proposal = filed_shares()
    app = app.switch_page("views/approvals.py").run()
    assert not app.exception
    shown = page_of(app)
    assert 'class="tb-brief"' in shown
    assert bought in shown
    assert proposal.basis.symbol in shown
    drawn = [each for each in app.get("bidi_component") if "plan-chart" in str(each.proto)]
    assert drawn, "the company's chart, with the plan"
