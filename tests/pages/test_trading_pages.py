"""The pages behind a login, a kill switch and a signature, without a browser. Nothing ticks here: a second run is a second look."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.api import Change, Engine, Preview
from engine.approvals.approval_service import Answers
from engine.approvals.checks import Now
from engine.approvals.filing import plan_figures
from engine.domain.errors import BrokerUnreachable
from engine.domain.proposal import Proposal
from engine.domain.risk import RiskConfig
from engine.settings import Settings
from pages.frame import login, numbers, shared_engine
from tests.conftest import ROOT
from tests.pages.reader import Reader
from tests.servers.exchange import LoopbackExchange
from tests.servers.exchange_account import API_KEY, SECRET

AT = "2026-11-01T08:00:00Z"
PAGES = ("desk", "approvals", "positions", "runs", "settings")

Start = Callable[..., AppTest]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts the app under settings of its own; its engine ends with the test."""
    monkeypatch.setitem(Settings.model_config, "env_file", None)
    st.cache_resource.clear()
    st.cache_data.clear()

    def started(page: str = "", **settings: str) -> AppTest:
        given = {"TRIBUNAL_HOME": str(tmp_path / "home"), "TRIBUNAL_PACE": "0", "TRIBUNAL_OPERATOR": "op-1", **settings}
        for name, value in given.items():
            monkeypatch.setenv(name, value)
        app = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=30).run()
        return app.switch_page(f"views/{page}.py").run() if page else app

    yield started
    shared_engine.open_door().close()
    st.cache_resource.clear()
    st.cache_data.clear()


def page_of(app: AppTest) -> str:
    """All the HTML on the page."""
    return "\n".join(str(element.proto.body) for element in app.get("html"))


def keyed(app: AppTest, start: str) -> Any:
    """The button whose key begins so."""
    return next(button for button in app.button if str(button.key).startswith(start))


def filed(engine: Engine) -> Proposal:
    """A proposal that waits, of a market in which there was something to decide."""
    for seed in range(300, 400):
        request = engine.decisions.request("BTC/USDT:USDT", seed=seed, propose=True, at=AT)
        proposal = engine.trading.proposal_of(engine.wait(engine.start(request), 60).run_id)
        if proposal is not None and proposal.is_waiting:
            return proposal
    pytest.fail("no market with something to decide")


@pytest.mark.parametrize("page", PAGES)
def test_every_page_says_where_orders_go_and_can_halt_trading(start: Start, page: str) -> None:
    app = start(page)
    assert not app.exception
    assert ">Paper<" in page_of(app)
    app.button(key="halt").click().run()
    assert not app.exception
    assert "Trading is halted: op-1" in page_of(app)
    app.text_input(key="halt-why").input("news at <b>noon</b>").run()
    assert "news at &lt;b&gt;noon&lt;/b&gt;" in page_of(app)
    halted = shared_engine.open_door().trading.halted()
    assert halted is not None
    assert halted.why == "news at <b>noon</b>"
    app.button(key="unhalt").click().run()
    assert shared_engine.open_door().trading.halted() is None
    assert "Trading is halted" not in page_of(app)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("damage", ["deleted", "emptied head"])
def test_a_journal_that_was_taken_away_is_said_on_every_page_and_trading_can_be_halted(start: Start, page: str, damage: str) -> None:
    app = start(page)
    assert "The journal cannot be written" not in page_of(app)
    home = shared_engine.open_door().settings.home
    if damage == "deleted":
        (home / "tribunal.db").unlink()
    else:
        (home / "audit.head").write_text("")
    app.run()
    assert not app.exception
    assert "The journal cannot be written" in page_of(app)
    assert ("was deleted or replaced" if damage == "deleted" else "audit.head is missing or damaged") in page_of(app)
    app.button(key="halt").click().run()
    assert not app.exception
    assert "Trading is halted: op-1" in page_of(app)
    app.button(key="unhalt").click().run()
    assert not app.exception
    assert "Trading is halted: op-1" in page_of(app), "it is not allowed again while the journal cannot be written"
    assert (home / "tribunal.db").exists() == (damage != "deleted")


def test_a_proposal_is_approved_from_the_queue_and_told(start: Start) -> None:
    app = start("approvals")
    assert "Nothing to sign." in page_of(app)
    assert "Nothing has been answered today." in page_of(app)
    proposal = filed(shared_engine.open_door())
    app.run()
    assert "waits for you" in page_of(app)
    assert "equity" not in page_of(app), "the market is not asked before it has been painted"
    app.run()
    assert "equity" in page_of(app)
    assert "The argument in three lines" in page_of(app)
    keyed(app, "approve-").click().run()
    assert not app.exception
    assert "Approved and filled." in page_of(app)
    assert shared_engine.open_door().trading.proposal(proposal.id).state == "filled"
    assert not [button for button in app.button if str(button.key).startswith("approve-")]


