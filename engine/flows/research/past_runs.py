"""What the desk itself decided and answered before, as documents of the source `journal`. Read once and recorded by the node that asks.

A research run leaves its answer under its question (`answer`) and under its symbol (`answer_about`), one about a company its decision, as
memories; decisions about a market are read out of their finished runs, dated by their clock.
"""

import asyncio
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from engine.domain.ended import Memory
from engine.domain.research.document import Document
from engine.domain.run import RunRecord
from engine.flows.research.context import ResearchContext

JOURNAL: Final = "journal"
ANSWER: Final = "answer"
ABOUT: Final = "answer_about"
DECISION: Final = "decision"
_MOST: Final = 5
_OF_A_SYMBOL: Final = (("research", ABOUT), ("fusion", "decision"))


async def past_documents(context: ResearchContext) -> list[Document]:
    """Return what later runs may know of earlier ones about the same subject by the clock, newest first."""
    memories = context.read_memories
    assert memories is not None, "a run that is verified reads nothing"
    until = context.inputs.at.isoformat()
    asked = [("research", ANSWER, context.request.question)]
    if context.request.symbol:
        asked += [(flow, name, context.request.symbol) for flow, name in _OF_A_SYMBOL]
    found: list[Document] = []
    for flow, name, subject in asked:
        kept: Sequence[Memory] = await asyncio.to_thread(memories, flow, subject, name, until=until, limit=_MOST)
        found += [_document(each) for each in kept if each.dated != until]
    if context.request.symbol and context.read_runs is not None:
        runs = await asyncio.to_thread(context.read_runs, DECISION, context.request.symbol, _MOST)
        found += [_decision(each) for each in runs if each.result is not None and _is_known(each, context)]
    return found


def _is_known(record: RunRecord, context: ResearchContext) -> bool:
    """Return whether a decision was made by the clock, and on prices of the same kind: a simulated market is no word on a real one."""
    ref = record.request.account_ref
    return clock_of(record) < context.inputs.at and (ref is None or ref.feed == context.request.feed)


def clock_of(record: RunRecord) -> datetime:
    """Return the instant after which a run knew nothing: the clock that was asked for, else when it began."""
    return record.request.market_clock or record.created_at


def _decision(record: RunRecord) -> Document:
    result = record.result or {}
    decided = result.get("execution_result") or {}
    said = {
        "action": result.get("final_action"),
        "price": result.get("current_price"),
        "confidence": decided.get("confidence"),
        "stop": decided.get("stop_loss"),
        "target": decided.get("take_profit"),
        "valid": result.get("is_valid"),
    }
    lines = [f"{name}: {value}" for name, value in said.items() if value is not None]
    reasoning = str(decided.get("reasoning") or "")[:1500]
    return Document(
        source=JOURNAL,
        title=f"decision: {record.request.subject}"[:200],
        abstract="\n".join([*lines, *([reasoning] if reasoning else [])]),
        published_date=clock_of(record).isoformat(),
        url=f"journal:decision:{record.run_id}",
    )


def _document(memory: Memory) -> Document:
    body = memory.body
    text = str(body.get("answer") or body.get("reason") or "")
    facts = {key: value for key, value in body.items() if key not in {"answer", "reason", "run_id", "confidence"} and value is not None}
    said = "; ".join(f"{key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}" for key, value in facts.items())
    return Document(
        source=JOURNAL,
        title=f"{memory.flow} {memory.name}: {memory.subject}"[:200],
        abstract="\n".join(each for each in (text, said) if each)[:4000],
        published_date=memory.dated or None,
        url=f"journal:{memory.flow}:{body.get('run_id') or memory.dated}",
    )
