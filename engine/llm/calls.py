"""One question to a model, until it is answered or lost: a total deadline, the only retry layer, the usage.

Given a model, a call, a policy and a listener; gives the answer without its thoughts, or raises with the usage so far. The deadline is
total: over all attempts, the waits between them, a hang, and a drip that never ends. Time spent queueing for one of the endpoint's slots
is not the model's and does not count against it (`deadline.py`); `duration_ms` and `first_token_ms` are plain wall time and include it.
Waits are the same every time (0.5 s, 1 s, ...): no jitter. It never judges what an answer says; that is `parsing.py`.
"""

import re
import time
from asyncio import sleep
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Protocol, cast

from engine.domain.errors import CallFailed, ModelRefused
from engine.domain.opinion import Usage
from engine.llm.deadline import Deadline, deadline
from engine.llm.protocol import AskAgain, Chunk, Model, ModelCall, Planted, Retryable, ToolCall
from engine.llm.thinking import ThinkFilter

MAX_ANSWER_CHARS = 12_000  # several times a long answer: a model that rambles on is cut, and the answer counts as ended by length
MAX_STREAM_CHARS = 200_000  # thoughts included
_LONGEST_MESSAGE = 300
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # keeps tab and line feed; "\r\n" becomes "\n"
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")  # legal in JSON, but in no file, database or page


@dataclass(frozen=True)
class CallPolicy:
    """How long, how often, how much. deadline_s: seconds in total. attempts: requests at most that may fail. backoff_s: first wait, doubled
    each time. max_tokens: bound of an answer, thoughts included; twice that where thoughts alone used it up."""

    deadline_s: float = 90.0
    attempts: int = 3
    backoff_s: float = 0.5
    max_tokens: int = 4_000


class CallListener(Protocol):
    """Who watches a call. Called on the call's own task; must be quick and must not raise."""

    def text(self, piece: str, attempt: int) -> None:
        """The next characters of this attempt; the pieces of the attempt that counted, joined, are `Answer.text`."""
        ...

    def planted(self, planted: Planted) -> None:
        """The model stated a false value on purpose."""
        ...

    def retrying(self, attempt: int, reason: str, wait_s: float) -> None:
        """The attempt before failed for `reason`; `attempt` begins after `wait_s` seconds, and what was written is superseded."""
        ...


@dataclass(frozen=True)
class Answer:
    """What a model said. finish: `stop`, or `length` for an answer that was cut off, or another word of the endpoint's. attempt: the one
    that counted, and max_tokens its bound. tool_calls: what it asks for; text is never blank without one."""

    text: str
    finish: str
    usage: Usage
    attempt: int
    max_tokens: int
    tool_calls: tuple[ToolCall, ...] = ()


class CallLost(CallFailed):
    """No usable answer within the deadline and the attempts. usage: what it cost all the same."""

    def __init__(self, message: str, usage: Usage) -> None:
        super().__init__(message[:_LONGEST_MESSAGE])
        self.usage = usage


class CallRefused(ModelRefused):
    """The endpoint refused for good. usage: what it cost all the same."""

    def __init__(self, message: str, usage: Usage) -> None:
        super().__init__(message)
        self.usage = usage


async def complete(model: Model, call: ModelCall, policy: CallPolicy, listener: CallListener) -> Answer:
    """Ask until there is an answer. Attempts are numbered from `call.attempt`. Every one carries a bound: the call's, else the policy's.

    Raises CallLost when deadline or attempts are used up, CallRefused (a ModelRefused) when the endpoint says a final no; both carry
    `usage`. Cancelling ends the call at the provider.
    """
    ledger = _Ledger(model.name)
    try:
        async with deadline(policy.deadline_s) as clock:
            ledger.clock = clock
            return await _ask_until_answered(model, call, policy, listener, ledger, clock)
    except TimeoutError:
        if not clock.expired:
            raise
        before = f"; before that: {ledger.reason}" if ledger.reason else ""
        ledger.lose("deadline")
        said = f"{model.name}: no complete answer within {policy.deadline_s:g} s (TRIBUNAL_CALL_DEADLINE_S), in attempt {ledger.requests}"
        raise CallLost(said + before, ledger.usage()) from None
    except ModelRefused as refusal:
        ledger.lose(str(refusal))
        raise CallRefused(str(refusal), ledger.usage()) from None


class _Ledger:
    """What the call has cost so far, and why its last attempt failed."""

    def __init__(self, model: str) -> None:
        self._model, self._began = model, time.monotonic()
        self._first_token: float | None = None
        self._tokens = [0, 0]
        self._open_tokens = [0, 0]
        self._running = False
        self.requests = self.failed = self.unblamed = 0
        self.reason = ""
        self.clock: Deadline | None = None

    def send(self) -> None:
        self.requests += 1
        self._running = True

    def heard(self, chunk: Chunk) -> None:
        """Totals of the running attempt; a later report replaces an earlier one."""
        for place, count in enumerate((chunk.prompt_tokens, chunk.completion_tokens)):
            if count is not None:
                self._open_tokens[place] = count

    def wrote(self) -> None:
        if self._first_token is None:
            self._first_token = time.monotonic()

    def end_attempt(self) -> None:
        self._running = False
        self._tokens = [done + now for done, now in zip(self._tokens, self._open_tokens, strict=True)]
        self._open_tokens = [0, 0]

    def lose(self, reason: str) -> None:
        self.failed += self._running
        self.reason = reason
        self.end_attempt()

    def usage(self) -> Usage:
        return Usage(
            model=self._model,
            requests=self.requests,
            failed=self.failed,
            prompt_tokens=self._tokens[0],
            completion_tokens=self._tokens[1],
            duration_ms=(time.monotonic() - self._began) * 1000,
            first_token_ms=None if self._first_token is None else (self._first_token - self._began) * 1000,
            queued_ms=round(self.clock.queued_s * 1000) if self.clock is not None else 0.0,
        )


