"""One question to a model, until it is answered or lost: a total deadline, the only retry layer, the usage.

Given a model, a call, a policy and a listener; gives the answer without its thoughts, or raises with the usage so far. The deadline is
total: over all attempts, the waits between them, a hang, and a drip that never ends. Time spent queueing for one of the endpoint's slots
is not the model's and does not count against it (`slots.py`); `duration_ms` and `first_token_ms` are plain wall time and include it.
Waits double (0.5 s, 1 s, ...), are never shorter than the endpoint asks for, and are longer by a random part, so that many calls that
failed together do not come back together. It never judges what an answer says; that is its flow's business.
"""

import re
import time
from asyncio import sleep
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Never, Protocol, cast

from pydantic import JsonValue
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_exponential, wait_random

from engine.domain.errors import CallFailed, KeyRefused, ModelRefused, ToolsRefused
from engine.domain.opinion import Usage
from engine.domain.text.reason import Reason
from engine.llm.protocol import AskAgain, Chunk, Model, ModelCall, Planted, Retryable, ToolCall
from engine.llm.slots import Deadline, deadline
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
    that counted, and max_tokens its bound. tool_calls: what it asks for. refusal: the endpoint's words where it marks the answer as a
    refusal. text is never blank without one of the two. carried: what its endpoint wants back with the calls (`Chunk`)."""

    text: str
    finish: str
    usage: Usage
    attempt: int
    max_tokens: int
    tool_calls: tuple[ToolCall, ...] = ()
    refusal: str = ""
    carried: Mapping[str, JsonValue] = field(default_factory=dict)


class CallLost(CallFailed):
    """No usable answer within the deadline and the attempts. usage: what it cost all the same."""

    def __init__(self, message: str, usage: Usage) -> None:
        super().__init__(message[:_LONGEST_MESSAGE])
        self.usage = usage


class CallRefused(ModelRefused):
    """The endpoint refused for good. usage: what it cost all the same. of_key, of_tools: it refused the key, or tools."""

    def __init__(self, message: str, usage: Usage, *, of_key: bool = False, of_tools: bool = False) -> None:
        super().__init__(message)
        self.usage, self.of_key, self.of_tools = usage, of_key, of_tools


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
        before = ledger.reason
        ledger.lose("deadline")
        reason = Reason(
            "no_complete_answer_within_s_tribunal_call_deadline_s",
            name=model.name,
            deadline_s=f"{policy.deadline_s:g}",
            requests=ledger.requests,
        )
        raise CallLost(Reason("and_before_that", what=reason, before=before) if before else reason, ledger.usage()) from None
    except ModelRefused as refusal:
        ledger.lose(str(refusal))
        of_key, of_tools = isinstance(refusal, KeyRefused), isinstance(refusal, ToolsRefused)
        raise CallRefused(str(refusal), ledger.usage(), of_key=of_key, of_tools=of_tools) from None


class _Ledger:
    """What the call has cost so far, and why its last attempt failed."""

    def __init__(self, model: str) -> None:
        self._model, self._began = model, time.monotonic()
        self._first_token: float | None = None
        self._tokens = [0, 0, 0]
        self._open_tokens = [0, 0, 0]
        self._running = False
        self.requests = self.failed = self.begun_anew = 0
        self.reason = ""
        self.clock: Deadline | None = None

    @property
    def attempts(self) -> int:
        """How many attempts have begun: requests, and answers that began anew behind a thought."""
        return self.requests + self.begun_anew

    def send(self) -> None:
        self.requests += 1
        self._running = True

    def add_totals(self, chunk: Chunk) -> None:
        """Take the token totals of the running attempt; a later report replaces an earlier one."""
        for index, count in enumerate((chunk.prompt_tokens, chunk.completion_tokens, chunk.cached_tokens)):
            if count is not None:
                self._open_tokens[index] = count

    def wrote(self) -> None:
        if self._first_token is None:
            self._first_token = time.monotonic()

    def end_attempt(self) -> None:
        self._running = False
        self._tokens = [earlier + added for earlier, added in zip(self._tokens, self._open_tokens, strict=True)]
        self._open_tokens = [0, 0, 0]

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
            cached_tokens=self._tokens[2],
            duration_ms=(time.monotonic() - self._began) * 1000,
            first_token_ms=None if self._first_token is None else (self._first_token - self._began) * 1000,
            queued_ms=round(self.clock.queued_s * 1000) if self.clock is not None else 0.0,
        )


class _NothingVisible(Retryable):
    """The answer was cut off before anything of it could be read: thoughts used up its bound."""


class _Question:
    """One question, asked until it is answered. Its attempts are tenacity's; those without a fault are made within one of them."""

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
            asked = replace(self._call, attempt=self._next_attempt, max_tokens=self._bound)
            self._ledger.send()
            try:
                answer = await _Attempt(self._model, asked, self._listener, self._ledger).answered()
            except _NothingVisible as failure:
                self._ledger.lose(f"{failure} within {self._bound} tokens")
                self._double_bound()
                self._listener.retrying(self._next_attempt, f"{self._ledger.reason}: asking again with {self._bound}", 0.0)
            except AskAgain as lesson:
                self._ledger.lose(str(lesson))
                self._listener.retrying(self._next_attempt, self._ledger.reason, 0.0)
            except Retryable as failure:
                self._ledger.lose(str(failure))
                raise
            else:
                self._ledger.end_attempt()
                return replace(answer, usage=self._ledger.usage(), max_tokens=self._bound)

    @property
    def _next_attempt(self) -> int:
        return self._call.attempt + self._ledger.attempts

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
        self._listener.retrying(self._next_attempt, self._ledger.reason, state.upcoming_sleep)

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


