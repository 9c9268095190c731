"""The grounding node: every number the roles stated, checked against the snapshot; the gate that a dishonest debate does not pass.

Analysts and debaters are all read, and scored apart; the gate closes on either score. Code alone judges values. Where a second reader is
to be asked, what the judge said is asked about here; what was said before, beside the judge's speech (`before_judge`).
"""

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from engine.agents.attached import without_quoted
from engine.agents.claim_question import StrikeSubject, strikes_in
from engine.agents.claim_reader import Confirmation, confirm, confirm_judge, emit_corrections, settled
from engine.agents.debate import Node
from engine.agents.reader_nodes import ROLE as READER
from engine.agents.reader_nodes import reader_before
from engine.agents.watch import watch
from engine.desks.decision.context import DecisionContext
from engine.desks.decision.paths import GROUNDING_RESULT, Path
from engine.desks.decision.speeches import spans_of, speeches
from engine.desks.decision.state import DebateState, TradingDecisionState
from engine.domain.claims import GroundingResult
from engine.domain.events import NodeFinished
from engine.domain.roles import Role
from engine.domain.text.reason import Reason
from engine.grounding.report.summary import corrected_context, corrected_values, false_claim_details, grounding_summary
from engine.grounding.result import checked_counts, ground, result_of
from engine.grounding.tables.markets import CRYPTO
from engine.grounding.tables.thresholds import closes_gate, score_of


def grounding_node(path: Path) -> Node:
    async def node(state: TradingDecisionState, runtime: Runtime[DecisionContext]) -> dict[str, Any]:
        context = runtime.context
        emit, name = context.access.emit, path.grounding_node
        with watch(emit, name, "grounding") as watched:
            texts = spoken_texts(path, state)
            result = _read(path, state, texts, context)
            confirmation = await _judge_confirmed(path, state, result, texts, context)
            if confirmation is not None:
                result = result_of(settled(result.claims, confirmation), path.debaters)
            update = _update(path, result, context) | _lost_reader(confirmation, context)
            emit_corrections(emit, name, result.claims)
            watched.data = NodeFinished(
                result=result.model_dump(mode="json"),
                corrected_context=update[path.key("corrected_context")],
                grounding_summary=update[path.key("grounding_summary")],
            )
        times = {"grounding_timestamp": context.now(), "grounding_duration_ms": context.since(str(state["debate_timestamp"]))}
        return update | times | {"nodes_executed": [name]} | _gate(result, context)

    return node


def spoken_texts(path: Path, state: TradingDecisionState | DebateState) -> dict[Role, str]:
    """Return node -> the whole text that was said there so far, analysts first, then the debate, in speaking order."""
    reports = {key: item["text"] for key, item in state["reports"].items() if not item["abstained"]}
    records: Mapping[str, Any] = state
    debate = zip(path.debaters, map(records.get, path.records), strict=True)
    return reports | {node: record["text"] for node, record in debate if record}


async def before_judge(path: Path, state: TradingDecisionState | DebateState, context: DecisionContext) -> Confirmation:
    """Return what a second reader says of the strikes in what analysts and debaters have said. To be called beside the judge's speech."""
    texts = spoken_texts(path, state)
    strikes = strikes_in(_read(path, state, texts, context).claims, texts)
    return await confirm(context.access, reader_before(path.node("judge")), StrikeSubject(context.sheet, CRYPTO), strikes)


async def _judge_confirmed(
    path: Path, state: TradingDecisionState, result: GroundingResult, texts: Mapping[Role, str], context: DecisionContext
) -> Confirmation | None:
    """Return what the second reader says of all strikes, the judge's own included; None where none is asked."""
    if not context.confirms:
        return None
    judge, strikes = path.node("judge"), strikes_in(result.claims, texts)
    own = [each for each in strikes if each.claim.source == judge]
    earlier = [each for each in strikes if each.claim.source != judge]
    said = Confirmation.model_validate(state.get("confirmation") or {})
    return await confirm_judge(context.access, judge, StrikeSubject(context.sheet, CRYPTO), own, earlier, said)


def _lost_reader(confirmation: Confirmation | None, context: DecisionContext) -> dict[str, Any]:
    """Return what the second reader leaves: what it cost, and that it gave no answer."""
    if confirmation is None:
        return {}
    lost = [Reason("no_usable_answer", role=READER, reason=confirmation.lost).said_in(context.language)] if confirmation.lost else []
    return {"confirmation": confirmation.model_dump(mode="json"), "warnings": lost}


def _read(path: Path, state: TradingDecisionState | DebateState, texts: Mapping[Role, str], context: DecisionContext) -> GroundingResult:
    """Return the claims of texts, judged by the rules."""
    given, made = context.citable, speeches(path, state)
    spans = {node: without_quoted(spans_of(node, text, made), text, given) for node, text in texts.items()}
    said_on = {role: said.sheet for role, said in context.said_on.items()}
    return ground(texts, context.sheet, path.debaters, CRYPTO, spans=spans, earlier_sheets=said_on)


def _update(path: Path, result: GroundingResult, context: DecisionContext) -> dict[str, Any]:
    own = {
        GROUNDING_RESULT: result.model_dump(mode="json"),
        "hallucination_score": result.hallucination_score,
        "corrected_values": corrected_values(result, context.sheet),
        "corrected_context": corrected_context(result, context.sheet, context.language, path.debaters, CRYPTO),
        "grounding_summary": grounding_summary(result, context.language, path.debaters),
        "false_claim_details": [dict(item) for item in false_claim_details(result, path.debaters)],
    }
    return {path.key(field): value for field, value in own.items()} | {
        "grounding_verified": result.is_verified,
        "hallucination_score": result.hallucination_score,
        "analysis_hallucination_score": result.analysis_hallucination_score,
        "confidence_penalty": result.penalty_pct,
        "total_claims": result.total_claims,
        "verified_claims": result.verified_claims,
        "false_claims": result.false_claims,
    }


def _gate(result: GroundingResult, context: DecisionContext) -> dict[str, Any]:
    if not result.gate_closed:
        return {}
    closed = []
    for name, counted in (("gate_closed_debate", True), ("gate_closed_analysts", False)):
        false, total = checked_counts(claim for claim in result.claims if (claim.source in context.path.debaters) == counted)
        score = score_of(false, total)
        if score is not None and closes_gate(score):
            closed.append(Reason(name, score=f"{score:.0f}", false=false, total=total).said_in(context.language))
    return {"halted": closed[0], "errors": closed}
