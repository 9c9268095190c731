"""One question to a model, until it is answered or lost: a total deadline, the only retry layer, the usage.

Given a model, a call, a policy and a listener; gives the answer without its thoughts, or raises with the usage so far. The deadline is
total: over all attempts, the waits between them, a hang, and a drip that never ends. Time spent queueing for one of the endpoint's slots
is not the model's and does not count against it (`deadline.py`); `duration_ms` and `first_token_ms` are plain wall time and include it.
Waits double (0.5 s, 1 s, ...), are never shorter than the endpoint asks for, and are longer by a random part, so that many calls that
failed together do not come back together. It never judges what an answer says; that is its flow's business.
"""

import re
import time
from asyncio import sleep
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Never, Protocol, cast

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_exponential, wait_random

from engine.domain.errors import CallFailed, KeyRefused, ModelRefused
from engine.domain.opinion import Usage
from engine.llm.deadline import Deadline, deadline
from engine.llm.protocol import AskAgain, Chunk, Model, ModelCall, Planted, Retryable, ToolCall
from engine.llm.thinking import ThinkFilter

MAX_ANSWER_CHARS = 12_000  # several times a long answer: a model that rambles on is cut, and the answer counts as ended by length
MAX_STREAM_CHARS = 200_000  # thoughts included
_LONGEST_MESSAGE = 300
_MOST_SPREAD_S = 5.0
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
        """Take the next characters of this attempt; the pieces of the attempt that counted, joined, are `Answer.text`."""
        ...

    def planted(self, planted: Planted) -> None:
        """Take note of a false value that the model stated on purpose."""
        ...

    def retrying(self, attempt: int, reason: str, wait_s: float) -> None:
        """Take note that the last attempt failed for `reason`: `attempt` begins after `wait_s` seconds and supersedes its text."""
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
    """The endpoint refused for good. usage: what it cost all the same. of_key: it refused the key."""

    def __init__(self, message: str, usage: Usage, *, of_key: bool) -> None:
        super().__init__(message)
        self.usage, self.of_key = usage, of_key


async def complete(model: Model, call: ModelCall, policy: CallPolicy, listener: CallListener) -> Answer:
    """Ask until there is an answer. Attempts are numbered from `call.attempt`. Every one carries a bound: the call's, else the policy's.

    Raises CallLost when deadline or attempts are used up, CallRefused (a ModelRefused) when the endpoint says a final no; both carry
    `usage`. Cancelling ends the call at the provider.
    """
    ledger = _Ledger(model.name)
    try:
        async with deadline(policy.deadline_s) as clock:
            ledger.clock = clock
            return await _Question(model, call, policy, listener, ledger, clock).until_answered()
    except TimeoutError:
        if not clock.expired:
            raise
        before = f"; before that: {ledger.reason}" if ledger.reason else ""
        ledger.lose("deadline")
        reason = f"{model.name}: no complete answer within {policy.deadline_s:g} s (TRIBUNAL_CALL_DEADLINE_S), in attempt {ledger.requests}"
        raise CallLost(reason + before, ledger.usage()) from None
    except ModelRefused as refusal:
        ledger.lose(str(refusal))
        raise CallRefused(str(refusal), ledger.usage(), of_key=isinstance(refusal, KeyRefused)) from None


class _Ledger:
    """What the call has cost so far, and why its last attempt failed."""

    def __init__(self, model: str) -> None:
        self._model, self._began = model, time.monotonic()
        self._first_token: float | None = None
        self._tokens = [0, 0]
        self._open_tokens = [0, 0]
        self._running = False
        self.requests = self.failed = 0
        self.reason = ""
        self.clock: Deadline | None = None

    def send(self) -> None:
        self.requests += 1
        self._running = True

    def add_totals(self, chunk: Chunk) -> None:
        """Take the token totals of the running attempt; a later report replaces an earlier one."""
        for index, count in enumerate((chunk.prompt_tokens, chunk.completion_tokens)):
            if count is not None:
                self._open_tokens[index] = count

    def wrote(self) -> None:
        if self._first_token is None:
            self._first_token = time.monotonic()

    def end_attempt(self) -> None:
        self._running = False
        self._tokens = [earlier + added for earlier, added in zip(self._tokens, self._open_tokens, strict=True)]
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