class _Attempt:
    """One request, whose answer is streamed to the listener."""

    def __init__(self, model: Model, call: ModelCall, listener: CallListener, ledger: _Ledger) -> None:
        self._model, self._call, self._listener, self._ledger = model, call, listener, ledger
        self._number = call.attempt
        self._thinking = ThinkFilter()
        self._pieces: list[str] = []
        self._shown = 0

    async def answered(self) -> Answer:
        """Return the answer, its usage and bound left open. Raises Retryable."""
        received, last = 0, Chunk()
        async with aclosing(cast(AsyncGenerator[Chunk, None], self._model.stream(self._call))) as chunks:  # it can be closed: the protocol
            async for chunk in chunks:
                self._take(chunk)
                received += len(chunk.text)
                last = chunk if chunk.finish else last
                if self._shown >= MAX_ANSWER_CHARS or received > MAX_STREAM_CHARS:
                    last = replace(last, finish="length")
                    break
        self._write(self._thinking.finish())
        calls, refusal = tuple(map(_clean_call, last.tool_calls)), _clean(last.refusal)
        _must_be_usable(last.finish, calls, spoke=bool(self._pieces or refusal))
        assert last.finish is not None
        usage = Usage(model=self._model.name)
        return Answer("".join(self._pieces), last.finish, usage, self._number, 0, calls, refusal, last.carried)

    def _take(self, chunk: Chunk) -> None:
        self._ledger.add_totals(chunk)
        for planted in chunk.planted:
            self._listener.planted(planted)
        if chunk.thinking:
            self._thinking = ThinkFilter(begins_thinking=True)
        text = self._thinking.feed(_clean(chunk.text))
        if self._thinking.retracted:
            self._begin_anew()
        self._write(text)

    def _begin_anew(self) -> None:
        """Take back what was written: it was a thought. What follows is another attempt, though of the same request."""
        if self._pieces:
            self._ledger.begun_anew += 1
            self._number += 1
            self._listener.retrying(self._number, Reason("what_was_written_was_thought"), 0.0)
        self._pieces.clear()
        self._shown = 0

    def _write(self, piece: str) -> None:
        piece = piece if self._pieces else piece.lstrip()  # no blank lines where a thought was
        piece = piece[: MAX_ANSWER_CHARS - self._shown]  # a piece may be any length: the endpoint cuts it, not we
        if piece:
            self._ledger.wrote()
            self._pieces.append(piece)
            self._shown += len(piece)
            self._listener.text(piece, self._number)


def _must_be_usable(finish: str | None, calls: tuple[ToolCall, ...], *, spoke: bool) -> None:
    """Check that an attempt gave a whole, usable answer. Raises Retryable for one that gave nothing usable, or not all of it."""
    if finish is None:
        raise Retryable(Reason("answer_broke_off_without_finish"))
    if finish == "content_filter":
        raise Retryable(Reason("endpoint_content_filter_stopped_answer"))
    if calls and finish == "length":
        raise Retryable(Reason("answer_was_cut_off_within_tool_call"))
    if not spoke and finish == "length":
        raise _NothingVisible(Reason("nothing_of_answer_could_be_read"))
    if not spoke and not calls:
        raise Retryable(Reason("answer_was_empty", finish=finish))


def _clean_call(call: ToolCall) -> ToolCall:
    return ToolCall(_clean(call.id), _clean(call.name), _clean(call.arguments), call.extra)


def _clean(text: str) -> str:
    """Return a model's characters, without those that no terminal, file or database should get."""
    return _LONE_SURROGATE.sub("\ufffd", _UNPRINTABLE.sub("", text))
