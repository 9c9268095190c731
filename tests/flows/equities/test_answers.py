"""Closing blocks of the desk, in both languages, dressed as models dress them; and answers that are none."""

import pytest

from engine.desks.equities.answers import claim_spans, prose, read_plan, read_trade, read_view
from engine.llm.values import Unreadable

TRADE = "action: BUY\nquantity: {q}\nlimit_price: {l}\nstop_price: {s}\ntarget_price: {t}\nconfidence: 61"


def test_blocks_are_read_in_either_language() -> None:
    english = read_view("It rises.\n\n[View]\ndirection: BULLISH\nconfidence: 62")
    chinese = read_view("看涨。\n\n【观点】\ndirection：看涨\nconfidence：62%")
    assert english == chinese
    assert read_plan("[投资计划]\naction: 买入\nconfidence: 55").action == "BUY"
    assert read_plan("**[Investment plan]**\n- **action**: HOLD\n- **confidence**: 40/100").confidence == 40


def test_a_trade_is_read_with_its_prices_or_without() -> None:
    full = read_trade("[Trade]\n" + TRADE.format(q="1,200 shares", l="113.50", s="$107.20", t="125"))
    assert (full.quantity, full.limit_price, full.stop_price, full.target_price) == (1200, 113.5, 107.2, 125)
    bare = read_trade("[交易]\n" + TRADE.format(q="100股", l="MARKET", s="95", t="无"))
    assert (bare.quantity, bare.limit_price, bare.stop_price, bare.target_price) == (100, None, 95, None)
    hold = read_trade("[Final decision]\naction: HOLD\nquantity: 0\nlimit_price: N/A\nstop_price: -\ntarget_price: none\nconfidence: 50")
    assert (hold.quantity, hold.limit_price) == (0, None)


def test_a_trade_in_the_money_of_its_market_and_with_remarks() -> None:
    dressed = read_trade(
        "[交易]\n"
        + TRADE.replace("BUY", "买入（小仓位）").format(
            q="１００ 股（一手，约 $5,000）", l="101.5元", s="HK$95.10 (below support)", t="RMB 120"
        )
    )
    assert (dressed.action, dressed.quantity, dressed.limit_price, dressed.stop_price, dressed.target_price) == (
        "BUY",
        100,
        101.5,
        95.1,
        120,
    )


@pytest.mark.parametrize(
    "said", ["MARKET", "**market**", "MARKET (at the open)", "MARKET。", "ＭＡＲＫＥＴ；", "at market", "市价", "市价单", "NONE", "N/A"]
)
def test_an_order_at_market_is_one_however_it_is_dressed(said: str) -> None:
    assert read_trade("[Trade]\n" + TRADE.format(q="5", l=said, s="1", t="NONE")).limit_price is None


@pytest.mark.parametrize(
    "said", ["$5,000", "5000 USD", "5000美元", "¥5000", "5000元", "50%", "10 percent", "5x", "3倍", "2手", "100 points", "-100", "all"]
)
def test_what_is_no_number_of_shares_is_no_quantity(said: str) -> None:
    with pytest.raises(Unreadable, match="quantity"):
        read_trade("[Trade]\n" + TRADE.format(q=said, l="MARKET", s="1", t="NONE"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I would buy.",
        "[Trade]\n" + TRADE.format(q="-5", l="1", s="1", t="1"),
        "[Trade]\n" + TRADE.format(q="5", l="100-110", s="1", t="1"),
        "[Trade]\n" + TRADE.replace("BUY", "买入（或持有）").format(q="5", l="1", s="1", t="1"),
        "[Trade]\n" + TRADE.format(q="5", l="1", s="1", t="1").replace("action: BUY", "action: BUY|SELL|HOLD"),
        "[Trade]\n" + TRADE.format(q="5", l="1", s="1", t="1") + "\n\naction: SELL",
        "[Trade]\n" + TRADE.format(q="5", l="1", s="1", t="1").replace("stop_price: 1\n", ""),
        "[Trade]\n" + TRADE.format(q="5", l="1", s="NONE", t="1"),
    ],
)
def test_what_is_no_one_trade_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        read_trade(text)


def test_the_block_is_no_prose_and_states_nothing() -> None:
    text = "The close is 115.\n\n[Trade]\n" + TRADE.format(q="5", l="113.5", s="107", t="125")
    assert prose(text) == "The close is 115."
    assert all("113.5" not in text[start:end] for start, end in claim_spans(text))
