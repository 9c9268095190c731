"""What was said in a debate, speech by speech, in the order it was said, and how others hear it.

A record of the state holds all rounds of a side as one text; `debate_speeches` of the state says where each begins and ends.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.agents.attached import without_quoted
from engine.agents.heard import heard_words
from engine.agents.token_log import ROUND_BREAK
from engine.desks.decision.context import DecisionContext
from engine.desks.decision.paths import Path
from engine.desks.decision.reading.spans import claim_spans, closing_block_start
from engine.desks.decision.state import Json
from engine.domain.claims import Claim
from engine.domain.roles import Role
from engine.grounding.reading import read_claims
from engine.grounding.tables.markets import CRYPTO
from engine.llm.blocks import Span


@dataclass(frozen=True)
class DebateSpeech:
    """One speech. node: where it was made. side: `bull`, `bear`. round: from 1. span: where it is in the record's text."""

    node: str
    side: Role
    round: int
    span: Span


def speech_of(node: str, before: str, text: str, round_number: int) -> Json:
    """Return the entry of `debate_speeches` for what was said last. before, text: all that the side had said, and has said now."""
    start = len(before) + len(ROUND_BREAK) if before else 0
    return {"node": node, "round": round_number, "start": min(start, len(text)), "end": len(text)}


def speeches(path: Path, state: Mapping[str, Any]) -> list[DebateSpeech]:
    """Return the speeches of bull and bear in the order they were made; in a state of before each record is one."""
    if listed := state.get("debate_speeches"):
        return [DebateSpeech(each["node"], path.debaters[each["node"]], each["round"], (each["start"], each["end"])) for each in listed]
    said = ((side, state.get(path.record(side))) for side in ("bull", "bear"))
    return [DebateSpeech(path.node(side), side, 1, (0, len(record["text"]))) for side, record in said if record]


def spans_of(node: str, text: str, made: Iterable[DebateSpeech]) -> tuple[Span, ...]:
    """Return what of a node's text is read for claims: every speech without its closing block."""
    parts = [each.span for each in made if each.node == node] or [(0, len(text))]
    return tuple((start + a, start + b) for start, end in parts for a, b in claim_spans(text[start:end], node))


def heard(node: str, text: str, context: DecisionContext) -> str:
    """Return what others hear of one answer: its words, put right; as they were said where only the debate's end corrects them."""
    if not context.corrects_each_turn:
        return text[: closing_block_start(text, node)].strip()
    known = context.heard.get((node, text))
    if known is None:
        known = context.heard[node, text] = corrected_words(node, text, claims_of(node, text, context), context)
    return known


def claims_of(node: str, text: str, context: DecisionContext) -> tuple[Claim, ...]:
    spans, said_on = without_quoted(claim_spans(text, node), text, context.citable), context.said_on.get(node)
    return read_claims(text, context.sheet, node, spans, said_on.sheet if said_on is not None else None, table=CRYPTO)


def corrected_words(node: str, text: str, claims: Sequence[Claim], context: DecisionContext, *, marks_points: bool = True) -> str:
    """Return one answer without its closing block, put right. claims: of this text. marks_points: see `heard_words`."""
    end = closing_block_start(text, node)
    inside = [claim for claim in claims if claim.end <= end]
    return heard_words(text[:end], inside, context.sheet, context.language, CRYPTO, marks_points=marks_points).strip()
