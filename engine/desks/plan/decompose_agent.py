"""`DecomposeAgent`: makes a plan of a question, by a model or by the words of the question.

A model's endpoint is held to the schema of a plan where it can be (`response_format`), else offered a tool whose arguments are the plan;
else the plan is the JSON at the end of the answer (`llm.protocol.AnswerSchema`). An answer that cannot be read is asked for once more, with
the path of the fault; then, and without a model, the words decide, and a warning says so.
"""

import json
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Final, Literal

from engine.agents.access import ModelAccess
from engine.agents.ask import NoAnswer, Question, Spoken, ask, asked_again
from engine.agents.watch import watch
from engine.desks.plan.by_words import plan_by_words, replanned_by_words
from engine.desks.plan.registry import ToolRegistry
from engine.desks.plan.request import DEFAULT_SYMBOL
from engine.desks.plan.stages import PLANNER
from engine.desks.plan.validation import PlanFault, checked_plan
from engine.desks.plan.words import say
from engine.domain.clock import utc_now
from engine.domain.errors import BadInput
from engine.domain.events import NodeFinished
from engine.domain.plan.plan import MOST_FACTORS, MOST_TASKS, MOST_TEXT, DecompositionPlan, FactorPlan
from engine.domain.text.reason import Reason
from engine.llm.blocks import visible
from engine.llm.protocol import AnswerSchema
from engine.llm.values import Unreadable
from engine.prompts.paragraphs import REPAIR
from engine.prompts.render import quoted, render

SUBMIT: Final = "submit_plan"
_SHAPE: Final = (
    '{"global_assumptions": {}, "factors": [{"name": "...", "description": "...", "placeholders": {"symbol": "..."}, '
    '"tasks": [{"id": "...", "description": "...", "tool": "...", "args": {"symbol": "{symbol}"}, "output_key": "..."}]}]}'
)
_PLAN: Final = DecompositionPlan.model_json_schema()
_ASKED: Final = {key: value for key, value in _PLAN["properties"].items() if key != "question"}
PLAN_SCHEMA: Final = AnswerSchema(SUBMIT, "Hands in the plan.", {**_PLAN, "properties": _ASKED, "required": ["factors"]})
_MOST_CHARACTERS = 60_000
_MOST_TRIES = 200


@dataclass(frozen=True)
class Replanning:
    """Why a factor is planned anew. task: whose error it is. node: in which a model is asked."""

    factor: FactorPlan
    task: str
    error: str
    node: str


@dataclass(frozen=True)
class MadePlan:
    """A plan and how it came about. text: all that a model said. ms: how long it took. warnings: why it is not a model's, for example."""

    plan: DecompositionPlan
    by: Literal["given", "model", "heuristic"]
    text: str = ""
    ms: float = 0.0
    warnings: tuple[str, ...] = ()


