"""The two debates, entry and position, out of one description: bull -> bear -> judge, or bull and bear at once and then on in turn.

A debater without a usable answer halts the decision: half a debate is no ground for a trade.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from engine.agents.ask import NoAnswer, Question, Spoken, ask
from engine.agents.claim_reader import beside
from engine.agents.debate import Node, Schemas, Speaker, build_debate, joined
from engine.agents.watch import watch, without_text
from engine.desks.decision.briefing import debate_briefing, shared_briefing
from engine.desks.decision.context import DecisionContext
from engine.desks.decision.debaters import debater_system, debater_task
from engine.desks.decision.grounding import before_judge
from engine.desks.decision.paths import Path
from engine.desks.decision.reading.answers import PositionJudgeBlock, read_argument, read_judge, read_position_judge
from engine.desks.decision.speeches import speech_of
from engine.desks.decision.stakes import held
from engine.desks.decision.state import DebateInput, DebateOutput, DebateState
from engine.domain.events import NodeFinished
from engine.domain.frozen_model import FrozenModel
from engine.domain.opinion import DebateArgument, Direction, JudgeVerdict, PositionJudgeVerdict, PositionVerdict, Usage, token_usage, usages
from engine.domain.text.reason import Reason


@dataclass(frozen=True)
class _Part:
    """One side of a debate. read: takes the vote from an answer. outcome: makes the state's record of it."""

    side: str
    read: Callable[[str], Any]
    outcome: Callable[[Spoken[Any], DecisionContext], FrozenModel]


def build_path_debate(path: Path, rounds: int = 1, *, together: bool = False) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the debate of one path as a graph, ready to be a node of the decision. together: both sides open at once."""
    judge = _Part("judge", read_position_judge, _position_verdict) if path.name == "position" else _Part("judge", read_judge, _verdict)
    parts = [_Part("bull", read_argument, _argument("bull")), _Part("bear", read_argument, _argument("bear")), judge]
    bull, bear, last = (Speaker(path.node(part.side), _node(path, part)) for part in parts)
    last = replace(last, node=_judge_node(path, last.node))
    schemas = Schemas(DebateState, DebateInput, DebateOutput, DecisionContext)
    return build_debate(schemas, (bull, bear), last, rounds, together=together, merge=_merge(path))


def _node(path: Path, part: _Part) -> Node:
    role = path.node(part.side)

    async def node(state: DebateState, runtime: Runtime[DecisionContext]) -> Mapping[str, Any]:
        context, records = runtime.context, dict[str, Any](**state)
        question = _question(path, part.side, state, context)
        turn: dict[str, Any] = {"turn": state.get("turn", 0) + 1}
        with watch(context.access.emit, role, "debate") as watched:
            try:
                spoken = await ask(context.access, question, part.read)
            except NoAnswer as lost:
                said = Reason("no_usable_answer", role=role, reason=lost).said_in(context.language)
                watched.data = NodeFinished(usage=lost.usage)
                watched.failed(str(lost), "safe_action")
                halt = {"halted": said, "errors": [said], "lost_usage": lost.usage.model_dump(mode="json")}
                return turn | halt | _close(path, state, context, lost.usage)
            record = _with_earlier_rounds(part.outcome(spoken, context), records.get(path.record(part.side)))
            watched.data = NodeFinished(attempt=spoken.attempt, usage=record["usage"], result=without_text(record))
        update = turn | {path.record(part.side): record}
        if part.side == "judge":
            return update | {"judge_reads_first": context.speaks_first} | _close(path, state, context, spoken.usage)
        made = speech_of(role, question.said, spoken.text, record["round"])
        return update | {"debate_speeches": [*(state.get("debate_speeches") or ()), made]}

    return node


def _judge_node(path: Path, speak: Node) -> Node:
    async def node(state: DebateState, runtime: Runtime[DecisionContext]) -> Mapping[str, Any]:
        """Let the judge speak and, where a second reader is asked, that one read what was said before, both at once."""
        if not runtime.context.confirms:
            return await speak(state, runtime)
        update, said = await beside(speak(state, runtime), before_judge(path, state, runtime.context))
        return {**update, "confirmation": said.model_dump(mode="json")}

    return node


def _merge(path: Path) -> Callable[[DebateState, Sequence[Mapping[str, Any]]], dict[str, Any]]:
    def merge(state: DebateState, updates: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return both openings as one update. Where one was lost the debate is over: its cost is that of both."""
        merged = joined(state, updates)
        if not merged.get("halted"):
            return merged
        lost = [Usage.model_validate(each["lost_usage"]) for each in updates if each.get("lost_usage")]
        records: list[Any] = [merged.get(path.record(side)) for side in ("bull", "bear")]
        cost = reduce(add, lost)
        spent = token_usage([*usages(records), cost])
        return merged | {"lost_usage": cost.model_dump(mode="json"), "debate_token_usage": spent, "nodes_executed": [path.debate_node]}

    return merge


