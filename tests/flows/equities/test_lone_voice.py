"""What the debates of the equities desk bought: the trader alone on the same facts, beside what the team decided."""

from typing import TYPE_CHECKING

import pytest

from engine.domain.errors import BadInput
from engine.llm.protocol import ModelCall, Script
from tests.flows.equities.played import DECISION, TRADE, Words, play

if TYPE_CHECKING:
    from engine.api import Engine

HOLD = "Nothing to do.\n\n[Trade]\naction: HOLD\nquantity: 0\nlimit_price: MARKET\nstop_price: NONE\ntarget_price: NONE\nconfidence: 60\n"


def trader(call: ModelCall) -> Script:
    """The team's trader buys, and the lone one holds."""
    return Script(TRADE if "=== Decided" in call.user else HOLD)


@pytest.mark.full
def test_one_voice_is_asked_once_with_what_the_analysts_looked_up_and_with_nobodys_words(
    engine: "Engine", monkeypatch: pytest.MonkeyPatch
) -> None:
    words = Words(monkeypatch, trader=trader)
    state, _ = play(engine)
    asked = len(words.calls)
    found = engine.repetitions.value_of_debate(state["run_id"])
    assert engine.repetitions.value_of_debate(state["run_id"]) == found
    (call,) = words.calls[asked:]
    assert '<said by="market' not in call.user
    assert '<said by="research manager' not in call.user
    for looked_up in ("rsi_14 = ", "pe_ratio = ", "get_fundamentals", "search_news", "account_cash = ", "largest_allowed_shares = "):
        assert looked_up in call.user
    assert (found["debate"]["action"], found["single"]["action"], found["same_action"]) == ("buy", "hold", False)
    assert (found["debate"]["calls"], found["single"]["calls"]) == (state["metrics"]["llm_calls_count"], 1)
    assert found["debate"]["tokens"] == state["metrics"]["total_tokens"] > found["single"]["tokens"] > 0
    assert engine.record(state["run_id"]).result == state, "the decision stays as it is"


@pytest.mark.full
def test_the_lone_voice_is_held_to_the_limits_as_the_order_was(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    """Its stop stands above the price: no buy comes of that, whatever it says."""
    Words(monkeypatch, trader=lambda call: Script(TRADE if "=== Decided" in call.user else TRADE.replace("117", "900")))
    state, _ = play(engine)
    assert engine.repetitions.value_of_debate(state["run_id"])["single"]["action"] == "hold"


@pytest.mark.full
def test_what_never_came_to_a_trader_cannot_be_compared(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    Words(monkeypatch, risk_judge=f"RSI(14) is 3.1.\n\n{DECISION}")
    closed, _ = play(engine)
    index, _ = play(engine, "^GSPC")
    for state, why in ((closed, "before its trader spoke"), (index, "it is an index")):
        with pytest.raises(BadInput, match=why):
            engine.repetitions.value_of_debate(state["run_id"])
    assert engine.repetitions.value_so_far()["runs"] == 0
