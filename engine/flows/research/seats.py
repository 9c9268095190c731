"""Who speaks where: one role, in the loop and in the answer; and what a fork asks anew."""

from typing import Final

from engine.domain.errors import BadInput
from engine.domain.run import Origin
from engine.flows.protocol import Fork, Seat

ROLE: Final = "research_agent"
NODES: Final = ("llm_decision", "optional_tool", "search", "clean_and_rerank", "download", "summarize")
"""In the order of the graph."""

SEATS: Final = (
    Seat(ROLE, "llm_decision", "thinking", {"en": "Research agent · thought", "zh": "研究代理 · 思考"}),
    Seat(ROLE, "summarize", "answering", {"en": "Research agent · answer", "zh": "研究代理 · 回答"}),
)


def fork_of(origin: Origin) -> Fork:
    """Return the nodes that are done anew, the one that is named and all behind it. Raises BadInput naming the nodes there are."""
    speaking = [seat.node for seat in SEATS]
    for name, text in origin.texts.items():
        if name not in speaking:
            raise BadInput(f"role {name[:40]!r} is not known; roles are {', '.join(speaking)}")
        if not text.strip():
            raise BadInput(f"the text of {name} is empty")
    if origin.from_node is None:
        return Fork(frozenset(), dict(origin.texts))
    own = origin.from_node.strip()
    if own not in NODES:
        raise BadInput(f"node {own[:40]!r} is not known; a run can be forked from {', '.join(NODES)}")
    return Fork(frozenset(NODES[NODES.index("llm_decision" if own == "optional_tool" else own) :]), dict(origin.texts))
