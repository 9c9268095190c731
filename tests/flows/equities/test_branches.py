"""Analysts behind their walls: the breaker, branches that call one tool at once, a second try, degrading, what nobody else sees."""

import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from engine.desks.equities import graph as wiring
from engine.llm.protocol import ModelCall, Script
from tests.flows.equities.played import VIEW, Words, asks, play, told

if TYPE_CHECKING:
    from engine.api import Engine

DECLINED = "I'm sorry, but I can't help with that."
STOCK = ("market", "news", "sentiment", "fundamentals")


@pytest.mark.parametrize("limit", [1, 3, 5, 8])
def test_the_breaker_ends_a_branch_at_exactly_its_number(engine: "Engine", monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    batches = [[("get_price_history", {"days": n + 1})] for n in range(12)]
    words = Words(monkeypatch, market=asks(*batches, for_ever=True))
    state, events = play(engine, tool_calls=limit)
    record = state["analysts"]["market"]
    assert (record["status"], record["tool_calls"], record["breaker"]) == ("done", limit, True)
    assert record["report"].startswith("The figures")
    assert len([data for data in told(events, "tool.called") if data["analyst"] == "market"]) == limit
    last = [call for call in words.calls if call.role == "market"][-1]
    assert (bool(last.tools), last.tool_choice) == (True, "none")
    assert any("breaker" in line for line in state["warnings"])
    assert not state["analysts"]["news"]["breaker"]


@pytest.mark.full
def test_of_a_batch_the_first_ones_up_to_the_limit_are_executed(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    batch = [("get_price_history", {"days": n + 1}) for n in range(8)]
    Words(monkeypatch, market=asks(batch))
    state, events = play(engine, tool_calls=5)
    answered = [data for data in told(events, "tool.answered") if data["analyst"] == "market"]
    assert [data["content"] == "not executed: limit" for data in answered] == [False] * 5 + [True] * 3
    assert state["analysts"]["market"]["tool_calls"] == 5


@pytest.mark.full
def test_three_repeats_in_a_row_end_a_branch_and_are_no_calls(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    Words(monkeypatch, market=asks([("get_share_events", {})], for_ever=True))
    state, events = play(engine)
    record = state["analysts"]["market"]
    assert (record["tool_calls"], record["breaker"]) == (1, True)
    assert [data.get("repeat", False) for data in told(events, "tool.answered") if data["analyst"] == "market"] == [False, True, True, True]


@pytest.mark.full
def test_failed_and_unknown_calls_count_and_go_back_as_text(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    bad = [
        ("no_such_tool", {}),
        ("get_indicators", {"group": "moods"}),
        ("get_price_history", "[1]"),
        ("get_price_history", {"symbol": "MSFT"}),
    ]
    words = Words(monkeypatch, market=asks(bad))
    state, events = play(engine)
    answers = [data for data in told(events, "tool.answered") if data["analyst"] == "market"]
    assert state["analysts"]["market"]["tool_calls"] == 4
    assert all(data["error"] for data in answers)
    assert "trend, momentum" in answers[1]["content"]
    assert "only AAPL" in answers[3]["content"]
    last = [call for call in words.calls if call.role == "market"][-1]
    assert [message["content"] for message in last.messages if message["role"] == "tool"] == [data["content"] for data in answers]


def test_four_branches_that_call_one_tool_at_once_execute_their_own_calls_only(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    """All with the same call ids, and with tools of the same name."""
    from engine.desks.equities.presets import preset_of
    from engine.desks.equities.tools.prices import PRICE_TOOLS

    for analyst in preset_of("stock").analysts:
        monkeypatch.setitem(analyst.__dict__, "tools", PRICE_TOOLS)
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
def test_a_failed_analysis_is_tried_once_more_by_itself(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    def late(call: ModelCall) -> Script:
        return Script(VIEW if call.where == "news_again" else DECLINED)

    words = Words(monkeypatch, news=late)
    state, _ = play(engine)
    assert words.asked().count("news") == 2, "asked, and asked to repair"
    assert words.asked().count("news_again") == 1
    record = state["analysts"]["news"]
    assert (record["status"], record["attempts"]) == ("done", 2)
    assert state["is_valid"]


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


def test_nobody_outside_can_read_what_is_private(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    """A fusion node that asks for the private fields of analysts and debates by name gets none of them."""
    seen: list[Mapping[str, Any]] = []

    class Nosy(TypedDict, total=False):
        company_of_interest: str
        analysts: Annotated[dict[str, Any], operator.or_]
        messages: list[Any]
        tool_call_count: int
        report: str
        held: dict[str, Any]
        latest_speaker: str
        count: int

    fusion, trader = wiring.fusion_node, wiring.trader_node

    async def nosy_fusion(state: Nosy, runtime: Any) -> Any:
        seen.append(dict(state))
        return await fusion(state, runtime)  # type: ignore[arg-type]

    async def nosy_trader(state: Nosy, runtime: Any) -> Any:
        seen.append(dict(state))
        return {"halted": "stop here"}

    monkeypatch.setattr(wiring, "fusion_node", nosy_fusion)
    monkeypatch.setattr(wiring, "trader_node", nosy_trader)
    assert trader is not nosy_trader
    secret = "what only the market analyst was told"
    Words(
        monkeypatch, market=lambda call: Script(VIEW) if call.messages else asks([("get_share_events", {})])(call), bull_researcher=secret
    )
    state, _ = play(engine)
    assert len(seen) == 2
    private = {"messages", "tool_call_count", "report", "held", "latest_speaker", "count", "lost"}
    assert all(private.isdisjoint(each) for each in seen)
    assert secret not in str(seen[1])
    assert "no split" not in str(seen[0]), "what tools answered stays in the branch"
    assert private.isdisjoint(state)


@pytest.mark.full
def test_what_leaves_the_graph_is_conclusions_only(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    Words(monkeypatch, bull_researcher="A secret of the research room.", risky="A secret of the risk room.")
    state, events = play(engine)
    assert "secret" not in str(state)
    assert "A secret of the research room." in "".join(
        data["text"] for data in told(events, "node.tokens") if data["node"] == "bull_researcher"
    )


def test_the_graph_compiles_with_a_saver_for_every_preset_and_depth() -> None:
    from engine.desks.equities.presets import PRESETS, preset_of

    for name in PRESETS:
        assert wiring.build_graph(preset_of(name), 5, together=True, checkpointer=InMemorySaver()) is not None


@pytest.mark.full
@pytest.mark.parametrize(("symbol", "written"), [("600519.SH", " 600519.SS "), ("AAPL", "aapl")])
def test_a_tool_knows_the_symbol_in_every_spelling(engine: "Engine", monkeypatch: pytest.MonkeyPatch, symbol: str, written: str) -> None:
    Words(monkeypatch, market=asks([("get_share_events", {"symbol": written}), ("get_share_events", {"symbol": "MSFT"})]))
    _, events = play(engine, symbol)
    errors = [data["error"] for data in told(events, "tool.answered") if data["analyst"] == "market"]
    assert errors[0] is None
    assert f"only {symbol}" in str(errors[1])
