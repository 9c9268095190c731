"""One role that may use tools before it answers, and the breaker that keeps it from going on for ever.

    ask ──(calls)──> run them ──> ask again ... ──(no calls)──> the answer
     │                  └──(limit reached, or three repeats in a row)──> one last question, tools named and not to be called
     └──(the model takes no tools)──> run the role's own plan of calls ──> ask with what they gave

The plan may be run before the first question too: that saves the questions that only ask for a tool.

Executed calls count, failed and unknown ones too. A call that was made before is answered with the place of the first answer and does not
count. Of a batch the first ones up to the limit are executed; the others are answered that they were not. What tools answer is in the log:
a run that is continued calls nothing twice, and one that is played again nothing at all.
"""

import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
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
from engine.domain.text.plain_json import read_object
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
class ToolWork(Generic[Read]):
    """How the work ended. spoken: the last answer; its text is all that was said in the node, its usage that of the last question.
    usage: of all questions. calls: executed ones. breaker: whether the breaker ended it. messages: what was said to and fro."""

    spoken: Spoken[Read]
    usage: Usage
    calls: int
    breaker: bool
    messages: tuple[Mapping[str, JsonValue], ...] = ()


class WorkLost(NoAnswer):
    """The work ended without a usable answer. usage: of all questions. calls, breaker: see `ToolWork`."""

    def __init__(self, message: str, usage: Usage, calls: int, *, breaker: bool) -> None:
        super().__init__(message, usage)
        self.calls, self.breaker = calls, breaker


@dataclass
class _Loop:
    """executed, answered: calls so far. before: (tool, arguments) -> the number of its answer."""

    executed: int = 0
    answered: int = 0
    repeats: int = 0
    before: dict[tuple[str, str], int] = field(default_factory=dict)


async def work_with_tools(
    access: ModelAccess,
    question: Question,
    tools: Sequence[Runnable],
    read: Callable[[str], Read],
    limit: int = 5,
    plan: Sequence[tuple[str, Mapping[str, Any]]] = (),
    *,
    ahead: bool = False,
) -> ToolWork[Read | None]:
    """Ask until the role answers without calling a tool. limit: calls that are executed at most. plan: (tool, arguments) that are called
    for a model that takes no tools. ahead: they are called for any model, before it is asked.

    read: takes the last answer; raises Unreadable. Raises WorkLost when a question gets no usable answer.
    """
    loop, offered = _Loop(), {each.tool.name: each for each in tools}
    question = replace(question, tools=tuple(each.tool for each in tools) if limit else ())
    usage: Usage | None = None
    if ahead and plan and question.tools:
        question = await _looked_up(access, question, LOOKED_UP, plan, offered, loop, limit)
    while True:
        broken = loop.executed >= limit or loop.repeats >= REPEATS_IN_A_ROW
        if broken:
            question = _without_calls(question, access)

        def read_last(text: str, *, last: bool = broken) -> Read | None:
            return read(text) if text or last else None

        try:
            spoken = await ask(access, question, read_last)
        except NoAnswer as lost:
            usage = lost.usage if usage is None else usage + lost.usage
            if lost.cause != TOOLS or not question.tools or question.messages:
                raise WorkLost(str(lost), usage, loop.executed, breaker=broken) from lost
            if not loop.answered:
                question = await _looked_up(access, question, LOOKED_UP_WITHOUT_TOOLS, plan, offered, loop, limit)
            user = question.user.replace(LOOKED_UP[access.language], LOOKED_UP_WITHOUT_TOOLS[access.language])
            question = replace(question, turn=question.turn + 1, tools=(), user=user)
            continue
        usage = spoken.usage if usage is None else usage + spoken.usage
        if not spoken.tool_calls or broken:
            return ToolWork(spoken, usage, loop.executed, broken, question.messages)
        results = [await _answer(access, question, call, offered, loop, limit) for call in spoken.tool_calls]
        own = spoken.text[len(question.said) :].strip()
        question = replace(
            question,
            turn=question.turn + 1,
            messages=(*question.messages, assistant_message(own, spoken.tool_calls, spoken.carried), *results),
            said=spoken.text,
            attempt=spoken.attempt,
        )


