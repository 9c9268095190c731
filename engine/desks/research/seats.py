"""Who speaks where: one role, in the loop and in the answer."""

from typing import Final

from engine.flows.protocol import Seat

ROLE: Final = "research_agent"
NODES: Final = ("llm_decision", "search", "clean_and_rerank", "download", "summarize")
"""In the order of the graph, without the optional tool, which goes with the thought that asks for it."""

SEATS: Final = (
    Seat(ROLE, "llm_decision", "thinking", {"en": "Research agent · thought", "zh": "研究代理 · 思考"}),
    Seat(ROLE, "summarize", "answering", {"en": "Research agent · answer", "zh": "研究代理 · 回答"}),
)
