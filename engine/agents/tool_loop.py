"""One role that may use tools before it answers, and the breaker that ends its loop.

    ask ──(calls)──> run them ──> ask again ... ──(no calls)──> the answer
     │                  └──(limit reached, or three repeats in a row)──> one last question, tools named and not to be called
     └──(the model takes no tools)──> run the role's own plan of calls ──> ask with what they gave

The plan may be run before the first question too: that saves the questions that only ask for a tool. A role that begins anew is given
what its earlier try looked up, and those calls count: the limit is the role's, not the try's.

Executed calls count, failed and unknown ones too. A call that was made before is answered with the place of the first answer and does not
count. Of a batch the first ones up to the limit are executed; the others are answered that they were not. What tools answer is in the log:
a run that is continued calls nothing twice, and one that is played again nothing at all.

A desk whose loop is a graph of its own, node by node, uses the parts: `CallsMade` and `answer_call`.
"""

import json
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Generic

from pydantic import JsonValue

from engine.agents.access import ModelAccess
from engine.agents.ask import NoAnswer, Question, Read, Spoken, ask
from engine.agents.observe import observe
from engine.domain.errors import TribunalError
from engine.domain.events import ToolAnswered, ToolCalled
from engine.domain.model_faults import TOOLS
from engine.domain.opinion import Usage
from engine.domain.roles import Role
from engine.domain.text.plain_json import read_object
from engine.domain.text.reason import Reason
from engine.domain.text.visible import shortened
from engine.llm.protocol import Tool, ToolCall
from engine.prompts.paragraphs import LOOKED_UP, LOOKED_UP_WITHOUT_TOOLS, NO_MORE_LOOKUPS, SAME_AS_ABOVE
from engine.prompts.render import Text, render

REPEATS_IN_A_ROW: Final = 3
NOT_EXECUTED: Final = "not executed: limit"
_PREVIEW: Final = 200


@dataclass(frozen=True)
class Runnable:
    """A tool and what runs it. run: (arguments) -> its answer as text; raises TribunalError, TimeoutError or ValueError when it has none:
    the model gets to read why."""

    tool: Tool
    run: Callable[[Mapping[str, Any]], Awaitable[str]]


@dataclass(frozen=True)
class Lookup:
    """A call that was executed. arguments: JSON, as they were asked for. content: what the tool answered, or why it did not."""

    tool: str
    arguments: str
    content: str


@dataclass(frozen=True)
class ToolWork(Generic[Read]):
    """How the work ended. spoken: the last answer; its text is all that was said in the node, its usage that of the last question.
    usage: of all questions. lookups: the executed calls, those of earlier tries first. breaker: whether the breaker ended it. messages:
    what was said to and fro."""

    spoken: Spoken[Read]
    usage: Usage
    lookups: tuple[Lookup, ...]
    breaker: bool
    messages: tuple[Mapping[str, JsonValue], ...] = ()

    @property
    def calls(self) -> int:
        """How many calls were executed."""
        return len(self.lookups)


class WorkLost(NoAnswer):
    """The work ended without a usable answer. usage: of all questions. lookups, breaker: see `ToolWork`."""

    def __init__(self, message: str, usage: Usage, lookups: Sequence[Lookup], *, breaker: bool) -> None:
        super().__init__(message, usage)
        self.lookups, self.breaker = tuple(lookups), breaker


@dataclass(frozen=True)
class PlannedCall:
    """A call and what is done with it. n: which of the role's calls it is, from 1. arguments: None where they are no JSON object. first:
    the number of the same call before, which answers it. executed: whether a tool is asked."""

    n: int
    asked: ToolCall
    arguments: Mapping[str, Any] | None
    first: int | None
    executed: bool


