"""One answer, one vote: what contradicts itself is unreadable, what says the same twice is one."""

import json

import pytest

from engine.desks.decision.reading.answers import read_analyst, read_argument, read_executor, read_judge, read_position_judge
from engine.llm.values import Unreadable

LONG = "[Vote]\ndirection: LONG\nconfidence: 70\nsupport: 64,000\nresistance: 66,000\n"
ENTRY = """[Decision]
action: ENTRY_LONG
confidence: 72
leverage: 5
direction: LONG

[Risk management]
stop_loss_price: 63,500
take_profit_price: 66,800
risk_reward_ratio: 2.3

[Reasoning]
{reasoning}

[Key factors]
- structure

[Risk assessment]
A spike could take the stop.
"""
WAIT = "[Decision]\naction: WAIT\nconfidence: 40\nleverage: 1\ndirection: NEUTRAL\n"


@pytest.mark.parametrize(
    ("second", "key"),
    [
        (LONG.replace("LONG", "SHORT"), "direction"),
        (LONG.replace("64,000", "61,000"), "support"),
        ("On reflection:\ndirection：看空", "direction"),
        ("confidence: 40", "confidence"),
        ('{"direction": "SHORT", "confidence": 70}', "direction"),
        ("| direction | SHORT |", "direction"),
    ],
)
@pytest.mark.parametrize("turned", [False, True], ids=["behind", "before"])
def test_two_votes_that_differ_are_no_vote(second: str, key: str, turned: bool) -> None:
    text = f"{second}\n\nIt holds.\n\n{LONG}" if turned else f"It holds.\n\n{LONG}\n{second}\n"
    with pytest.raises(Unreadable, match=f"{key}: .*only one"):
        read_analyst(text)


@pytest.mark.parametrize(
    "text",
    [
        LONG + "\n" + LONG,
        LONG.replace("70", "70%").replace("64,000", "64000") + "\nSo, again:\n" + LONG,
        LONG + "\n**direction**: 做多\n",
        "direction: LONG|SHORT|NEUTRAL\nconfidence: <0-100>\n" + LONG,
        "<think>direction: SHORT\nconfidence: 5</think>" + LONG,
        "- Support: 63,100\n- Resistance: 67,000\n\n" + LONG.removeprefix("[Vote]\n"),
        "Direction: long above 64,500, else short\n" + LONG,
    ],
)
def test_what_says_the_same_twice_is_one_vote(text: str) -> None:
    vote = read_analyst(text)
    assert (vote.direction, vote.confidence, vote.support) == ("LONG", 70, 64000)


def test_debaters_and_judges_have_one_vote_too() -> None:
    with pytest.raises(Unreadable, match="confidence"):
        read_argument("It holds.\nconfidence: 72\n\nNo, less.\nconfidence: 45")
    assert read_argument("confidence: 72\nIt holds.\nconfidence: 72%") == 72
    assert read_argument("- Confidence: 90 would need a break\nconfidence: 72") == 72
    for first, last in (("60", "80, since it holds"), ("80, since it holds", "60"), ("80 (firm)", "60"), ("60", "80 as it holds")):
        with pytest.raises(Unreadable, match="confidence"):
            read_argument(f"confidence: {first}\nNo.\nconfidence: {last}")
    bull, bear = "verdict: BULL\ndirection: LONG\nconfidence: 71", "verdict: BEAR\ndirection: SHORT\nconfidence: 71"
    for text in (f"{bull}\n\n{bear}", f"{bear}\n\n{bull}", f"{bull}\nverdict: NEUTRAL", f"{bull}\ndirection: NEUTRAL"):
        with pytest.raises(Unreadable, match="only one"):
            read_judge(text)
    assert read_judge(f"{bull}\n\n{bull}").confidence == 71
    hold, leave = "verdict: HOLD\nconfidence: 64", "verdict: EXIT\nconfidence: 64"
    with pytest.raises(Unreadable, match="verdict"):
        read_position_judge(f"{hold}\n\n{leave}")
    with pytest.raises(Unreadable, match="adjustment_pct"):
        read_position_judge("verdict: PARTIAL_EXIT\nconfidence: 64\nadjustment_pct: -30\n\nverdict: PARTIAL_EXIT\nadjustment_pct: -60")


SHORT_JSON = {"action": "ENTRY_SHORT", "confidence": 60, "leverage": 2, "stop_loss_price": 66000, "take_profit_price": 60000}
BODY = ENTRY.format(reasoning="The trend holds.")

TWO = {
    "wait before": WAIT + "\n" + BODY,
    "wait in the reasoning": ENTRY.format(reasoning="Rather not:\naction: WAIT\nconfidence: 40"),
    "another stop": BODY + "\nstop_loss_price: 62,000\n",
    "another side": BODY + BODY.replace("ENTRY_LONG", "ENTRY_SHORT"),
    "json behind the form": BODY + "\n" + json.dumps(SHORT_JSON, indent=1),
    "a key twice": json.dumps(SHORT_JSON)[:-1] + ', "action": "WAIT"}',
    "adjusting": "action: adjust_position\nconfidence: 60\nadjustment_pct: 30\nadjustment_type: scale_in\n\n"
    "action: adjust_position\nconfidence: 60\nadjustment_pct: -50\nadjustment_type: partial_exit\n",
}


@pytest.mark.parametrize("text", TWO.values(), ids=TWO)
def test_two_decisions_that_differ_are_no_decision(text: str) -> None:
    with pytest.raises(Unreadable, match=r"only one|adjustment_type"):
        read_executor(text)


ONE = {
    "twice": BODY + "\n" + BODY,
    "the template before": BODY.replace("ENTRY_LONG", "<action>").replace("72", "<0-100>").replace("63,500", "<price>") + BODY,
    "talk of others": ENTRY.format(
        reasoning="Action: monitor the range\nconfidence: 55 was the judge's\n- Leverage: 20x would be too much"
    ),
    "a json copy": BODY + json.dumps({"action": "ENTRY_LONG", "confidence": 72, "leverage": 5, "stop_loss_price": 63500}),
}


@pytest.mark.parametrize("text", ONE.values(), ids=ONE)
def test_what_says_the_same_twice_is_one_decision(text: str) -> None:
    block = read_executor(text)
    assert (block.action_word, block.confidence, block.leverage, block.stop_loss_price) == ("ENTRY_LONG", 72, 5, 63500)
