"""Closing blocks and the executor's form: round trips through every dress, and nothing but Unreadable for everything else."""

import json
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.desks.decision.reading.answers import (
    AnalystBlock,
    ExecutorBlock,
    JudgeBlock,
    PositionJudgeBlock,
    read_analyst,
    read_argument,
    read_executor,
    read_judge,
    read_position_judge,
)
from engine.desks.decision.reading.spans import claim_spans, closing_block_start
from engine.domain.decision import ACTIONS
from engine.domain.opinion import DebateWinner, Direction, PositionVerdict
from engine.llm.blocks import read_block
from engine.llm.values import Unreadable

WIDE = {ord(a): b for a, b in zip("0123456789:", "０１２３４５６７８９：", strict=True)}
DRESSES = [
    "{k}: {v}",
    "- {k}: {v}",
    "**{k}:** {v}",
    "**{k}**: **{v}**",
    "* `{k}`: {v}",
    "{K}={v}",
    "> {k} : {v}%",
    "| {k} | {v} |",
    '  "{k}": "{v}",',
]
DRESSES += ["1. {k}: {v}", "`{k}: {v}`", "{K}： {v}。", "__{k}__: {v}"]
BEFORE = [
    "",
    "The trend holds; my confidence is growing.\n\n",
    "direction: LONG|SHORT|NEUTRAL\nconfidence: <0-100>\n",
]
BEFORE += [
    "<think>direction: SHORT\nconfidence: 1</think>",
    "```\n",
    "## Vote\n",
    "趋势向上。\n[表决]\n",
    "- Support: 61,000 is weak, confidence low\n",
]
TEMPLATE = "direction: LONG|SHORT|NEUTRAL\nconfidence: 0-100\nsupport: price\nadjustment_pct: percent, only for SCALE_IN"
AFTER = ["", f"\n\n{TEMPLATE}", "\n```", "\n\nGood luck!", "\n---\nNo advice.", "\nconfidence: <0-100>", "\n<think>confidence: 2"]
ENTRY = """好的，综合如下。RSI 为 62。
[决策]
action: ENTRY_LONG
confidence: 72
leverage: 5
direction: LONG

[风险管理] (入场时必填)
stop_loss_price: 63,500
take_profit_price: 66,800
risk_reward_ratio: 1:2.3

[调整参数] (adjust_position 时必填)
adjustment_pct: N/A
adjustment_type: N/A

[决策理由]
趋势向上。
confidence: 55 是裁判给出的。

[关键因素]
- EMA20 高于 EMA50
- MACD 金叉，
  仍在持续

[风险评估]
波动加大。
"""
ENGLISH = {
    "决策理由": "Reasoning",
    "决策": "Decision",
    "风险管理": "Risk management",
    "调整参数": "Adjustment",
    "关键因素": "Key factors",
    "风险评估": "Risk assessment",
}


@pytest.mark.full
@given(
    st.sampled_from(list(Direction)),
    st.integers(0, 100),
    st.none() | st.integers(100, 999_999),
    st.sampled_from(DRESSES),
    st.sampled_from(BEFORE),
    st.sampled_from(AFTER),
    st.booleans(),
    st.booleans(),
)
def test_a_dressed_block_is_the_block(
    direction: Direction, confidence: int, level: int | None, dress: str, before: str, after: str, wide: bool, lower: bool
) -> None:
    values = {"direction": direction.lower() if lower else direction, "confidence": confidence, "support": f"{level:,}" if level else "N/A"}
    dress = dress.replace("%", "") if dress.endswith("%") else dress
    block = "\n".join(dress.format(k=key, K=key.upper(), v=value) for key, value in values.items())
    text = before + (block.translate(WIDE) if wide and "1." not in dress else block) + after
    assert read_analyst(text) == AnalystBlock(direction, confidence, level, None)


@pytest.mark.full
@given(
    st.text()
    | st.lists(
        st.sampled_from(
            [
                "direction",
                "confidence",
                "action",
                "verdict",
                ":",
                "=",
                "|",
                "\n",
                "80",
                "LONG",
                "WAIT",
                "[",
                "]",
                "决策",
                "-",
                "*",
                "<",
                ">",
                "{",
                '"',
                "<think>",
                " ",
            ]
        ),
        max_size=60,
    ).map("".join)
)
@example('{"action": {"action": []}}')
def test_any_text_is_read_or_unreadable(text: str) -> None:
    for read in (read_analyst, read_argument, read_judge, read_position_judge, read_executor):
        with suppress(Unreadable):
            read(text)
    assert set(read_block(text, ("confidence",))) <= {"confidence"}
    assert 0 <= closing_block_start(text) <= len(text)
    for role in ("indicator", "bull", "position_judge", "executor"):
        edges = [edge for span in claim_spans(text, role) for edge in span]
        assert edges == sorted(edges)
        assert all(0 <= edge <= len(text) for edge in edges)


