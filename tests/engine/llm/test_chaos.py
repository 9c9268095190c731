"""A lie on purpose stands before what a role says in the end, and before no call of a tool."""

from dataclasses import replace

import pytest

from engine.llm.protocol import Chunk, ModelCall, Script, Tool, ToolCall
from engine.script.lies import lie_about_facts
from engine.script.model import ChaosModel, ScriptedModel

PRICE = Tool("price", "The last price.", {"type": "object"})
CALL = ModelCall("market", "en", "Role: market analyst", "Company: X", tools=(PRICE,))
ASKED = {"role": "assistant", "content": "I look.", "tool_calls": []}
GIVEN = {"role": "tool", "tool_call_id": "c", "content": "close = 120.69\nrsi_14 = 40.7"}


def _says(call: ModelCall) -> Script:
    if len(call.messages) < 4:
        return Script("I look it up.", tool_calls=(ToolCall("c", "price", "{}"),))
    return Script("The trend holds.")


@pytest.mark.parametrize(
    ("messages", "told"),
    [((), False), ((ASKED, GIVEN), False), ((ASKED, GIVEN, ASKED, GIVEN), True)],
    ids=["before anything is known", "a further call", "the report"],
)
async def test_the_lie_belongs_to_the_report(messages: tuple[dict[str, object], ...], told: bool) -> None:
    model = ChaosModel(ScriptedModel({"market": _says}, pace=0), "value", lie_about_facts)
    chunks: list[Chunk] = [chunk async for chunk in model.stream(replace(CALL, messages=messages))]  # type: ignore[arg-type]
    text, planted = "".join(chunk.text for chunk in chunks), [each for chunk in chunks for each in chunk.planted]
    assert text == ("The RSI(14) stands at 65.7. The trend holds." if told else "I look it up.")
    assert [(each.key, each.stated, each.true) for each in planted] == ([("rsi_14", 65.7, 40.7)] if told else [])
    assert bool(chunks[-1].tool_calls) is not told
