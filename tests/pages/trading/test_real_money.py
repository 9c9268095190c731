"""Pages behind a login, and those that could order with real money."""

from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.api import Engine
from pages.frame import login, shared_engine
from tests.conftest import ROOT
from tests.pages.started import Start, filed, keyed, page_of

LIVE = {"TRIBUNAL_BROKER": "exchange", "TRIBUNAL_LIVE": "yes", "TRIBUNAL_FEED": "live"}


def words_of(said: str) -> str:
    """The words of this start, as the terminal showed them."""
    lines = said.splitlines()  # a logger of another library may write there too
    return lines[[line.startswith("TRIBUNAL_LIVE=yes: ") for line in lines].index(True) + 1].strip()


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
    trading = shared_engine.get_engine().trading
    for wrong in ("yes please", "I trade real money"):
        type_words(app, "live", wrong)
        assert trading.asks_live
        assert app.error
    type_words(app, "live", f"  {words.upper()} ")
    assert trading.is_live
    assert ">LIVE<" in page_of(app)
    assert len(words.split()) == 4
    assert words not in shown + page_of(app)
    assert words not in str(vars(trading)) + str(vars(shared_engine.get_engine()))
    for path in (tmp_path / "home").rglob("*"):
        assert not path.is_file() or words.encode() not in path.read_bytes(), path


def test_a_halt_is_lifted_with_the_words_while_orders_are_real(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    app = start(**LIVE)
    words = words_of(capsys.readouterr().err)
    app.button(key="halt").click().run()
    trading = shared_engine.get_engine().trading
    type_words(app, "unhalt", "let me")
    assert trading.halted() is not None, "nobody has typed them"
    type_words(app, "unhalt", words)
    assert trading.halted() is None
    assert trading.asks_live, "that was another question"


def test_without_a_login_nothing_is_shown_and_with_one_its_name_signs(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    app = start()
    proposal = filed(shared_engine.get_engine())
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
    app.run()
    keyed(app, "approve-").click().run()
    after = shared_engine.get_engine().trading.proposal(proposal.id)
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


@pytest.mark.parametrize("address", ["127.0.0.1", "[::1]"])
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
