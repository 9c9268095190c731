"""What the desk itself decided and answered before, as documents of the source `journal`. Read once and recorded by the node that asks.

A research run leaves its answer under its question (`answer`) and under its symbol (`answer_about`); one about a company its decision.
"""

import asyncio
import json
from collections.abc import Sequence
from typing import Final

from engine.domain.ended import Memory
from engine.domain.research.document import Document
from engine.flows.research.context import ResearchContext

JOURNAL: Final = "journal"
ANSWER: Final = "answer"
ABOUT: Final = "answer_about"
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
    return found


def _document(memory: Memory) -> Document:
    body = memory.body
    text = str(body.get("answer") or body.get("reason") or "")
    facts = {key: value for key, value in body.items() if key not in {"answer", "reason"} and value is not None}
    said = "; ".join(f"{key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}" for key, value in facts.items())
    return Document(
        source=JOURNAL,
        title=f"{memory.flow} {memory.name}: {memory.subject}"[:200],
        abstract="\n".join(each for each in (text, said) if each)[:4000],
        published_date=memory.dated or None,
        url=f"journal:{memory.flow}:{body.get('run_id') or memory.dated}",
    )
