"""What the roles of a decision are told, over a real client: one record in order, words put right, the side held, what is decided."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from engine.desks.decision.reading.answers import read_judge
from engine.llm.values import Unreadable
from tests.flows.answers import SOUND, TRUTHFUL, cast, executor, near, role_of
from tests.flows.conftest import HOLDING, Decide
from tests.servers.llm import Body, LLMServer, system_of, user_of

SHORT = HOLDING | {"side": "short", "entry_price": 104.0}
FALSE = "RSI(14) is 3.1, so it must turn."
FALLEN = "[this point rested on a wrong number]"


def told(server: LLMServer) -> dict[str, list[str]]:
    """Role -> everything it was told, a request each."""
    asked: dict[str, list[str]] = {}
    for request in server.requests:
        asked.setdefault(role_of(request.body), []).append(f"{system_of(request.body)}\n{user_of(request.body)}")
    return asked


@pytest.mark.full
def test_debaters_and_judge_hear_corrected_words_and_which_points_fell(decide: Decide) -> None:
    lying = {
        "indicator": f"The price is 100. {FALSE}\n\n{SOUND['indicator'].split(chr(10), 2)[2]}",
        "bull": f"{FALSE}\n\n[Vote]\nconfidence: 70\n",
    }
    with LLMServer(cast(**{**TRUTHFUL, **lying})) as server:
        state, _ = decide(server)
        heard = told(server)
    truth = f"{state['corrected_values']['rsi_14']:.1f}"
    corrected = f"RSI(14) is ~~3.1~~ {truth} [corrected], so it must turn. {FALLEN}"
    assert [heard[role][0].count(corrected) for role in ("bull", "bear", "judge")] == [1, 2, 2]
    assert heard["executor"][0].count(corrected) == 1
    assert FALSE not in "".join(text for role in ("bull", "bear", "judge", "executor") for text in heard[role])
    assert state["bull_argument"]["text"].startswith(FALSE), "the record is what was said"


@pytest.mark.full
def test_after_the_debate_only_the_executor_hears_what_was_corrected(make_engine: Callable[..., Any], candles: Any) -> None:
    with LLMServer(cast(**TRUTHFUL, bull=f"{FALSE}\n\n[Vote]\nconfidence: 70\n")) as server:
        engine = make_engine(
            openai_base_url=server.base_url, openai_api_key="sk-test", model="loopback", correct="after_debate", data_dir=candles
        )
        run_id = engine.start(engine.decisions.request("BTC/USDT:USDT"))
        engine.wait(run_id, 60)
        heard = told(server)
    assert FALSE in heard["bear"][0]
    assert FALSE in heard["judge"][0]
    assert FALSE not in heard["executor"][0]
    assert FALLEN in heard["executor"][0]


@pytest.mark.full
def test_rounds_stand_in_order_without_any_block_and_a_later_one_answers(decide: Decide) -> None:
    def speaks(side: str) -> Callable[[Body], str]:
        made: list[str] = []

        def say(body: Body) -> str:
            made.append(side)
            return f"{side.capitalize()} speech {len(made)}.\n\n[Vote]\nconfidence: {60 + len(made)}\n"

        return say

    with LLMServer(cast(bull=speaks("bull"), bear=speaks("bear"))) as server:
        state, _ = decide(server, depth=2)
        heard = told(server)
    first, second = heard["bull"]
    assert "You open" in first
    assert "Others have spoken before you" in heard["bear"][0]
    assert all("This is round 2" in heard[side][1] and "You open" not in heard[side][1] for side in ("bull", "bear"))
    judge = heard["judge"][0]
    lot = state["judge_reads_first"]
    assert f"drawn by lot for this run: {lot}" in judge
    order = (lot, {"bull": "bear", "bear": "bull"}[lot])
    found = re.findall(r'<said by="(bull|bear) (\d)">\n(\w+ speech \d)\.\n</said>', judge)
    assert found == [(side, str(n), f"{side.capitalize()} speech {n}") for n in (1, 2) for side in order]
    assert "confidence: 61" not in judge, "blocks are no words"
    assert judge.index("speech 2") < judge.index("bull: confidence 62"), "no stated confidence before the arguments"
    assert judge.index("speech 2") < judge.index("indicator: LONG 70")
    assert "speech" not in second.partition("=== The debate so far")[0]


@pytest.mark.full
@pytest.mark.parametrize(("language", "named"), [("en", "is SHORT: it earns when price falls"), ("zh", "空单（SHORT）：价格下跌时盈利")])
def test_an_open_short_is_named_to_everybody_and_keeping_is_argued(decide: Decide, language: str, named: str) -> None:
    with LLMServer(cast(executor=executor("HOLD"))) as server:
        state, _ = decide(server, holding=SHORT, language=language)
        heard = told(server)
    path = [heard[role][0] for role in ("position_bull", "position_bear", "position_judge", "executor")]
    assert all(named in text for text in path)
    assert not [text for text in path if re.search(r"You are Bu|You are Be|多头|going long|做多", text)]
    assert ("KEEPING" if language == "en" else "继续持有") in path[0]
    assert ("REDUCING" if language == "en" else "减仓") in path[1]
    assert "keep: confidence 66\nreduce: confidence 50\njudge: HOLD SHORT 64" in path[3]
    assert '<said by="keep 1">' in path[2]
    assert state["position_bull_argument"]["side"] == "bull"


@pytest.mark.full
def test_the_executor_reads_each_fact_once_and_corrections_by_fact(decide: Decide) -> None:
    indicator = f"The price is 100. {FALSE}\n\n{SOUND['indicator'].split(chr(10), 2)[2]}"
    with LLMServer(cast(**TRUTHFUL, bull=f"{FALSE}\n\n[Vote]\nconfidence: 70\n", indicator=indicator)) as server:
        state, _ = decide(server)
        prompt = told(server)["executor"][0]
    truth = f"{state['corrected_values']['rsi_14']:.1f}"
    (line,) = [each for each in prompt.splitlines() if each.startswith("- RSI=")]
    assert line.startswith(f"- RSI={truth}")
    assert line.endswith("Bull, indicator said 3.1")
    assert "Corrections (1):" in prompt
    assert "✅" not in prompt
    lines = [each.partition(" = ")[0] for each in prompt.splitlines() if re.match(r"^[a-z0-9_.]+ = ", each)]
    assert len(lines) == len(set(lines))
    assert prompt.index("[Reasoning]") < prompt.index("action: ENTRY_LONG|ENTRY_SHORT|WAIT")


@pytest.mark.parametrize(("verdict", "direction"), [("BULL", "SHORT"), ("BEAR", "LONG"), ("NEUTRAL", "LONG"), ("BULL", "NEUTRAL")])
def test_a_verdict_beside_another_direction_is_refused(verdict: str, direction: str) -> None:
    with pytest.raises(Unreadable, match="only one of them can be meant"):
        read_judge(f"So be it.\n\n[Vote]\nverdict: {verdict}\ndirection: {direction}\nconfidence: 60\n")


SPOT = {"symbol": "BTC/USDT", "feed": "simulated", "at": "2026-05-16T12:00:00Z"}


def decided_on_spot(
    make_engine: Callable[..., Any], says: Callable[[Body], str], **asked: Any
) -> tuple[dict[str, Any], dict[str, list[str]], Any]:
    with LLMServer(cast(executor=says)) as server:
        engine = make_engine(openai_base_url=server.base_url, openai_api_key="sk-test", model="loopback")
        record = engine.wait(engine.start(engine.decisions.request(**SPOT, propose=True, **asked)), 60)
        return record.result, told(server), engine.trading.proposal_of(record.run_id)


@pytest.mark.full
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_spot_market_is_argued_and_decided_as_one(make_engine: Callable[..., Any], language: str) -> None:
    state, heard, proposal = decided_on_spot(make_engine, near(leverage="N/A"), language=language)
    texts = [text for each in heard.values() for text in each]
    for words in ("funding", "资金费", "oi_change_pct", "open interest", "持仓量", "to_liquidation", "to liquidation", "到强平"):
        assert not [text for text in texts if words in text.lower()], words
    (task,) = re.findall(r"^Role: bear\n(.+)$", heard["bear"][0], re.MULTILINE)
    assert {"en": "cannot be sold short. Argue for staying out", "zh": "不能做空。在事实允许的范围内最有力地论证现在不应买入"}[
        language
    ] in task
    assert "ENTRY_SHORT" not in heard["executor"][0]
    assert "\nmax_leverage = 1\n" in heard["executor"][0]
    assert "leverage: <1>" in heard["executor"][0]
    assert (state["is_valid"], state["final_action"], state["final_leverage"]) == (True, "signal_entry_long", 1)
    assert (proposal.state, proposal.plan.leverage) == ("pending", 1)


@pytest.mark.full
def test_on_a_spot_market_a_short_is_refused_and_more_leverage_is_a_breach(make_engine: Callable[..., Any]) -> None:
    state, _, proposal = decided_on_spot(make_engine, near("ENTRY_SHORT", leverage=1))
    assert (state["is_valid"], state["final_action"], proposal) == (False, "signal_wait", None)
    assert "a spot market cannot be sold short" in state["errors"]
    state, _, proposal = decided_on_spot(make_engine, near(leverage=5), seed=1)
    assert (state["is_valid"], state["final_action"], proposal.state) == (False, "signal_wait", "blocked")
    assert [check["rule"] for check in state["limits"] if not check["passed"]] == ["max_leverage"]


@pytest.mark.full
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("holding", [None, SHORT], ids=["entry", "short"])
def test_every_request_names_its_role_once_and_ends_with_its_form(decide: Decide, language: str, holding: Any) -> None:
    last = executor("HOLD" if holding else "ENTRY_LONG")
    with LLMServer(cast(executor=last)) as server:
        decide(server, language=language, holding=holding, depth=2)
        asked = [(system_of(request.body), user_of(request.body)) for request in server.requests]
    assert len(asked) == 10
    for system, user in asked:
        assert len(re.findall(r"^Role: \w+$", f"{system}\n{user}", re.MULTILINE)) == 1
        assert re.search(r"(confidence: 0-100|resistance: price|PARTIAL_EXIT|</format>|</输出格式>)$", user.rstrip())
    analysts, debate = asked[:4], asked[4:9]
    assert len({system for system, _ in analysts}) == 1, "the shared text is the same bytes"
    assert len({system for system, _ in debate}) == 1
    shared = debate[0][1].partition("\n\n=== Votes, of" if language == "en" else "\n\n=== 分析师与双方")[0]
    assert "The trend view is constructive." in shared
    assert all(user.startswith(shared) for _, user in debate)


@pytest.mark.full
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("holding", [None, SHORT], ids=["entry", "short"])
def test_the_role_line_begins_a_role_s_instructions_and_nothing_shared_is_behind_it(decide: Decide, language: str, holding: Any) -> None:
    with LLMServer(cast(executor=executor("HOLD" if holding else "ENTRY_LONG"))) as server:
        decide(server, language=language, holding=holding)
        asked = [request.body["messages"] for request in server.requests]
    assert len(asked) == 8
    behind = []
    for system, user in asked:
        (text,) = [each["content"] for each in (system, user) if re.search(r"^Role: ", each["content"], re.MULTILINE)]
        before, _, instructions = text.partition("Role: ")
        assert (text is system["content"]) == (before == "")
        assert before == "" or before.endswith("\n\n"), "it begins a paragraph"
        name, _, task = instructions.partition("\n")
        assert task.startswith(("You ", "你"))
        assert not re.search(r"<said|^=== |^[a-z0-9_.]+ = ", task, re.MULTILINE) or name == "executor"
        behind.append(name)
    sides = ["bull", "bear", "judge"]
    assert sorted(behind[:4]) == ["indicator", "pattern", "sentiment", "trend"]
    assert behind[4:] == [*sides, "executor"]