@pytest.mark.parametrize(
    "text",
    [
        "Sellers lead.\n[Vote] direction: SHORT, confidence: 66, support: 95, resistance: 105",
        "Sellers lead.\n**[Vote]** direction: BEARISH | confidence: 66 | support: 95 | resistance: 105",
        "卖方主导。\n【表决】\n方向：做空\n置信度：66\n支撑位：95\n压力位：105",
        "Sellers lead.\n[Vote]\ndirection: SHORT\nconfidence: 66\nsupport: 95 / 91.5\nresistance: 110 / 105",
    ],
)
def test_what_small_models_make_of_the_block_is_read(text: str) -> None:
    assert read_analyst(text) == AnalystBlock(Direction.SHORT, 66, 95, 105)
    assert closing_block_start(text, "trend") == text.index("\n") + 1, "and it is no prose"


@pytest.mark.parametrize("text", ["direction: SHORT\nconfidence: 0.66", "方向：做空\n置信度：0.66"])
def test_a_share_in_place_of_percent_is_asked_for_again(text: str) -> None:
    with pytest.raises(Unreadable, match="percent"):
        read_analyst(text)


def test_the_prompts_own_template_holds_no_value() -> None:
    assert read_block(TEMPLATE, ("direction", "confidence", "support", "adjustment_pct")) == {}


def test_roles() -> None:
    assert read_argument("So be it.\nconfidence: 61.5%") == 61.5
    assert read_judge("verdict: BULL\ndirection: LONG\nconfidence: 70") == JudgeBlock(DebateWinner.BULL, Direction.LONG, 70)
    assert read_judge("verdict：看空\ndirection：做空\nconfidence：７０") == JudgeBlock(DebateWinner.BEAR, Direction.SHORT, 70)
    ruling = read_position_judge("verdict: partial exit\nconfidence: 66\nadjustment_pct: −50%")
    assert ruling == PositionJudgeBlock(PositionVerdict.PARTIAL_EXIT, 66, -50)
    assert read_position_judge("verdict: HOLD\nconfidence: 66\nadjustment_pct: not needed now").adjustment_pct is None
    assert read_analyst("direction: LONG, confidence: 70, support: 64,000, resistance: 65,500") == AnalystBlock(
        Direction.LONG, 70, 64000, 65500
    )
    assert read_analyst(json.dumps({"direction": "LONG", "confidence": 70.5, "support": 64000})) == AnalystBlock(
        Direction.LONG, 70.5, 64000, None
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("confidence: 70", "direction: not found"),
        ("direction: LONG|SHORT|NEUTRAL\nconfidence: <0-100>\nsupport: <price>", "direction: not found"),
        ("direction: LONG\nconfidence: 0-100", "confidence: not found"),
        ("direction: LONG\nconfidence: 60-70", "confidence: found '60-70'"),
        ("direction: sideways\nconfidence: 60", "direction: found 'sideways'"),
        ("direction: LONG\nconfidence: 60\nsupport: 64,000-64,200", "support: found"),
        ("I say the direction: LONG and the confidence: 60", "direction: not found"),
        ("direction: LONG\nconfidence: 101", "confidence: found '101'"),
        ("<think>direction: LONG\nconfidence: 60", "direction: not found"),
        ("", "direction: not found"),
    ],
)
def test_what_is_unreadable_is_named(text: str, said: str) -> None:
    with pytest.raises(Unreadable, match=said):
        read_analyst(text)


def _english(text: str) -> str:
    for chinese, english in ENGLISH.items():
        text = text.replace(f"[{chinese}]", f"[{english}]")
    return text


