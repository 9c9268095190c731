"""The two debates, entry and position, out of one description: bull -> bear -> judge, or bull and bear at once and then on in turn.

What every one of them reads alike is first (`debater_system`, and the facts in `briefing.py`), the role and its closing block last:
endpoints keep a beginning that they have seen, and a small model keeps to what it read last.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import add
from pathlib import Path as FilePath
from typing import Any

from langgraph.runtime import Runtime

from engine.agents.ask import NoAnswer, Question, Spoken
from engine.agents.claim_reader import beside
from engine.agents.debate import Node, Room, Schemas
from engine.agents.watch import Watched, without_text
from engine.desks.decision.briefing import debate_briefing, shared_briefing
from engine.desks.decision.context import DecisionContext
from engine.desks.decision.grounding import before_judge
from engine.desks.decision.paths import Path
from engine.desks.decision.reading.answers import read_argument, read_judge, read_position_judge
from engine.desks.decision.speeches import speech_of
from engine.desks.decision.stakes import held
from engine.desks.decision.state import DebateInput, DebateOutput, DebateState, Json
from engine.domain.events import NodeFinished
from engine.domain.opinion import DebateArgument, Direction, JudgeVerdict, PositionJudgeVerdict, PositionVerdict, Usage, token_usage, usages
from engine.domain.text.language import Language
from engine.domain.text.word_files import read_paragraphs
from engine.prompts.paragraphs import CLOSING, EVIDENCE, FORMS, REJECTION, turn_task
from engine.prompts.render import render

_TEXTS = read_paragraphs(FilePath(__file__).parent, "debaters")
_VOTES: Mapping[str, str] = {
    "bull": "confidence: 0-100",
    "bear": "confidence: 0-100",
    "judge": "verdict: BULL|BEAR|NEUTRAL\ndirection: LONG|SHORT|NEUTRAL\nconfidence: 0-100",
    "position_judge": (
        "verdict: HOLD|EXIT|SCALE_IN|PARTIAL_EXIT\nconfidence: 0-100\nadjustment_pct: percent, only for SCALE_IN and PARTIAL_EXIT"
    ),
}


class PathDebate(Room[DecisionContext]):
    """The debate of one path."""

    name = "debate"
    schemas = Schemas(DebateState, DebateInput, DebateOutput, DecisionContext)

    def __init__(self, path: Path) -> None:
        self.path = path
        *self.speakers, self.judge = path.debaters

    def node(self, node: str) -> Node:
        """Return a speaker; the judge with the second reader, where one is asked, reading what was said before, both at once."""
        speak = super().node(node)
        if node != self.judge:
            return speak

        async def judge(state: DebateState, runtime: Runtime[DecisionContext]) -> Json:
            if not runtime.context.confirms:
                return await speak(state, runtime)
            update, said = await beside(speak(state, runtime), before_judge(self.path, state, runtime.context))
            return {**update, "confirmation": said.model_dump(mode="json")}

        return judge

    def question(self, node: str, state: Any, context: DecisionContext) -> Question:
        """Return what all read, what this side reads, and the task."""
        side, own = self.path.debaters[node], self._before(node, state)
        round_number = own.get("round", 0) + 1
        opens = round_number == 1 and not state.get("debate_speeches")
        held_side = held(context.snapshot.holding, context.language)
        task = debater_task(context.path, side, context.language, held=held_side, round_number=round_number, opens=opens)
        return Question(
            role=side,
            node=node,
            turn=round_number,
            system=debater_system(self.path, context.language),
            user="\n\n".join((shared_briefing(state, context), debate_briefing(self.path, side, state, context), task)),
            said=own.get("text", ""),
            attempt=own.get("attempt", 1),
        )

    def reader(self, node: str) -> Callable[[str], Any]:
        if node != self.judge:
            return read_argument
        return read_position_judge if self.path.name == "position" else read_judge

    async def heard(
        self, node: str, answers: tuple[Spoken[Any], Any], state: Mapping[str, Any], context: DecisionContext, watched: Watched
    ) -> Json:
        """Return the record of a side or of the judge. That of a side goes on with its text, its rounds and its cost."""
        spoken, side, before = answers[0], self.path.debaters[node], self._before(node, state)
        record = (_argument(side, spoken) if node != self.judge else self._verdict(spoken, context)).model_dump(mode="json")
        if before:
            cost = Usage.model_validate(before["usage"]) + spoken.usage
            record |= {"round": before["round"] + 1, "usage": cost.model_dump(mode="json")}
        watched.data = NodeFinished(attempt=spoken.attempt, usage=record["usage"], result=without_text(record))
        update = {self.path.record(side): record}
        if node == self.judge:
            return update | {"judge_reads_first": context.speaks_first} | self._closed(state, context, spoken.usage)
        made = speech_of(node, before.get("text", ""), spoken.text, record["round"])
        return update | {"debate_speeches": [*(state.get("debate_speeches") or ()), made]}

    def lost(self, node: str, lost: NoAnswer, halted: str, state: Mapping[str, Any], context: DecisionContext) -> Json:
        return {"errors": [halted], "lost_usage": lost.usage.model_dump(mode="json"), **self._closed(state, context, lost.usage)}

    def merged(self, state: Mapping[str, Any], updates: Sequence[Json]) -> Json:
        """Return both openings as one update. Where one was lost the debate is over: its cost is that of both."""
        merged = super().merged(state, updates)
        if not merged.get("halted"):
            return merged
        cost = reduce(add, (Usage.model_validate(each["lost_usage"]) for each in updates if each.get("lost_usage")))
        merged |= {"lost_usage": cost.model_dump(mode="json"), "debate_token_usage": self._tokens(merged, cost)}
        return merged | {"nodes_executed": [self.path.debate_node]}

    def _before(self, node: str, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the record of a node's earlier rounds; nothing in the first."""
        return state.get(self.path.record(self.path.debaters[node])) or {}

    def _closed(self, state: Mapping[str, Any], context: DecisionContext, last: Usage) -> Json:
        """Return what the last node of a debate leaves: its time and its cost."""
        return {
            "debate_path": self.path.name,
            "debate_round": max(1, (state.get("turn", 0) + 1) // 2),
            "debate_timestamp": context.now(),
            "debate_duration_ms": context.since(state["analysis_timestamp"]),
            "debate_token_usage": self._tokens(state, last),
            "nodes_executed": [self.path.debate_node],
        }

    def _tokens(self, state: Mapping[str, Any], last: Usage) -> dict[str, int]:
        return token_usage([*usages(state.get(self.path.record(side)) for side in ("bull", "bear")), last])

    def _verdict(self, spoken: Spoken[Any], context: DecisionContext) -> JudgeVerdict | PositionJudgeVerdict:
        block, holding, text, usage = spoken.read, context.snapshot.holding, spoken.text, spoken.usage
        if self.path.name == "entry":
            return JudgeVerdict(**vars(block), text=text, usage=usage)
        direction = Direction.NEUTRAL
        if holding is not None and block.verdict is not PositionVerdict.EXIT:
            direction = Direction.LONG if holding.sign() > 0 else Direction.SHORT
        return PositionJudgeVerdict(**vars(block), direction=direction, text=text, usage=usage)


def _argument(side: Any, spoken: Spoken[Any]) -> DebateArgument:
    return DebateArgument(side=side, text=spoken.text, confidence=spoken.read, attempt=spoken.attempt, usage=spoken.usage)


def debater_system(path: Path, language: Language) -> str:
    rejection = render(REJECTION[language], who=_TEXTS["who"][path.name][language])
    return f"{EVIDENCE[language]}\n\n{FORMS[language]} {rejection}"


def debater_task(path: Path, side: str, language: Language, *, held: str = "", round_number: int = 1, opens: bool = False) -> str:
    """Return what `bull`, `bear` or `judge` is asked on a path, its closing block last. held: which side the open position has. opens:
    no one it could answer has spoken."""
    role = path.node(side)
    tasks = _TEXTS["task"]
    task: str = (tasks.get(f"{role}_on_spot", tasks[role]) if path.paid_in_full else tasks[role])[language]
    turn = "" if side == "judge" else turn_task(round_number, language, opens=opens)
    closing = render(CLOSING[language], length=_TEXTS["length"][side][language], block=_VOTES.get(role, _VOTES[side]))
    asked = render(task, held=held) if "{held}" in task else task
    return "\n\n".join(filter(None, (f"Role: {side}\n{asked}", turn, closing)))