@dataclass
class CallsMade:
    """The calls of a role so far. answered: all of them. repeats: those in a row that were made before. places: an executed call, as `_key`
    writes it -> the number of its answer."""

    answered: int = 0
    repeats: int = 0
    places: dict[str, int] = field(default_factory=dict)

    def is_over(self, limit: int) -> bool:
        """Return whether the breaker ends the loop. limit: calls that are executed at most."""
        return len(self.places) >= limit or self.repeats >= REPEATS_IN_A_ROW

    def plan(self, calls: Iterable[ToolCall], limit: int) -> list[PlannedCall]:
        """Count the calls of an answer, and return what is done with each."""
        planned = []
        for call in calls:
            self.answered += 1
            key = _key(call.name, call.arguments)
            first = self.places.get(key)
            executed = first is None and len(self.places) < limit
            if executed:
                self.places[key] = self.answered
            self.repeats = self.repeats + 1 if first is not None else 0
            planned.append(PlannedCall(self.answered, call, read_object(call.arguments), first, executed))
        return planned


async def work_with_tools(
    access: ModelAccess,
    question: Question,
    tools: Sequence[Runnable],
    read: Callable[[str], Read],
    limit: int = 5,
    plan: Sequence[tuple[str, Mapping[str, Any]]] = (),
    *,
    ahead: bool = False,
    made: Sequence[Lookup] = (),
) -> ToolWork[Read | None]:
    """Ask until the role answers without calling a tool. limit: calls that are executed at most. plan: (tool, arguments) that are called
    for a model that takes no tools. ahead: they are called for any model, before it is asked. made: what an earlier try of the same role
    executed: it is given to the model, counts, and is not executed again.

    read: takes the last answer; raises Unreadable. Raises WorkLost when a question gets no usable answer.
    """
    work, usage = _Work(access, question, {each.tool.name: each for each in tools}, limit, made), None
    question = replace(question, tools=tuple(each.tool for each in tools) if limit else ())
    if made or (ahead and plan and question.tools):
        question = await work.looked_up(question, LOOKED_UP, plan if ahead else ())
    while True:
        broken = work.calls.is_over(limit)
        if broken:
            question = _without_calls(question, access)

        def read_last(text: str, *, last: bool = broken) -> Read | None:
            return read(text) if text or last else None

        try:
            spoken = await ask(access, question, read_last)
        except NoAnswer as lost:
            usage = lost.usage if usage is None else usage + lost.usage
            if lost.cause != TOOLS or not question.tools or question.messages:
                raise WorkLost(str(lost), usage, work.lookups, breaker=broken) from lost
            if not work.lookups:
                question = await work.looked_up(question, LOOKED_UP_WITHOUT_TOOLS, plan)
            question = replace(_without_calls(question, access), turn=question.turn + 1)
            continue
        usage = spoken.usage if usage is None else usage + spoken.usage
        if not spoken.tool_calls or broken:
            return ToolWork(spoken, usage, tuple(work.lookups), broken, question.messages)
        own = spoken.text[len(question.said) :].strip()
        results = [
            {"role": "tool", "tool_call_id": call.id, "content": content}
            for call, content in zip(spoken.tool_calls, await work.answers(spoken.tool_calls), strict=True)
        ]
        question = replace(
            question,
            turn=question.turn + 1,
            messages=(*question.messages, assistant_message(own, spoken.tool_calls, spoken.carried), *results),
            said=spoken.text,
            attempt=spoken.attempt,
        )