class _Question:
    """One question, asked until it is answered. Its attempts are tenacity's; those that are nobody's fault are within one of them."""

    def __init__(self, model: Model, call: ModelCall, policy: CallPolicy, listener: CallListener, ledger: _Ledger, clock: Deadline) -> None:
        self._model, self._call, self._policy = model, call, policy
        self._listener, self._ledger, self._clock = listener, ledger, clock
        self._bound = call.max_tokens or policy.max_tokens
        self._backoff = wait_exponential(multiplier=policy.backoff_s)

    async def until_answered(self) -> Answer:
        """Return the answer. Raises CallLost when there is no attempt left, or when the next wait would outlast the deadline."""
        asking = AsyncRetrying(
            retry=retry_if_exception_type(Retryable),
            wait=self._wait,
            stop=self._is_over,
            before_sleep=self._report_retry,
            retry_error_callback=self._lose,
            sleep=sleep,
        )
        return await asking(self._blamed_attempt)

    async def _blamed_attempt(self) -> Answer:
        """Ask once, and again at once where the answer says how to. Raises Retryable."""
        while True:
            attempt = self._call.attempt + self._ledger.requests
            self._ledger.send()
            try:
                asked = replace(self._call, attempt=attempt, max_tokens=self._bound)
                text, finish, calls = await _attempt(self._model, asked, self._listener, self._ledger)
            except _NothingVisible as failure:
                self._ledger.lose(f"{failure} within {self._bound} tokens")
                self._double_bound()
                self._listener.retrying(attempt + 1, f"{self._ledger.reason}: asking again with {self._bound}", 0.0)
            except AskAgain as lesson:
                self._ledger.lose(str(lesson))
                self._listener.retrying(attempt + 1, self._ledger.reason, 0.0)
            except Retryable as failure:
                self._ledger.lose(str(failure))
                raise
            else:
                self._ledger.end_attempt()
                return Answer(text, finish, self._ledger.usage(), attempt, self._bound, calls)

    def _double_bound(self) -> None:
        """Allow the next answer twice the policy's bound. Raises CallLost when that has been done."""
        most = 2 * self._policy.max_tokens
        if self._bound >= most:
            raise self._lost(f"{self._ledger.reason}: raise TRIBUNAL_MAX_TOKENS, or let it think less")
        self._bound = most

    def _wait(self, state: RetryCallState) -> float:
        """Return the seconds before the next attempt: the random part is shorter where the deadline is near."""
        least = self._least_wait(state)
        spread = min(least / 2, _MOST_SPREAD_S, max(0.0, self._clock.left() - least) / 2)
        return least + wait_random(0, spread)(state)

    def _least_wait(self, state: RetryCallState) -> float:
        return max(self._backoff(state), _requested_wait(state) or 0.0)

    def _is_over(self, state: RetryCallState) -> bool:
        """Return whether there is no attempt left, or no time for the next one."""
        return state.attempt_number >= self._policy.attempts or state.upcoming_sleep >= self._clock.left()

    def _report_retry(self, state: RetryCallState) -> None:
        self._listener.retrying(self._call.attempt + self._ledger.requests, self._ledger.reason, state.upcoming_sleep)

    def _lose(self, state: RetryCallState) -> Never:
        if state.attempt_number >= self._policy.attempts:
            raise self._lost(f"no usable answer in {self._ledger.requests} attempts, the last: {self._ledger.reason}") from None
        asked, wait = _requested_wait(state), self._least_wait(state)
        asks = asked is not None and asked >= wait
        whose = f"the endpoint asked to wait {asked:.0f} s" if asks else f"the next attempt is {wait:g} s away"
        raise self._lost(f"{self._ledger.reason}; {whose}, but the deadline is in {self._clock.left():.1f} s") from None

    def _lost(self, why: str) -> CallLost:
        return CallLost(f"{self._model.name}: {why}", self._ledger.usage())


def _requested_wait(state: RetryCallState) -> float | None:
    """Return the seconds that the endpoint asked to wait, None when it did not say."""
    failure = state.outcome.exception() if state.outcome is not None else None
    return failure.retry_after if isinstance(failure, Retryable) else None


async def _attempt(model: Model, call: ModelCall, listener: CallListener, ledger: _Ledger) -> tuple[str, str, tuple[ToolCall, ...]]:
    """Send one request and stream its answer to the listener; return text, finish and tool calls. Raises Retryable."""
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
            ledger.add_totals(chunk)
            for planted in chunk.planted:
                listener.planted(planted)
            write(thinking.feed(_clean(chunk.text)))
            received += len(chunk.text)
            finish, calls = chunk.finish or finish, tuple(map(_clean_call, chunk.tool_calls)) or calls
            if shown >= MAX_ANSWER_CHARS or received > MAX_STREAM_CHARS:
                finish = "length"
                break
    write(thinking.finish())
    _must_be_usable(finish, calls, spoke=bool(pieces))
    assert finish is not None
    return "".join(pieces), finish, tuple(ToolCall(_clean(each.id), _clean(each.name), _clean(each.arguments)) for each in calls)


def _must_be_usable(finish: str | None, calls: tuple[ToolCall, ...], *, spoke: bool) -> None:
    """Check that an attempt gave a whole, usable answer. Raises Retryable for one that gave nothing usable, or not all of it."""
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


def _clean_call(call: ToolCall) -> ToolCall:
    return ToolCall(_clean(call.id), _clean(call.name), _clean(call.arguments))


def _clean(text: str) -> str:
    """Return a model's characters, without those that no terminal, file or database should get."""
    return _LONE_SURROGATE.sub("\ufffd", _UNPRINTABLE.sub("", text))
