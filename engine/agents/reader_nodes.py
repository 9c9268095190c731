"""Where the second reader of claims is asked (`claim_reader.py`): names of nodes, for flows and forks. Imports nothing that takes long."""

from collections.abc import Collection, Mapping
from typing import Final

from engine.prompts.render import Text

ROLE: Final = "reader"
STAGE: Final = "reader"
TITLE: Final[Text] = {"en": "Claim reader", "zh": "断言复核"}


def reader_before(judge: str) -> str:
    """Return the node that asks about what was said before a judge."""
    return f"reader_before_{judge}"


def reader_of(judge: str) -> str:
    """Return the node that asks about a judge's own words."""
    return f"reader_of_{judge}"


def is_reader(node: str) -> bool:
    """Return whether a node is one of the reader's."""
    return node.startswith((reader_before(""), reader_of("")))


def readers_asked_anew(said_anew: Collection[str], heard: Mapping[str, Collection[str]]) -> frozenset[str]:
    """Return the reader's nodes whose answers are about words that are said anew. said_anew: nodes. heard: judge -> the nodes that speak
    before it."""
    before = {reader_before(judge) for judge, nodes in heard.items() if not set(nodes).isdisjoint(said_anew)}
    return frozenset(before | {reader_of(judge) for judge in heard if judge in said_anew})
