"""What every page says and offers: where orders go, the kill switch, a journal that is gone, a position without its stop."""

from collections.abc import Iterator

import pytest
import streamlit as st

from pages.frame import shared_engine
from tests.pages.started import PAGES, Start, page_of, script_of
from tests.servers.exchange import LoopbackExchange
from tests.servers.exchange_account import API_KEY, SECRET


def test_every_page_says_where_orders_go_and_can_halt_trading(start: Start) -> None:
    app = start()
    trading = shared_engine.get_engine().trading
    for page in PAGES:
        app = app.switch_page(script_of(page)).run()
        assert not app.exception
        assert [each.value for each in app.markdown] == [], "what describes the code is no part of the page"
        assert ">Paper<" in page_of(app)
        app.button(key="halt").click().run()
        assert not app.exception
        assert "Trading is halted: op-1" in page_of(app)
        if page == PAGES[0]:
            app.text_input(key="halt-why").input("news at <b>noon</b>").run()
            assert "news at &lt;b&gt;noon&lt;/b&gt;" in page_of(app)
            halted = trading.halted()
            assert halted is not None
            assert halted.why == "news at <b>noon</b>"
        app.button(key="unhalt").click().run()
        assert trading.halted() is None
        assert "Trading is halted" not in page_of(app)


@pytest.mark.full
@pytest.mark.parametrize(("page", "damage"), [("decision", "deleted"), ("positions", "emptied head")])
def test_a_journal_that_was_taken_away_is_said_on_every_page_and_trading_can_be_halted(start: Start, page: str, damage: str) -> None:
    app = start(page)
    assert "The journal cannot be written" not in page_of(app)
    home = shared_engine.get_engine().settings.home
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


@pytest.fixture
def venue() -> Iterator[LoopbackExchange]:
    with LoopbackExchange() as made:
        yield made


@pytest.mark.full
@pytest.mark.parametrize("page", ["decision", "positions", "settings"])
def test_every_page_says_that_a_position_has_no_stop(start: Start, venue: LoopbackExchange, page: str) -> None:
    keys = {"TRIBUNAL_API_KEY": API_KEY, "TRIBUNAL_API_SECRET": SECRET, "TRIBUNAL_EXCHANGE_URL": venue.url}
    venue.account.open_position("BTCUSDT", "0.1", "60000")
    app = start(page, TRIBUNAL_BROKER="exchange", TRIBUNAL_FEED="live", **keys)
    trading = shared_engine.get_engine().trading
    trading.guard()
    app.run()
    assert not app.exception
    assert "NO STOP: BTC/USDT:USDT" in page_of(app)
    if page == "positions":
        st.cache_data.clear()
        app.run()
        assert "no resting order closes all of it" in page_of(app)
    app.session_state["language"] = "zh"
    app.run()
    assert "无止损：BTC/USDT:USDT" in page_of(app)
    venue.account.add_algo("BTCUSDT", "SELL", "STOP_MARKET", "50000", "web_stranger")
    trading.guard()
    app.run()
    assert "无止损：BTC/USDT:USDT" not in page_of(app)