class DecomposeAgent:
    """Makes plans. `plan` gives the plan alone, `decompose` also how it came about."""

    def __init__(
        self,
        registry: ToolRegistry | None = None,
        *,
        access: ModelAccess | None = None,
        symbol: str = DEFAULT_SYMBOL,
        at: datetime | None = None,
    ) -> None:
        """registry: the tools that a plan may use. access: the models of a run, role `planner`; None = by the words. symbol: what questions
        are about unless they say otherwise. at: the instant of the plan, None = now."""
        self._registry = registry if registry is not None else ToolRegistry()
        self._access, self._symbol, self._at = access, symbol, at

    async def plan(self, question: str, replanning: Replanning | None = None) -> DecompositionPlan:
        """Return a plan for a question. Raises BadInput for a question that is empty or too long, PlanFault where nothing else can be
        planned."""
        return (await self.decompose(question, replanning)).plan

    async def decompose(self, question: str, replanning: Replanning | None = None) -> MadePlan:
        """Return a plan and how it came about; see `plan`."""
        if not question.strip() or len(question) > MOST_TEXT:
            raise BadInput(Reason("question_has_1_to_2000_characters"))
        if self._access is None:
            return MadePlan(self._by_words(question, replanning), "heuristic")
        node, stage = (PLANNER, "plan") if replanning is None else (replanning.node, "factors")
        with watch(self._access.emit, node, stage) as watched:
            try:
                spoken = await self._by_model(self._access, question, node, replanning)
            except NoAnswer as lost:
                watched.failed(str(lost), "safe_action")
                warning = Reason("no_plan_of_model_can_be_used", lost=lost)
                return MadePlan(self._by_words(question, replanning), "heuristic", warnings=(warning,))
            names = [factor.name for factor in spoken.read.factors]
            watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage, result={"factors": names})
        return MadePlan(spoken.read, "model", spoken.text, spoken.usage.duration_ms)

    async def replan_factor(self, question: str, replanning: Replanning) -> MadePlan:
        """Return a plan for a factor whose task failed; only the factor of its name is taken. Override it, or `plan`, for another way of
        doing it. Raises a TribunalError."""
        if type(self).plan is not DecomposeAgent.plan:
            return MadePlan(await self.plan(question, replanning), "heuristic")
        return await self.decompose(question, replanning)

    async def _by_model(self, access: ModelAccess, question: str, node: str, replanning: Replanning | None) -> Spoken[Any]:
        """Return the plan of a model. Raises NoAnswer."""
        read = partial(read_plan, question=question, registry=self._registry)
        system, text = say("planner.system", access.language), self._text(access, question, replanning)
        asked = Question(PLANNER, system, text, node=node, answer_schema=PLAN_SCHEMA)
        spoken: Spoken[Any] = await ask(access, asked, lambda words: read(words) if words else None)
        if spoken.read is not None:
            return spoken
        call = next((each for each in spoken.tool_calls if each.name == SUBMIT), None)
        try:
            if call is None:
                raise Unreadable(Reason("answer_holds_no_plan"))
            return replace(spoken, read=read(call.arguments))
        except Unreadable as fault:
            note = render(REPAIR[access.language], reason=str(fault))
            messages = asked_again((), call.arguments if call is not None else spoken.text, note)
            again = replace(asked, turn=2, answer_schema=None, messages=messages, said=spoken.text, attempt=spoken.attempt)
            second = await ask(access, again, read)
            return replace(second, usage=spoken.usage + second.usage)

    def _text(self, access: ModelAccess, question: str, replanning: Replanning | None) -> str:
        """Return what the planner reads beside its role."""
        language = access.language
        text = say(
            "planner.ask",
            language,
            symbol=self._symbol,
            at=(self._at or utc_now()).isoformat(),
            question=quoted("asker", question),
            tools="\n".join(json.dumps(each, ensure_ascii=False) for each in self._registry.describe()),
            factors=MOST_FACTORS,
            tasks=MOST_TASKS,
        )
        if replanning is not None:
            factor = quoted("plan", json.dumps(replanning.factor.model_dump(mode="json"), ensure_ascii=False))
            task, error = " ".join(replanning.task.split()), quoted("tool", replanning.error)
            text += say("planner.again", language, task=task, factor=factor, error=error)
        return text + say("planner.closing", language, shape=_SHAPE)

    def _by_words(self, question: str, replanning: Replanning | None) -> DecompositionPlan:
        if replanning is None:
            return checked_plan(plan_by_words(question, self._symbol).model_dump(mode="json"), self._registry)
        failed = next((task.tool for task in replanning.factor.tasks if task.id == replanning.task), "")
        new = replanned_by_words(replanning.factor, question, self._symbol, failed)
        if new is None:
            raise PlanFault(Reason("there_is_no_other_way_to_look", name=f"{replanning.factor.name!r}"))
        return DecompositionPlan(question=question, factors=(new,))


def read_plan(text: str, question: str, registry: ToolRegistry) -> DecompositionPlan:
    """Return the last plan in an answer. question: is kept whatever the model writes. Raises Unreadable, with the path of the fault."""
    shown = visible(text)
    if len(shown) > _MOST_CHARACTERS:
        raise Unreadable(Reason("answer_is_longer_than_characters", most_characters=_MOST_CHARACTERS))
    decoder, at, found = json.JSONDecoder(), shown.find("{"), None
    for _ in range(_MOST_TRIES):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(shown, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found = value if isinstance(value, dict) and "factors" in value else found
        at = shown.find("{", end)
    if found is None:
        raise Unreadable(Reason("there_is_no_json_object_with_factors"))
    try:
        return checked_plan({**found, "question": question}, registry)
    except PlanFault as fault:
        raise Unreadable(str(fault)) from None
