"""The grounding node: every number the roles stated, checked against the snapshot; the gate that a dishonest debate does not pass.

Pure code, no model. Analysts and debaters are all read; the score and the gate are over the debate.
"""

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from engine.agents.attached import without_quoted
from engine.agents.watch import watch
from engine.domain.claims import Claim, GroundingResult
from engine.domain.events import GroundingCorrected, NodeFinished
from engine.domain.roles import Role
from engine.flows.decision import paths
from engine.flows.decision.context import DecisionContext, Node
from engine.flows.decision.paths import Path
from engine.flows.decision.reasons import reason
from engine.flows.decision.speeches import spans_of, speeches
from engine.flows.decision.state import TradingDecisionState
from engine.grounding.report.summary import corrected_context, corrected_values, false_claim_details, grounding_summary
from engine.grounding.result import ground
from engine.grounding.tables.crypto import CRYPTO


def grounding_node(path: Path) -> Node[TradingDecisionState]:
    """Return the grounding of one path."""

    async def node(state: TradingDecisionState, runtime: Runtime[DecisionContext]) -> dict[str, Any]:
        context = runtime.context
        emit, name = context.access.emit, path.grounding_node
        with watch(emit, name, "grounding") as watched:
            texts = spoken_texts(path, state)
            given = context.snapshot.evidence
            made = speeches(path, state)
            spans = {node: without_quoted(spans_of(node, text, made), text, given) for node, text in texts.items()}
            said_on = {role: said.sheet for role, said in context.said_on.items()}
            result = ground(texts, context.sheet, path.debaters, CRYPTO, spans=spans, earlier_sheets=said_on)
            update = _update(path, result, context)
            for claim in result.claims:
                if claim.verdict == "false":
                    emit(name, correction_data(claim))
            watched.data = NodeFinished(
                result=result.model_dump(mode="json"),
                corrected_context=update[path.key(paths.CORRECTED_CONTEXT)],
                grounding_summary=update[path.key(paths.GROUNDING_SUMMARY)],
            )
        times = {"grounding_timestamp": context.now(), "grounding_duration_ms": context.since(str(state["debate_timestamp"]))}
        return update | times | {"nodes_executed": [name]} | _gate(result, context)

    return node


def spoken_texts(path: Path, state: TradingDecisionState) -> dict[Role, str]:
    """Return node -> the whole text that was said there, analysts first, then the debate, in speaking order."""
    reports = {key: item["text"] for key, item in state["reports"].items() if not item["abstained"]}
    records: Mapping[str, Any] = state
    return reports | {node: records[field]["text"] for node, field in zip(path.debaters, path.records, strict=True)}


def correction_data(claim: Claim) -> GroundingCorrected:
    """Return the data of the event about a false claim."""
    fields = {"source", "key", "text", "kind", "claimed", "actual", "unit", "deviation", "start", "end"}
    return GroundingCorrected(**claim.model_dump(include=fields))


def _update(path: Path, result: GroundingResult, context: DecisionContext) -> dict[str, Any]:
    own = {
        paths.GROUNDING_RESULT: result.model_dump(mode="json"),
        paths.HALLUCINATION_SCORE: result.hallucination_score,
        paths.CORRECTED_VALUES: corrected_values(result, context.sheet),
        paths.CORRECTED_CONTEXT: corrected_context(result, context.sheet, context.language, path.debaters, CRYPTO),
        paths.GROUNDING_SUMMARY: grounding_summary(result, context.language, path.debaters),
        paths.FALSE_CLAIM_DETAILS: [dict(item) for item in false_claim_details(result, path.debaters)],
    }
    return {path.key(field): value for field, value in own.items()} | {
        "grounding_verified": not result.gate_closed,
        paths.HALLUCINATION_SCORE: result.hallucination_score,
        "total_claims": result.total_claims,
        "verified_claims": result.verified_claims,
        "false_claims": result.false_claims,
    }


def _gate(result: GroundingResult, context: DecisionContext) -> dict[str, Any]:
    if not result.gate_closed:
        return {}
    share, counts = f"{result.hallucination_score:.0f}", {"false": result.false_claims, "total": result.total_claims}
    closed = reason("gate_closed", context.language, score=share, **counts)
    return {"halted": closed, "errors": [closed]}