FORMS: list[tuple[str, Callable[[str], str]]] = [
    ("chinese", lambda text: text),
    ("english", _english),
    ("full-width brackets", lambda text: text.replace("[", "【").replace("]", "】")),
    ("bold", lambda text: text.replace("[", "**[").replace("]", "]**")),
    ("bold without brackets", lambda text: text.replace("[", "**").replace("]", "**")),
    ("markdown headings", lambda text: _english(text).replace("[", "### ").replace("]", "")),
    ("markdown and brackets", lambda text: text.replace("[", "## [")),
    ("lower case", lambda text: _english(text).lower()),
    ("fenced", lambda text: f"```\n{text}```\n"),
    ("windows", lambda text: text.replace("\n", "\r\n")),
    ("thinking", lambda text: f"<think>{text.replace('72', '11')}</think>{text}"),
    (
        "template first",
        lambda text: f"[决策]\naction: <操作类型>\nconfidence: <置信度 0-100>\n[决策理由]\n<你的推理过程>\n[关键因素]\n- <因素1>\n{text}",
    ),
    ("wire name", lambda text: text.replace("ENTRY_LONG", "signal_entry_long")),
    ("chinese action", lambda text: text.replace("ENTRY_LONG", "做多")),
]


@pytest.mark.parametrize("dress", [form[1] for form in FORMS], ids=[form[0] for form in FORMS])
def test_an_executors_form_is_read_in_every_dress(dress: Callable[[str], str]) -> None:
    block = read_executor(dress(ENTRY))
    numbers = (block.confidence, block.leverage, block.stop_loss_price, block.take_profit_price, block.risk_reward_ratio)
    assert (block.action_word, block.direction, numbers) == ("ENTRY_LONG", Direction.LONG, (72, 5, 63500, 66800, 2.3))
    assert (block.adjustment_pct, block.adjustment_type) == (None, None)
    assert block.reasoning.splitlines() == ["趋势向上。", "confidence: 55 是裁判给出的。"]
    assert [factor.upper() for factor in block.key_factors] == ["EMA20 高于 EMA50", "MACD 金叉， 仍在持续"]
    assert block.risk_assessment == "波动加大。"


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.word)
def test_every_action_is_known_by_its_word_and_on_the_wire(action: object) -> None:
    extra = f"\nadjustment_pct: {action.adjustment[0]:+}%" if action.adjustment else ""  # type: ignore[attr-defined]
    assert read_executor(f"action: {action.word.lower()}\nconfidence: 60{extra}").action_word == action.word  # type: ignore[attr-defined]
    assert read_executor(f"action: {action.signal}\nconfidence: 60{extra}").action_word == action.word  # type: ignore[attr-defined]


def test_adjust_position_is_resolved_by_its_type_or_sign() -> None:
    read = read_executor(
        "[Decision]\naction: adjust_position\nconfidence: 60\n[Adjustment]\nadjustment_pct: 50%\nadjustment_type: Partial-Exit"
    )
    assert (read.action_word, read.adjustment_pct, read.adjustment_type) == ("PARTIAL_EXIT", 50, "partial_exit")
    with pytest.raises(Unreadable, match="adjust_position without"):
        read_executor("action: adjust_position\nconfidence: 60")


def test_what_an_action_does_not_use_need_not_be_readable() -> None:
    read = read_executor("action: WAIT\nconfidence: 40\nleverage: 1-3\nstop_loss_price: none while waiting\ndirection: unclear")
    assert read == ExecutorBlock("WAIT", 40, None, None, None, None, None, None, None, "", (), "")
    for line in (
        "stop_loss_price: 63,000-63,500",
        "leverage: 5-10",
        "take_profit_price: 2%",
        "direction: up",
        "leverage: NaN",
        "leverage: 1,0e5",
    ):
        with pytest.raises(Unreadable, match=line.split(":")[0]):
            read_executor(f"action: ENTRY_LONG\nconfidence: 60\n{line}")


def test_a_json_answer_is_read_too() -> None:
    answer = {
        "decision": {"action": "signal_entry_short", "confidence": 61.5, "leverage": 3},
        "stop_loss_price": "65,000",
        "take_profit_price": 62000,
    }
    answer |= {"reasoning": 'RSI is "72".', "key_factors": ["one", "two"], "risk_assessment": None}
    text = f"Here:\n```json\n{json.dumps(answer, indent=1)}\n```"
    block = read_executor(text)
    assert (block.action_word, block.stop_loss_price, block.key_factors) == ("ENTRY_SHORT", 65000, ("one", "two"))
    assert (block.reasoning, block.risk_assessment) == ('RSI is "72".', "")
    assert text[slice(*claim_spans(text, "executor")[0])] == '"RSI is \\"72\\"."'
    with pytest.raises(Unreadable, match="confidence"):
        read_executor('{"action": "WAIT", "confidence": NaN}')


