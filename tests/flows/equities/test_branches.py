"""Analysts behind their walls: the breaker, branches that call one tool at once, a second try, degrading, what nobody else sees."""

from typing import TYPE_CHECKING

import pytest

from engine.llm.protocol import ModelCall, Script
from tests.flows.equities.played import VIEW, Words, asks, play, told

if TYPE_CHECKING:
    from engine.api import Engine

DECLINED = "I'm sorry, but I can't help with that."
STOCK = ("market", "news", "sentiment", "fundamentals")


def test_four_branches_that_call_one_tool_at_once_execute_their_own_calls_only(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    """All with the same call ids, and with tools of the same name."""
    from engine.desks.equities.presets import preset_of

    for analyst in preset_of("stock").analysts:
        monkeypatch.setitem(analyst.__dict__, "tools", ("get_price_history",))
    words = Words(monkeypatch, **{key: asks([("get_price_history", {"days": place + 1})]) for place, key in enumerate(STOCK)})
    state, events = play(engine)
    for place, key in enumerate(STOCK):
        own = [data for data in told(events, "tool.called") if data["analyst"] == key]
        assert [data["arguments"] for data in own] == [{"days": place + 1}]
        last = [call for call in words.calls if call.role == key][-1]
        answers = [str(message["content"]) for message in last.messages if message["role"] == "tool"]
        assert len(answers) == 1
        assert len(answers[0].splitlines()) == 2 + place + 1, "as many days as it asked for itself"
    assert all(state["analysts"][key]["tool_calls"] == 1 for key in STOCK)


@pytest.mark.full
@pytest.mark.parametrize("lookups", ["asked", "planned"])
def test_a_second_try_goes_on_counting_and_reads_what_the_first_one_looked_up(
    engine: "Engine", monkeypatch: pytest.MonkeyPatch, lookups: str
) -> None:
    def lost_at_first(call: ModelCall) -> Script:
        again = call.where == "market_again"
        batches = [[("get_price_history", {"days": n + (50 if again else 2)})] for n in range(3)]
        return asks(*batches, then=VIEW if again else DECLINED, for_ever=again)(call)

    words = Words(monkeypatch, market=lost_at_first)
    state, events = play(engine, tool_calls=5, lookups=lookups)
    record, called = state["analysts"]["market"], [data for data in told(events, "tool.called") if data["analyst"] == "market"]
    assert (record["status"], record["attempts"], record["tool_calls"], record["breaker"]) == ("done", 2, 5, True)
    assert [data["n"] for data in called] == [1, 2, 3, 4, 5]
    assert len({(data["tool"], str(data["arguments"])) for data in called}) == 5, "nothing is executed twice"
    assert state["metrics"]["tool_calls_count"] == len(told(events, "tool.called"))
    first = next(call for call in words.calls if call.where == "market_again")
    for data in called[: 3 if lookups == "asked" else 5]:
        answer = next(each["content"] for each in told(events, "tool.answered") if each["n"] == data["n"] and each["analyst"] == "market")
        assert answer in first.user, "what was looked up is not looked up again"


@pytest.mark.full
@pytest.mark.parametrize("block", ["", "[View]\ndirection: sideways\nconfidence: high\n"], ids=["none", "unreadable"])
@pytest.mark.parametrize("second", ["I gave it already.", DECLINED], ids=["words", "declined"])
def test_a_report_whose_block_cannot_be_got_is_kept_and_counts_as_neutral(
    engine: "Engine", monkeypatch: pytest.MonkeyPatch, block: str, second: str
) -> None:
    report = f"Three headlines, none of them new.\n\n{block}".strip()
    words = Words(monkeypatch, news=lambda call: Script(second if call.repair else report))
    state, events = play(engine)
    record = state["analysts"]["news"]
    assert words.asked().count("news") == 2, "asked, and asked for the block alone"
    assert "Only its block could not be read" in str(words.calls[[call.repair for call in words.calls].index(True)].messages[-1]["content"])
    assert (record["status"], record["attempts"], record["report"]) == ("done", 1, report)
    assert record["view"] == {"direction": "NEUTRAL", "confidence": 50.0}
    assert [line for line in state["warnings"] if "news report has no readable [View] block" in line]
    bull = next(call for call in words.calls if call.role == "bull_researcher").user
    assert "none of them new" in bull
    assert "news: NEUTRAL 50" in bull
    (ended,) = [data for data in told(events, "node.finished") if data["node"] == "news"]
    texts = [data for data in told(events, "node.tokens") if data["node"] == "news" and data["attempt"] == ended["attempt"]]
    assert "".join(data["text"] for data in texts) == report, "the attempt that counted is the report"


@pytest.mark.full
def test_one_that_fails_twice_degrades_and_the_debate_goes_on_without_it(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words(monkeypatch, news=DECLINED)
    state, events = play(engine)
    record = state["analysts"]["news"]
    assert (record["status"], record["attempts"], record["report"]) == ("degraded", 2, None)
    assert state["is_valid"]
    assert any("news" in line for line in state["warnings"])
    assert state["news_analyst_summary"]["today_report"] == ""
    assert "The report of news is missing." in next(call for call in words.calls if call.role == "bull_researcher").user
    assert "news.report" not in {data["name"] for data in told(events, "memory.written")}


def test_with_fewer_than_two_reports_the_run_holds(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words(monkeypatch, **dict.fromkeys(STOCK[1:], DECLINED))
    state, _ = play(engine)
    assert (state["is_valid"], state["trader_action"], state["order"]) == (False, "hold", None)
    assert "only 1 of 4" in state["errors"][0]
    assert "bull_researcher" not in words.asked()


@pytest.mark.full
@pytest.mark.parametrize(("symbol", "written"), [("600519.SH", " 600519.SS "), ("AAPL", "aapl")])
def test_a_tool_knows_the_symbol_in_every_spelling(engine: "Engine", monkeypatch: pytest.MonkeyPatch, symbol: str, written: str) -> None:
    Words(monkeypatch, market=asks([("get_share_events", {"symbol": written}), ("get_share_events", {"symbol": "MSFT"})]))
    _, events = play(engine, symbol)
    errors = [data["error"] for data in told(events, "tool.answered") if data["analyst"] == "market"]
    assert errors[0] is None
    assert f"only {symbol}" in str(errors[1])


@pytest.mark.full
def test_what_leaves_the_graph_is_conclusions_only(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    Words(monkeypatch, bull_researcher="A secret of the research room.", risky="A secret of the risk room.")
    state, events = play(engine)
    assert {"messages", "tool_call_count", "held", "latest_speaker", "lost"}.isdisjoint(state)
    assert "secret" not in str(state)
    assert "A secret of the research room." in "".join(
        data["text"] for data in told(events, "node.tokens") if data["node"] == "bull_researcher"
    )
