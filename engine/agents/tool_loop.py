"""One role that may use tools before it answers, and the breaker that keeps it from going on for ever.

    ask ──(calls)──> run them ──> ask again ... ──(no calls)──> the answer
     │                  └──(limit reached, or three repeats in a row)──> one last question, tools named and not to be called
     └──(the model takes no tools)──> run the role's own plan of calls ──> ask with what they gave

The plan may be run before the first question too: that saves the questions that only ask for a tool. A role that begins anew is given
what its earlier try looked up, and those calls count: the limit is the role's, not the try's.

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

    @property
    def key(self) -> tuple[str, str]:
        """Return what makes it the same call as another one."""
        return _key(self.tool, self.arguments)


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


@dataclass
class _Loop:
    """lookups: executed calls. answered: calls so far. before: what was executed -> the number of its answer."""

    lookups: list[Lookup] = field(default_factory=list)
    answered: int = 0
    repeats: int = 0
    before: dict[tuple[str, str], int] = field(default_factory=dict)

    def keep(self, lookup: Lookup, number: int) -> None:
        """Count an executed call. number: of its answer."""
        self.lookups.append(lookup)
        self.before[lookup.key] = number


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
    loop, offered = _Loop(answered=len(made)), {each.tool.name: each for each in tools}
    for number, lookup in enumerate(made, 1):
        loop.keep(lookup, number)
    question = replace(question, tools=tuple(each.tool for each in tools) if limit else ())
    usage: Usage | None = None
    if made or (ahead and plan and question.tools):
        question = await _looked_up(access, question, LOOKED_UP, plan if ahead else (), offered, loop, limit)
    while True:
        broken = len(loop.lookups) >= limit or loop.repeats >= REPEATS_IN_A_ROW
        if broken:
            question = _without_calls(question, access)

        def read_last(text: str, *, last: bool = broken) -> Read | None:
            return read(text) if text or last else None

        try:
            spoken = await ask(access, question, read_last)
        except NoAnswer as lost:
            usage = lost.usage if usage is None else usage + lost.usage
            if lost.cause != TOOLS or not question.tools or question.messages:
                raise WorkLost(str(lost), usage, loop.lookups, breaker=broken) from lost
            if not loop.answered:
                question = await _looked_up(access, question, LOOKED_UP_WITHOUT_TOOLS, plan, offered, loop, limit)
            question = replace(_without_calls(question, access), turn=question.turn + 1)
            continue
        usage = spoken.usage if usage is None else usage + spoken.usage
        if not spoken.tool_calls or broken:
            return ToolWork(spoken, usage, tuple(loop.lookups), broken, question.messages)
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
        user = question.user.replace(LOOKED_UP[access.language], LOOKED_UP_WITHOUT_TOOLS[access.language])
        return replace(question, tools=(), user=user)
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
    """Return the question with what was looked up before, and what the planned calls give, in its prompt."""
    asked = [(name, json.dumps(dict(arguments), ensure_ascii=False)) for name, arguments in plan]
    missing = [(name, arguments) for name, arguments in asked if _key(name, arguments) not in loop.before]
    for name, arguments in missing[: max(0, limit - len(loop.lookups))]:
        await _answer(access, question, ToolCall(f"plan-{loop.answered + 1}", name, arguments), offered, loop, limit)
    given = [f"{each.tool} {each.arguments}\n{each.content}" for each in loop.lookups]
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
    arguments, key = read_object(call.arguments), _key(call.name, call.arguments)
    loop.answered += 1
    about = ToolAnswered(analyst=question.role, tool=call.name)
    if key in loop.before:
        loop.repeats += 1
        content = render(SAME_AS_ABOVE[access.language], n=str(loop.before[key]))
        await observe(access, question.where, ToolAnswered, loop.answered, _always(about.plus(repeat=True, **_result(content))))
    elif len(loop.lookups) >= limit:
        content = NOT_EXECUTED
        await observe(access, question.where, ToolAnswered, loop.answered, _always(about.plus(**_result(content, error=content))))
    else:
        loop.repeats = 0
        known = access.recall.observation(question.where, ToolAnswered.kind, loop.answered)
        if known is None or not known.already_logged:
            called: JsonValue = dict(arguments) if arguments is not None else call.arguments
            access.emit(question.where, ToolCalled(analyst=question.role, tool=call.name, arguments=called, n=loop.answered))

        async def run() -> ToolAnswered:
            return about.plus(**await _run(offered.get(call.name), arguments))

        content = (await observe(access, question.where, ToolAnswered, loop.answered, run)).content
        loop.keep(Lookup(call.name, call.arguments, content), loop.answered)
    return {"role": "tool", "tool_call_id": call.id, "content": content}


def _key(tool: str, arguments: str) -> tuple[str, str]:
    """Return a call as it is compared with others: the order of its arguments does not count."""
    read = read_object(arguments)
    return tool, json.dumps(read, sort_keys=True) if read is not None else arguments


async def _run(wanted: Runnable | None, arguments: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what a tool answers, or why it does not, as fields of `ToolAnswered`."""
    began = time.monotonic()
    error: str | None = None
    if wanted is None:
        error = Reason("there_is_no_tool_of_that_name")
    elif arguments is None:
        error = Reason("arguments_are_no_json_object")
    else:
        try:
            return {**_result(await wanted.run(arguments)), "ms": round((time.monotonic() - began) * 1000, 1)}
        except (TribunalError, TimeoutError, ValueError) as problem:
            error = f"{type(problem).__name__}: {problem}"[:300]
    return {**_result(error, error=error), "ms": round((time.monotonic() - began) * 1000, 1)}


def _result(content: str, *, error: str | None = None) -> dict[str, Any]:
    return {"content": content, "preview": shortened(content, _PREVIEW), "error": error}


def _always(data: ToolAnswered) -> Callable[[], Awaitable[ToolAnswered]]:
    async def read() -> ToolAnswered:
        return data

    return read