class _Work:
    """What a role has looked up, and what looks things up for it. lookups: the executed calls, in order."""

    def __init__(
        self, access: ModelAccess, question: Question, offered: Mapping[str, Runnable], limit: int, made: Sequence[Lookup]
    ) -> None:
        self._access, self._role, self._node, self._offered, self._limit = access, question.role, question.where, offered, limit
        self.lookups = list(made)
        self.calls = CallsMade(len(made), places={_key(each.tool, each.arguments): n for n, each in enumerate(made, 1)})

    async def answers(self, calls: Sequence[ToolCall]) -> list[str]:
        """Return what the model is told of each call of an answer."""
        return [await self._answer(call) for call in self.calls.plan(calls, self._limit)]

    async def looked_up(self, question: Question, heading: Text, plan: Sequence[tuple[str, Mapping[str, Any]]]) -> Question:
        """Return the question with what was looked up before, and what the planned calls give, in its prompt."""
        asked = [(name, json.dumps(dict(arguments), ensure_ascii=False)) for name, arguments in plan]
        missing = [(name, arguments) for name, arguments in asked if _key(name, arguments) not in self.calls.places]
        left = missing[: max(0, self._limit - len(self.lookups))]
        await self.answers([ToolCall(f"plan-{n}", *call) for n, call in enumerate(left, self.calls.answered + 1)])
        given = [f"{each.tool} {each.arguments}\n{each.content}" for each in self.lookups]
        return replace(question, user="\n\n".join([question.user, heading[self._access.language], *given]))

    async def _answer(self, call: PlannedCall) -> str:
        answered = await answer_call(self._access, self._node, self._role, call, self._run)
        if call.executed:
            self.lookups.append(Lookup(call.asked.name, call.asked.arguments, answered.content))
        return answered.content

    async def _run(self, call: PlannedCall) -> dict[str, Any]:
        wanted, error = self._offered.get(call.asked.name), ""
        if wanted is None:
            error = Reason("there_is_no_tool_of_that_name")
        elif call.arguments is None:
            error = Reason("arguments_are_no_json_object")
        else:
            try:
                return {"content": await wanted.run(call.arguments)}
            except (TribunalError, TimeoutError, ValueError) as problem:
                error = f"{type(problem).__name__}: {problem}"[:300]
        return {"content": error, "error": error}


def _without_calls(question: Question, access: ModelAccess) -> Question:
    """Return the last question. Tools stay named, since the history calls them: without them some endpoints refuse it."""
    if not question.messages:
        user = question.user.replace(LOOKED_UP[access.language], LOOKED_UP_WITHOUT_TOOLS[access.language])
        return replace(question, tools=(), user=user)
    *before, last = question.messages
    ending = {**last, "content": f"{last['content']}\n\n{NO_MORE_LOOKUPS[access.language]}"}
    return replace(question, tool_choice="none", messages=(*before, ending))


def assistant_message(text: str, calls: Sequence[ToolCall], carried: Mapping[str, JsonValue] | None = None) -> dict[str, JsonValue]:
    """Return what a role said, and the tools it asked for, as the chat protocol writes it; carried: what its endpoint wants back with
    them."""
    asked: list[JsonValue] = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}, **call.extra} for call in calls
    ]
    return {"role": "assistant", "content": text, "tool_calls": asked, **(carried or {})}


async def answer_call(
    access: ModelAccess, node: str, role: Role, call: PlannedCall, run: Callable[[PlannedCall], Awaitable[dict[str, Any]]]
) -> ToolAnswered:
    """Return what a role is told of one of its calls, recorded. run: executes it; gives fields of `ToolAnswered`."""
    about = ToolAnswered(analyst=role, tool=call.asked.name)
    known = access.recall.observation(node, ToolAnswered.kind, call.n)
    if call.executed and (known is None or not known.already_logged):
        arguments: JsonValue = dict(call.arguments) if call.arguments is not None else call.asked.arguments
        access.emit(node, ToolCalled(analyst=role, tool=call.asked.name, arguments=arguments, n=call.n))

    async def read() -> ToolAnswered:
        began = time.monotonic()
        if call.first is not None:
            fields: dict[str, Any] = {"content": render(SAME_AS_ABOVE[access.language], n=str(call.first)), "repeat": True}
        elif not call.executed:
            fields = {"content": NOT_EXECUTED, "error": NOT_EXECUTED}
        else:
            fields = {**await run(call), "ms": round((time.monotonic() - began) * 1000, 1)}
        return about.plus(**{"error": None, **fields, "preview": shortened(fields["content"], _PREVIEW)})

    return await observe(access, node, ToolAnswered, call.n, read)


def _key(tool: str, arguments: str) -> str:
    """Return a call as it is compared with others: the order of its arguments does not count."""
    read = read_object(arguments)
    return f"{tool} {json.dumps(read, sort_keys=True) if read is not None else arguments}"