def test_a_change_is_answered_at_once_and_signed_under_its_own_hash(start: Start) -> None:
    app = start("approvals")
    engine = shared_engine.open_door()
    proposal = filed(engine)
    app.run()
    app.run()
    size = next(each for each in app.number_input if "amount" in str(each.key))
    size.set_value(float(size.value) / 2).run()
    assert "<s>" in page_of(app), "what it was"
    assert keyed(app, "approve-").label == "✓ Approve with your changes"
    keyed(app, "machine-").click().run()
    assert keyed(app, "approve-").label in {"✓ Approve long", "✓ Approve short"}
    size = next(each for each in app.number_input if "amount" in str(each.key))
    size.set_value(float(proposal.plan.amount) * 50).run()
    assert "✕" in page_of(app)
    assert keyed(app, "approve-").disabled, "a limit is breached"
    size = next(each for each in app.number_input if "amount" in str(each.key))
    size.set_value(float(proposal.plan.amount) / 2).run()
    keyed(app, "approve-").click().run()
    after = engine.trading.proposal(proposal.id)
    assert (after.state, after.is_edited) == ("filled", True)
    assert after.signatures[-1].hash == after.hash


def test_a_second_press_of_the_same_button_is_no_second_order(start: Start) -> None:
    app = start("approvals")
    engine = shared_engine.open_door()
    proposal = filed(engine)
    app.run()
    app.run()
    button = keyed(app, "approve-")
    engine.trading.approve(proposal.id, "op-1", proposal.hash)  # the same person's other press was quicker
    button.click().run()
    assert not app.exception
    assert "Approved and filled." in page_of(app)
    assert len(engine.trading.proposal(proposal.id).order_ids) == 1


def test_who_comes_second_is_told_who_was_first(start: Start) -> None:
    app = start("approvals")
    engine = shared_engine.open_door()
    proposal = filed(engine)
    app.run()
    app.run()
    button = keyed(app, "approve-")
    engine.trading.reject(proposal.id, "op-2", "too late")
    button.click().run()
    assert "Answered already: rejected by op-2" in page_of(app)
    assert engine.trading.proposal(proposal.id).order_ids == ()


def test_a_halted_desk_refuses_a_signature_and_says_why(start: Start) -> None:
    app = start()
    proposal = filed(shared_engine.open_door())
    app.query_params["run"] = proposal.basis.run_id
    app.run()
    assert not keyed(app, "approve-").disabled
    app.button(key="halt").click().run()
    assert keyed(app, "approve-").disabled
    assert "locked: trading is halted" in page_of(app)


def test_two_people_sign_what_is_large(start: Start) -> None:
    app = start("approvals", TRIBUNAL_TWO_SIGN_ABOVE="1")
    engine = shared_engine.open_door()
    proposal = filed(engine)
    app.run()
    assert "0 of 2 signatures" in page_of(app)
    keyed(app, "approve-").click().run()
    assert "Signed: 1 of 2." in page_of(app)
    assert "You have signed it already" in page_of(app)
    assert keyed(app, "approve-").disabled
    engine.trading.approve(proposal.id, "op-2", proposal.hash)
    app.run()
    assert engine.trading.proposal(proposal.id).state == "filled"


