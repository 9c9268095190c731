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
    read_analyst,
    read_argument,
    read_executor,
    read_judge,
    read_position_judge,
)
from engine.desks.decision.reading.spans import claim_spans, closing_block_start
from engine.domain.opinion import Direction
from engine.llm.blocks import read_block
from engine.llm.values import Unreadable

WIDE = {ord(a): b for a, b in zip("0123456789:", "０１２３４５６７８９：", strict=True)}
DRESSES = ["{k}: {v}", "- {k}: {v}", "**{k}:** {v}", "{K}={v}", "> {k} : {v}%", "| {k} | {v} |", '  "{k}": "{v}",', "1. {k}: {v}"]
BEFORE = ["", "The trend holds; my confidence is growing.\n\n", "<think>direction: SHORT\nconfidence: 1</think>", "趋势向上。\n[表决]\n"]
TEMPLATE = "direction: LONG|SHORT|NEUTRAL\nconfidence: 0-100\nsupport: price\nadjustment_pct: percent, only for SCALE_IN"
AFTER = ["", f"\n\n{TEMPLATE}", "\n```", "\n\nGood luck!", "\n---\nNo advice.", "\nconfidence: <0-100>", "\n<think>confidence: 2"]
KEYS = ["direction", "confidence", "action", "verdict", ":", "="]
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
        st.sampled_from([*KEYS, *'\n |[]-*<>{"', "80", "LONG", "WAIT", "决策", "<think>"]),
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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("confidence: 70", "direction: not found"),
        ("direction: LONG\nconfidence: 0-100", "confidence: not found"),
        ("direction: LONG\nconfidence: 60-70", "confidence: found '60-70'"),
        ("direction: LONG\nconfidence: 60\nsupport: 64,000-64,200", "support: found"),
        ("<think>direction: LONG\nconfidence: 60", "direction: not found"),
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
    ("english", _english),
    ("bold without brackets", lambda text: text.replace("[", "**").replace("]", "**")),
    ("thinking", lambda text: f"<think>{text.replace('72', '11')}</think>{text}"),
    (
        "template first",
        lambda text: f"[决策]\naction: <操作类型>\nconfidence: <置信度 0-100>\n[决策理由]\n<你的推理过程>\n[关键因素]\n- <因素1>\n{text}",
    ),
]


@pytest.mark.parametrize("dress", [form[1] for form in FORMS], ids=[form[0] for form in FORMS])
def test_an_executors_form_is_read_in_every_dress(dress: Callable[[str], str]) -> None:
    block = read_executor(dress(ENTRY))
    numbers = (block.confidence, block.leverage, block.stop_loss_price, block.take_profit_price)
    assert (block.action_word, block.direction, numbers) == ("ENTRY_LONG", Direction.LONG, (72, 5, 63500, 66800))
    assert (block.adjustment_pct, block.adjustment_type) == (None, None)
    assert block.reasoning.splitlines() == ["趋势向上。", "confidence: 55 是裁判给出的。"]
    assert [factor.upper() for factor in block.key_factors] == ["EMA20 高于 EMA50", "MACD 金叉， 仍在持续"]
    assert block.risk_assessment == "波动加大。"


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


def test_a_debater_cannot_hide_a_claim_in_its_vote() -> None:
    text = "It holds.\nsupport: 60,000\nrsi is fine\nsupport: 61,000\nconfidence: 80"
    assert text[slice(*claim_spans(text, "bull")[0])].rstrip().endswith("support: 61,000")
    hidden = "It holds.\nconfidence: 80 as RSI is 28"
    assert claim_spans(hidden, "bear") == ((0, len(hidden)),)


HOSTILE = [
    "\n" * 200_000,
    "confidence: 1" + ",confidence: 1" * 14_000,
    "confidence: " + "1," * 100_000,
    "<think>" * 28_000,
    "[Reasoning]\n" * 16_000,
    '{"action":"WAIT","reasoning":"' + '\\"' * 90_000 + '"}',
    '"action"' + "{" * 90_000 + "}" * 90_000,
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