def _without_calls(question: Question, access: ModelAccess) -> Question:
    """Return the last question. Tools stay named, since the history calls them: without them some endpoints refuse it."""
    if not question.messages:
        return replace(question, tools=())
    *before, last = question.messages
    ending = {**last, "content": f"{last['content']}\n\n{NO_MORE_LOOKUPS[access.language]}"}
    return replace(question, tool_choice="none", messages=(*before, ending))


async def _looked_up(
    access: ModelAccess,
    question: Question,
    heading: Text,
    plan: Sequence[tuple[str, Mapping[str, Any]]],
    offered: Mapping[str, Runnable],
    loop: _Loop,
    limit: int,
) -> Question:
    """Return the question with what the planned calls give in its prompt."""
    given = []
    for name, arguments in plan[:limit]:
        asked = json.dumps(dict(arguments), ensure_ascii=False)
        answer = await _answer(access, question, ToolCall(f"plan-{loop.answered + 1}", name, asked), offered, loop, limit)
        given.append(f"{name} {asked}\n{answer['content']}")
    return replace(question, user="\n\n".join([question.user, heading[access.language], *given]))


def assistant_message(text: str, calls: Sequence[ToolCall], carried: Mapping[str, JsonValue] | None = None) -> dict[str, JsonValue]:
    """Return what a role said, and the tools it asked for, as the chat protocol writes it; carried: what its endpoint wants back with
    them."""
    asked: list[JsonValue] = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}, **call.extra} for call in calls
    ]
    return {"role": "assistant", "content": text, "tool_calls": asked, **(carried or {})}


async def _answer(
    access: ModelAccess, question: Question, call: ToolCall, offered: Mapping[str, Runnable], loop: _Loop, limit: int
) -> dict[str, JsonValue]:
    """Return the message that answers one call."""
    arguments = read_object(call.arguments)
    key = call.name, json.dumps(arguments, sort_keys=True) if arguments is not None else call.arguments
    loop.answered += 1
    about = ToolAnswered(analyst=question.role, tool=call.name)
    if key in loop.before:
        loop.repeats += 1
        content = render(SAME_AS_ABOVE[access.language], n=str(loop.before[key]))
        await observe(access, question.where, ToolAnswered, loop.answered, _always(about.plus(repeat=True, **_result(content))))
    elif loop.executed >= limit:
        content = NOT_EXECUTED
        await observe(access, question.where, ToolAnswered, loop.answered, _always(about.plus(**_result(content, error=content))))
    else:
        loop.executed, loop.repeats = loop.executed + 1, 0
        known = access.recall.observation(question.where, ToolAnswered.kind, loop.answered)
        if known is None or not known.already_logged:
            called: JsonValue = dict(arguments) if arguments is not None else call.arguments
            access.emit(question.where, ToolCalled(analyst=question.role, tool=call.name, arguments=called, n=loop.answered))

        async def run() -> ToolAnswered:
            return about.plus(**await _run(offered.get(call.name), arguments))

        content = (await observe(access, question.where, ToolAnswered, loop.answered, run)).content
        loop.before[key] = loop.answered
    return {"role": "tool", "tool_call_id": call.id, "content": content}


async def _run(wanted: Runnable | None, arguments: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what a tool answers, or why it does not, as fields of `ToolAnswered`."""
    began = time.monotonic()
    error: str | None = None
    if wanted is None:
        error = "there is no tool of that name"
    elif arguments is None:
        error = "the arguments are no JSON object"
    else:
        try:
            return {**_result(await wanted.run(arguments)), "ms": round((time.monotonic() - began) * 1000, 1)}
        except (TribunalError, TimeoutError, ValueError) as problem:
            error = f"{type(problem).__name__}: {problem}"[:300]
    return {**_result(error, error=error), "ms": round((time.monotonic() - began) * 1000, 1)}


def _result(content: str, *, error: str | None = None) -> dict[str, Any]:
    return {"content": content, "preview": content[:_PREVIEW], "error": error}


def _always(data: ToolAnswered) -> Callable[[], Awaitable[ToolAnswered]]:
    async def read() -> ToolAnswered:
        return data

    return read