def _with_earlier_rounds(now: FrozenModel, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the record of a role after this round: its count and its cost go on."""
    record = now.model_dump(mode="json")
    if before is not None:
        cost = Usage.model_validate(before["usage"]) + Usage.model_validate(record["usage"])
        record |= {"round": before["round"] + 1, "usage": cost.model_dump(mode="json")}
    return record


def _question(path: Path, side: str, state: DebateState, context: DecisionContext) -> Question:
    own: Mapping[str, Any] = dict[str, Any](**state).get(path.record(side)) or {}
    round_number = own.get("round", 0) + 1
    opens = round_number == 1 and not state.get("debate_speeches")
    held_side = held(context.snapshot.holding, context.language)
    task = debater_task(context.path, side, context.language, held=held_side, round_number=round_number, opens=opens)
    return Question(
        role=side,
        node=path.node(side),
        turn=round_number,
        system=debater_system(path, context.language),
        user="\n\n".join((shared_briefing(state, context), debate_briefing(path, side, state, context), task)),
        said=own.get("text", ""),
        attempt=own.get("attempt", 1),
    )


def _close(path: Path, state: DebateState, context: DecisionContext, last: Usage) -> dict[str, Any]:
    """Return what the last node of a debate leaves: its time and its cost."""
    earlier: list[Any] = [state.get(path.record(side)) for side in ("bull", "bear")]
    return {
        "debate_path": path.name,
        "debate_round": max(1, (state.get("turn", 0) + 1) // 2),
        "debate_timestamp": context.now(),
        "debate_duration_ms": context.since(state["analysis_timestamp"]),
        "debate_token_usage": token_usage([*usages(earlier), last]),
        "nodes_executed": [path.debate_node],
    }


def _argument(side: Any) -> Callable[[Spoken[Any], DecisionContext], FrozenModel]:
    return lambda spoken, _: DebateArgument(side=side, text=spoken.text, confidence=spoken.read, attempt=spoken.attempt, usage=spoken.usage)


def _verdict(spoken: Spoken[Any], _: DecisionContext) -> FrozenModel:
    block = spoken.read
    return JudgeVerdict(verdict=block.verdict, direction=block.direction, confidence=block.confidence, text=spoken.text, usage=spoken.usage)


def _position_verdict(spoken: Spoken[PositionJudgeBlock], context: DecisionContext) -> FrozenModel:
    block, holding = spoken.read, context.snapshot.holding
    stays = holding is not None and block.verdict is not PositionVerdict.EXIT
    direction = (Direction.LONG if holding.sign() > 0 else Direction.SHORT) if stays and holding else Direction.NEUTRAL
    return PositionJudgeVerdict(
        verdict=block.verdict,
        direction=direction,
        confidence=block.confidence,
        adjustment_pct=block.adjustment_pct,
        text=spoken.text,
        usage=spoken.usage,
    )