def test_not_to_know_what_is_held_is_no_empty_list(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    app = start("positions")
    assert "No open position." in page_of(app)

    def unreachable() -> list[Any]:
        raise BrokerUnreachable("nothing listens at the exchange")

    monkeypatch.setattr(shared_engine.open_door().trading, "positions", unreachable)
    st.cache_data.clear()
    app.run()
    assert "What is held cannot be said" in page_of(app)
    assert "nothing listens at the exchange" in page_of(app)
    assert "No open position." not in page_of(app)


LIVE = {"TRIBUNAL_BROKER": "exchange", "TRIBUNAL_LIVE": "yes", "TRIBUNAL_FEED": "live"}


def words_of(said: str) -> str:
    """The words of this start, as the terminal showed them."""
    return next(line.strip() for line in said.splitlines() if line.startswith("    "))


def type_words(app: AppTest, field: str, typed: str) -> None:
    """Type them and press the button of their form."""
    app.text_input(key=f"{field}-typed").input(typed)
    app.button(key="live-confirm" if field == "live" else field).click().run()
    assert not app.exception


def test_settings_show_no_secret_and_real_money_wants_the_words_of_the_terminal(
    start: Start, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    secrets = {"TRIBUNAL_API_KEY": "canary-1", "TRIBUNAL_API_SECRET": "canary-2", "OPENAI_API_KEY": "canary-3"}
    app = start("settings", **LIVE, **secrets)
    assert not app.exception
    words = words_of(capsys.readouterr().err)
    shown = page_of(app)
    assert "canary" not in shown
    assert "LIVE, not confirmed" in shown
    assert "Real orders wait for your confirmation." in shown
    trading = shared_engine.open_door().trading
    for wrong in ("yes please", "I trade real money"):
        type_words(app, "live", wrong)
        assert trading.asks_live
        assert app.error
    type_words(app, "live", f"  {words.upper()} ")
    assert trading.is_live
    assert ">LIVE<" in page_of(app)
    assert len(words.split()) == 4
    assert words not in shown + page_of(app)
    assert words not in str(vars(trading)) + str(vars(shared_engine.open_door()))
    for path in (tmp_path / "home").rglob("*"):
        assert not path.is_file() or words.encode() not in path.read_bytes(), path


def test_a_halt_is_lifted_with_the_words_while_orders_are_real(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    app = start(**LIVE)
    words = words_of(capsys.readouterr().err)
    app.button(key="halt").click().run()
    trading = shared_engine.open_door().trading
    type_words(app, "unhalt", "let me")
    assert trading.halted() is not None, "nobody has typed them"
    type_words(app, "unhalt", words)
    assert trading.halted() is None
    assert trading.asks_live, "that was another question"


def test_without_a_login_nothing_is_shown_and_with_one_its_name_signs(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    app = start()
    proposal = filed(shared_engine.open_door())
    monkeypatch.setattr(login, "asks_login", lambda: True)
    stranger = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=30)
    stranger.query_params["run"] = proposal.basis.run_id
    stranger.run()
    assert not stranger.exception
    assert [button.key for button in stranger.button] == ["login"]
    assert "Log in to go on" in page_of(stranger)
    for word in (proposal.id, proposal.basis.run_id, "BTC", "Halt"):
        assert word not in page_of(stranger)
    app.user = {"is_logged_in": True, "email": "ada@example.org"}
    app.query_params["run"] = proposal.basis.run_id
    app.run()
    keyed(app, "approve-").click().run()
    after = shared_engine.open_door().trading.proposal(proposal.id)
    assert [each.who for each in after.signatures] == ["ada@example.org"]


def test_a_server_open_to_all_warns_on_paper_and_refuses_real_money(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login, "bound_to", lambda: "0.0.0.0")
    app = start()
    assert "no login is configured" in page_of(app)
    assert app.button
    st.cache_resource.clear()
    live = start(TRIBUNAL_BROKER="exchange", TRIBUNAL_LIVE="yes", TRIBUNAL_FEED="live")
    assert "Live trading is not opened here." in page_of(live)
    assert not live.button


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "::1", "[::1]"])
def test_the_own_machine_is_not_open_to_all(monkeypatch: pytest.MonkeyPatch, make_engine: Callable[..., Engine], address: str) -> None:
    monkeypatch.setattr(login, "bound_to", lambda: address)
    assert not login.is_open_to_all(make_engine())
    assert not login.is_open_to_all(make_engine(public_url="http://localhost:8601")), "a port that leads here"
    assert login.is_open_to_all(make_engine(public_url="https://desk.example")), "a proxy lets others in"


def test_real_money_behind_a_proxy_wants_a_login(start: Start) -> None:
    live = {"TRIBUNAL_BROKER": "exchange", "TRIBUNAL_LIVE": "yes", "TRIBUNAL_FEED": "live"}
    app = start(TRIBUNAL_PUBLIC_URL="https://desk.example", **live)
    assert "Live trading is not opened here." in page_of(app)
    assert not app.button


@pytest.fixture
def venue() -> Iterator[LoopbackExchange]:
    with LoopbackExchange() as made:
        yield made


@pytest.mark.parametrize("page", PAGES)
def test_every_page_says_that_a_position_has_no_stop(start: Start, venue: LoopbackExchange, page: str) -> None:
    keys = {"TRIBUNAL_API_KEY": API_KEY, "TRIBUNAL_API_SECRET": SECRET, "TRIBUNAL_EXCHANGE_URL": venue.url}
    venue.account.open_position("BTCUSDT", "0.1", "60000")
    app = start(page, TRIBUNAL_BROKER="exchange", TRIBUNAL_FEED="live", **keys)
    trading = shared_engine.open_door().trading
    trading.guard()
    app.run()
    assert not app.exception
    assert "NO STOP: BTC/USDT:USDT" in page_of(app)
    if page == "positions":
        st.cache_data.clear()
        app.run()
        assert "nothing that stands at the exchange closes all of it" in page_of(app)
    app.session_state["language"] = "zh"
    app.run()
    assert "无止损：BTC/USDT:USDT" in page_of(app)
    venue.account.add_algo("BTCUSDT", "SELL", "STOP_MARKET", "50000", "web_stranger")
    trading.guard()
    app.run()
    assert "无止损：BTC/USDT:USDT" not in page_of(app)


def test_in_chinese(start: Start) -> None:
    app = start("approvals")
    filed(shared_engine.open_door())
    app.query_params["lang"] = "zh"
    app.session_state["language"] = "zh"
    app.run()
    app.run()
    for words in ("审批", "待你签署", "三句话看懂争论", "今日答复", "模拟盘"):
        assert words in page_of(app), words
    assert keyed(app, "approve-").label.startswith("✓ 批准")


def moving(engine: Engine) -> Proposal:
    """A proposal that waits in a market that goes on."""
    for seed in range(300, 400):
        request = engine.decisions.request("BTC/USDT:USDT", seed=seed, propose=True, risk=RiskConfig(max_drift_atr=50))
        proposal = engine.trading.proposal_of(engine.wait(engine.start(request), 60).run_id)
        if proposal is not None and proposal.is_waiting:
            return proposal
    pytest.fail("no market with something to decide")


def numbers_of(html: str) -> str:
    return " ".join(" ".join(Reader(html).words).split())


def row_of(html: str, name: str) -> list[str]:
    """The cells of a row of the comparison: machine, yours, change."""
    row = html.partition(f"<td>{name}</td>")[2].partition("</tr>")[0]
    return ["".join(Reader(cell + "</td>").words) for cell in row.split("</td>")[:-1]]


def test_bar_form_and_card_say_the_same_at_the_same_second(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    app = start()
    engine = shared_engine.open_door()
    proposal = moving(engine)
    step = float(proposal.basis.terms.price_step)
    prices = itertools.count(proposal.basis.price + 20 * step, 7 * step)  # every look at the market finds another price
    ask = Answers.preview

    async def drifting(answers: Answers, proposal_id: str, change: Change, world: Now | None = None) -> Preview:
        found = world or replace((await ask(answers, proposal_id, change)).now, price=next(prices))
        return await ask(answers, proposal_id, change, found)

    monkeypatch.setattr(Answers, "preview", drifting)
    app.query_params["run"] = proposal.basis.run_id
    app.run().run()
    keyed(app, "open-edits").click().run()
    stop = next(each for each in app.number_input if "stop" in str(each.key))
    stop.set_value(float(stop.value) + (step * 30 if proposal.plan.side == "buy" else -step * 30)).run()
    assert not app.exception
    blocks = [str(element.proto.body) for element in app.get("html")]
    bar = next(html for html in blocks if "tb-verdict" in html)
    table = next(html for html in blocks if "tb-change" in html)
    loss, gain, ratio = (
        row_of(table, name)[1] for name in ("Loss at stop, costs in", "Gain at target, costs in", "Reward : risk, after costs")
    )
    told = numbers_of(bar)
    assert f"{loss.partition(' ')[0]} / {gain.partition(' ')[0]}" in told, "the bar shows what the button signs"
    assert f"Reward : risk {ratio} after costs" in told.replace("! ", "")
    assert "decided:" in told
    price = table.partition("All of it at ")[2].partition(", ")[0]
    assert price in told
    machine = row_of(table, "Loss at stop, costs in")[0]
    same = plan_figures(proposal.machine, proposal.basis, float(price.replace(",", "")))
    assert machine.partition(" ")[0] == numbers.signed(-float(same.loss_at_stop or 0), 1), "both plans in one world"
    seen = engine.trading.preview(proposal.id, Change())
    assert machine != loss
    assert float(machine.partition(" ")[0].replace(",", "").replace("−", "-")) != -float(proposal.figures.loss_at_stop or 0)
    assert seen.figures.price != proposal.figures.price


def test_what_was_filled_stands_in_the_bar_and_not_the_old_entry(start: Start) -> None:
    app = start()
    engine = shared_engine.open_door()
    proposal = filed(engine)
    engine.trading.approve(proposal.id, "op-1", proposal.hash)
    filled = engine.trading.filled(proposal.id)
    assert filled is not None
    assert filled.report.price is not None
    app.query_params["run"] = proposal.basis.run_id
    app.run()
    told = numbers_of(next(html for html in (str(each.proto.body) for each in app.get("html")) if "tb-verdict" in html))
    step = float(proposal.basis.terms.price_step)
    assert f"Filled at {numbers.price(float(filled.report.price), step)}" in told
    assert f"{numbers.signed(-float(filled.slipped), 2)} USDT against" in told
    assert "Entry" not in told
    table = next(html for html in (str(each.proto.body) for each in app.get("html")) if "<li>Entry" in html)
    assert f"<li>Entry {numbers.price(float(filled.report.price), step)}" in table, "the chart's entry is the price it was filled at"
    assert engine.trading.filled(filed(engine).id) is None
