"""What the desks measured and decided before, as documents of the source `journal`. Read once and recorded by the node that asks.

The price that was measured, and the name of the action. Texts of earlier answers and reasons are left out, since an answer that cites
itself is no surer the second time; so are the levels that a role chose for its order, which nothing measured. A run about a company leaves
its decision as a memory; decisions about a market are read out of their finished runs, dated by their clock.
"""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from engine.desks.research.context import ResearchContext
from engine.domain.ended import Memory
from engine.domain.research.document import Document
from engine.domain.run import RunRecord
from engine.domain.text.visible import shortened

JOURNAL: Final = "journal"
DECISION: Final = "decision"
_COMPANIES: Final = "fusion"
_MOST: Final = 5
_LOOKED_AT: Final = 20
"""Memories among which the newest ones of the same prices are looked for."""
_OF_COMPANY: Final = ("trade_date", "trading_session", "action", "price")


async def past_documents(context: ResearchContext) -> list[Document]:
    """Return what later runs may know of earlier ones about the same symbol by the clock, on prices of the same kind, newest first."""
    symbol, feed, at = context.request.symbol, context.request.feed, context.inputs.at
    if not symbol:
        return []
    memories = context.read_memories
    assert memories is not None, "a run that is verified reads nothing"
    until = at.isoformat()
    kept = await asyncio.to_thread(memories, _COMPANIES, symbol, DECISION, until=until, limit=_LOOKED_AT)
    found = [_of_memory(each) for each in kept if each.dated != until and each.feed == feed][:_MOST]
    if context.read_runs is not None:
        runs = await asyncio.to_thread(context.read_runs, DECISION, symbol, feed, at, _MOST)
        found += [_of_run(each) for each in runs if each.known_at != at]
    return found


def _of_run(record: RunRecord) -> Document:
    result = record.result or {}
    decided = {"action": result.get("final_action"), "price": result.get("current_price"), "valid": result.get("is_valid")}
    return Document(
        source=JOURNAL,
        title=shortened(f"decision: {record.request.subject}", 200),
        abstract=_lines(decided),
        published_date=record.known_at.isoformat(),
        url=f"journal:decision:{record.run_id}",
    )


def _of_memory(memory: Memory) -> Document:
    return Document(
        source=JOURNAL,
        title=shortened(f"{memory.flow} {memory.name}: {memory.subject}", 200),
        abstract=_lines({name: memory.body.get(name) for name in _OF_COMPANY}),
        published_date=memory.dated or None,
        url=f"journal:{memory.flow}:{memory.dated}",
    )


def _lines(decided: Mapping[str, Any]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in decided.items() if value is not None)