def test_the_closing_block_is_the_vote_and_the_rest_is_prose() -> None:
    prose = "RSI is 28.\n- Support: 64,000\n- Confidence: 90 would need a break\n\n"
    block = "[Vote]\ndirection: LONG\n**confidence**: 70%\n\nsupport: 64,100 (swing low)\nresistance: N/A\n"
    text = prose + block + "Not advice, RSI 28."
    assert text[closing_block_start(text) :].startswith("[Vote]\ndirection")
    assert [text[slice(*span)].strip() for span in claim_spans(text, "indicator")] == [prose.strip(), "Not advice, RSI 28."]
    assert closing_block_start("no block") == len("no block")


@pytest.mark.parametrize(
    "vote",
    [
        "direction：看空（SHORT）\nconfidence：约65\nsupport：无\nresistance：110 附近",
        "direction: LONG 📈\nconfidence: about 72% ✅\nsupport: 95\nresistance: 110 USDT",
        "direction:\u200b LONG\nconfidence: \u200b72\nsupport: 95\nresistance: 110",
    ],
)
def test_a_vote_that_can_be_read_is_not_read_for_claims(vote: str) -> None:
    assert read_analyst(vote).resistance == 110
    assert claim_spans(f"RSI is 28.\n\n{vote}\n", "indicator") == ((0, len("RSI is 28.\n\n")),)


def test_the_template_behind_a_vote_is_not_the_vote() -> None:
    vote = "[Vote]\ndirection: SHORT\nconfidence: 58\nsupport: 95\nresistance: N/A\n"
    template = "[Vote]\ndirection: LONG|SHORT|NEUTRAL\nconfidence: 0-100\n"
    for text in (vote + template, vote + "\n" + template, vote + "(Format: " + template):
        assert read_analyst(text).confidence == 58
        assert closing_block_start(text) == 0
    assert closing_block_start("Prose.\n" + template) == len("Prose.\n")


def test_a_type_that_contradicts_its_action_is_unreadable() -> None:
    told = "action: SCALE_IN\nconfidence: 70\nadjustment_pct: 30\nadjustment_type: partial_exit"
    with pytest.raises(Unreadable, match="beside the action SCALE_IN"):
        read_executor(told)
    assert read_executor(told.replace("partial_exit", "scale_in")).action_word == "SCALE_IN"


def test_a_debater_cannot_hide_a_claim_in_its_vote() -> None:
    text = "It holds.\nsupport: 60,000\nrsi is fine\nsupport: 61,000\nconfidence: 80"
    assert text[slice(*claim_spans(text, "bull")[0])].rstrip().endswith("support: 61,000")
    hidden = "It holds.\nconfidence: 80 as RSI is 28"
    assert claim_spans(hidden, "bear") == ((0, len(hidden)),)


def test_of_a_form_the_narrative_is_prose() -> None:
    for text in (ENTRY, _english(ENTRY)):
        prose = "".join(text[slice(*span)] for span in claim_spans(text, "executor"))
        assert all(part in prose for part in ("RSI 为 62", "趋势向上", "MACD 金叉", "波动加大"))
        assert not any(part in prose for part in ("action:", "stop_loss_price", "66,800", "leverage"))


HOSTILE = [
    " " * 200_000 + "x",
    "*" * 200_000,
    "\n" * 200_000,
    "confidence: " * 17_000,
    "confidence: 1" + ",confidence: 1" * 14_000,
    "confidence: " + "1," * 100_000,
    "confidence: " + "a|" * 100_000,
    "<think></think>a" * 13_000,
    "<think>" * 28_000,
    "[Reasoning]\n" * 16_000,
    '{"action":' * 20_000 + "}",
    '{"action":"WAIT","reasoning":"' + '\\"' * 90_000 + '"}',
    '"action"' + "{" * 90_000 + "}" * 90_000,
    "```\n" * 50_000 + "x",
    "[Key factors]\n" + "- a\n" * 40_000,
    "[Reasoning]\n" + " " * 180_000 + "```  " * 4_000 + "y",
]


def seconds_of(work: Callable[[str], object], text: str) -> float:
    """Processor time of this thread."""
    began = time.thread_time()
    with suppress(Unreadable):
        work(text)
    return time.thread_time() - began


@pytest.mark.full
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_answer_takes_linear_time(text: str) -> None:
    for work in (
        read_executor,
        read_analyst,
        closing_block_start,
        lambda told: claim_spans(told, "executor"),
        lambda told: claim_spans(told, "bull"),
    ):
        assert any(seconds_of(work, text) < 1 for _ in range(2)), "once more if the machine was busy"