class _NothingVisible(Retryable):
    """The answer was cut off before anything of it could be read: thoughts used up its bound."""


async def _ask_until_answered(
    model: Model, call: ModelCall, policy: CallPolicy, listener: CallListener, ledger: _Ledger, clock: Deadline
) -> Answer:
    bound = call.max_tokens or policy.max_tokens
    while True:
        attempt = call.attempt + ledger.requests
        ledger.send()
        try:
            text, finish, calls = await _attempt(model, replace(call, attempt=attempt, max_tokens=bound), listener, ledger)
        except _NothingVisible as failure:
            ledger.lose(f"{failure} within {bound} tokens")
            if bound >= 2 * policy.max_tokens:
                raise CallLost(f"{model.name}: {ledger.reason}: raise TRIBUNAL_MAX_TOKENS, or let it think less", ledger.usage()) from None
            bound, ledger.unblamed = 2 * policy.max_tokens, ledger.unblamed + 1
            listener.retrying(attempt + 1, f"{ledger.reason}: asking again with {bound}", 0.0)
        except Retryable as failure:
            ledger.lose(str(failure))
            wait = _wait_before_next(model, policy, ledger, clock, failure)
            listener.retrying(attempt + 1, ledger.reason, wait)
            await sleep(wait)
        else:
            ledger.end_attempt()
            return Answer(text, finish, ledger.usage(), attempt, bound, calls)


def _wait_before_next(model: Model, policy: CallPolicy, ledger: _Ledger, clock: Deadline, failure: Retryable) -> float:
    """Seconds to the next attempt. Raises CallLost when there is none, or when the wait would outlast the deadline."""
    if isinstance(failure, AskAgain):
        ledger.unblamed += 1
        return 0.0
    blamed = ledger.requests - ledger.unblamed
    if blamed >= policy.attempts:
        raise CallLost(f"{model.name}: no usable answer in {ledger.requests} attempts, the last: {ledger.reason}", ledger.usage())
    wait: float = policy.backoff_s * 2 ** (blamed - 1)
    asked = failure.retry_after
    if asked is not None:
        wait = max(wait, asked)
    if wait >= clock.left():
        whose = (
            f"the endpoint asked to wait {asked:.0f} s" if asked is not None and asked >= wait else f"the next attempt is {wait:g} s away"
        )
        raise CallLost(f"{model.name}: {ledger.reason}; {whose}, but the deadline is in {clock.left():.1f} s", ledger.usage())
    return wait


async def _attempt(model: Model, call: ModelCall, listener: CallListener, ledger: _Ledger) -> tuple[str, str, tuple[ToolCall, ...]]:
    """One request, streamed to the listener: text, finish, tool calls. Raises Retryable when nothing usable came."""
    thinking, received = ThinkFilter(), 0
    pieces: list[str] = []
    finish: str | None = None
    calls: tuple[ToolCall, ...] = ()
    shown = 0

    def write(piece: str) -> None:
        nonlocal shown
        piece = piece if pieces else piece.lstrip()  # no blank lines where a thought was
        piece = piece[: MAX_ANSWER_CHARS - shown]  # a piece may be any length: the endpoint cuts it, not we
        if piece:
            ledger.wrote()
            pieces.append(piece)
            shown += len(piece)
            listener.text(piece, call.attempt)

    async with aclosing(cast(AsyncGenerator[Chunk, None], model.stream(call))) as chunks:  # the protocol promises that it can be closed
        async for chunk in chunks:
            ledger.heard(chunk)
            for planted in chunk.planted:
                listener.planted(planted)
            write(thinking.feed(_clean(chunk.text)))
            received += len(chunk.text)
            finish, calls = chunk.finish or finish, chunk.tool_calls or calls
            if shown >= MAX_ANSWER_CHARS or received > MAX_STREAM_CHARS:
                finish = "length"
                break
    write(thinking.finish())
    _must_be_usable(finish, calls, spoke=bool(pieces))
    assert finish is not None
    return "".join(pieces), finish, calls


def _must_be_usable(finish: str | None, calls: tuple[ToolCall, ...], *, spoke: bool) -> None:
    """Raises Retryable for an attempt that gave nothing usable, or not all of it."""
    if finish is None:
        raise Retryable("the answer broke off without a finish")
    if finish == "content_filter":
        raise Retryable("the endpoint's content filter stopped the answer")
    if calls and finish == "length":
        raise Retryable("the answer was cut off within a tool call")
    if not spoke and finish == "length":
        raise _NothingVisible("nothing of the answer could be read")
    if not spoke and not calls:
        raise Retryable(f"the answer was empty (finish: {finish})")


def _clean(text: str) -> str:
    """A model's characters, without those that no terminal, file or database should get."""
    return _LONE_SURROGATE.sub("\ufffd", _UNPRINTABLE.sub("", text))
