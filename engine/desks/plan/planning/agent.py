"""`DecomposeAgent`: makes a plan of a question, by a model or by the words of the question.

A model's endpoint is held to the schema of a plan where it can be (`response_format`), else offered a tool whose arguments are the plan;
else the plan is the JSON at the end of the answer (`llm.protocol.AnswerSchema`). An answer that cannot be read is asked for once more, with
the path of the fault; then, and without a model, the words decide, and a warning says so.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Final

from engine.agents.access import ModelAccess
from engine.agents.ask import NoAnswer, Question, Spoken, ask, asked_again
from engine.agents.watch import watch
from engine.desks.plan.planning.by_words import plan_by_words, replanned_by_words
from engine.desks.plan.planning.prompt import SYSTEM, planner_text
from engine.desks.plan.planning.protocol import MadePlan, Replanning
from engine.desks.plan.registry import ToolRegistry
from engine.desks.plan.request import DEFAULT_SYMBOL
from engine.desks.plan.stages import PLANNER
from engine.desks.plan.validation import PlanFault, checked_plan
from engine.domain.clock import utc_now
from engine.domain.errors import BadInput
from engine.domain.events import NodeFinished
from engine.domain.plan.plan import DecompositionPlan
from engine.domain.text.reason import Reason
from engine.llm.blocks import visible
from engine.llm.protocol import AnswerSchema
from engine.llm.values import Unreadable
from engine.prompts.paragraphs import REPAIR
from engine.prompts.render import render

SUBMIT: Final = "submit_plan"


_MOST_CHARACTERS = 60_000
_MOST_TRIES = 200


def read_plan(text: str, question: str, registry: ToolRegistry) -> DecompositionPlan:
    """Return the plan in an answer. question: is kept whatever the model writes. Raises Unreadable, with the path of the fault."""
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
    return plan_of(found, question, registry)


def read_call(arguments: str, question: str, registry: ToolRegistry) -> DecompositionPlan:
    """Return the plan in the arguments of a call. Raises Unreadable."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        raise Unreadable(Reason("arguments_are_no_json")) from None
    if not isinstance(value, dict):
        raise Unreadable(Reason("arguments_are_no_object"))
    return plan_of(value, question, registry)


def plan_of(value: Mapping[str, Any], question: str, registry: ToolRegistry) -> DecompositionPlan:
    """Return the plan that JSON of a model holds. Raises Unreadable."""
    try:
        return checked_plan({**value, "question": question}, registry)
    except PlanFault as fault:
        raise Unreadable(str(fault)) from None


@dataclass(frozen=True)
class _Asked:
    """What a model is asked: the question's own words, and the call."""

    words: str
    question: Question


class DecomposeAgent:
    """Implements `Planner`. `plan` gives the plan alone, `decompose` also how it came about."""

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
        if not question.strip() or len(question) > 2000:
            raise BadInput(Reason("question_has_1_to_2000_characters"))
        if self._access is None:
            return MadePlan(self._by_words(question, replanning), "heuristic")
        node = replanning.node if replanning is not None else PLANNER
        with watch(self._access.emit, node, "plan" if replanning is None else "factors") as watched:
            try:
                plan, spoken = await self._by_model(self._access, self._asked(self._access, question, node, replanning))
            except NoAnswer as lost:
                watched.failed(str(lost), "safe_action")
                warning = Reason("no_plan_of_model_can_be_used", lost=lost)
                return MadePlan(self._by_words(question, replanning), "heuristic", warnings=(warning,))
            names = [factor.name for factor in plan.factors]
            watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage, result={"factors": names})
        return MadePlan(plan, "model", spoken.text, spoken.usage.duration_ms)

    def _asked(self, access: ModelAccess, question: str, node: str, replanning: Replanning | None) -> _Asked:
        at = (self._at or utc_now()).isoformat()
        text = planner_text(question, self._symbol, at, self._registry, access.language, replanning)
        return _Asked(question, Question(PLANNER, SYSTEM[access.language], text, node=node, answer_schema=PLAN_SCHEMA))

    async def _by_model(self, access: ModelAccess, asked: _Asked) -> tuple[DecompositionPlan, Spoken[Any]]:
        """Return the plan of a model. Raises NoAnswer."""

        def read(text: str) -> DecompositionPlan | None:
            return read_plan(text, asked.words, self._registry) if text else None

        spoken = await ask(access, asked.question, read)
        if spoken.read is not None:
            return spoken.read, spoken
        call = next((each for each in spoken.tool_calls if each.name == SUBMIT), None)
        try:
            if call is None:
                raise Unreadable(Reason("answer_holds_no_plan"))
            return read_call(call.arguments, asked.words, self._registry), spoken
        except Unreadable as fault:
            note = render(REPAIR[access.language], reason=str(fault))
            messages = asked_again((), call.arguments if call is not None else spoken.text, note)
            again = replace(asked.question, turn=2, answer_schema=None, messages=messages, said=spoken.text, attempt=spoken.attempt)
            second = await ask(access, again, partial(read_plan, question=asked.words, registry=self._registry))
            return second.read, replace(second, usage=spoken.usage + second.usage)

    def _by_words(self, question: str, replanning: Replanning | None) -> DecompositionPlan:
        if replanning is None:
            return checked_plan(plan_by_words(question, self._symbol).model_dump(mode="json"), self._registry)
        failed = next((task.tool for task in replanning.factor.tasks if task.id == replanning.task), "")
        new = replanned_by_words(replanning.factor, question, self._symbol, failed)
        if new is None:
            raise PlanFault(Reason("there_is_no_other_way_to_look", name=f"{replanning.factor.name!r}"))
        return DecompositionPlan(question=question, factors=(new,))


def _plan_schema() -> AnswerSchema:
    schema = DecompositionPlan.model_json_schema()
    schema["properties"] = {key: value for key, value in schema["properties"].items() if key != "question"}
    schema["required"] = ["factors"]
    return AnswerSchema(SUBMIT, "Hands in the plan.", schema)


PLAN_SCHEMA: Final = _plan_schema()
