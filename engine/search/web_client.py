"""How services are asked: politely, and with one clear reason for every way in which they can fail.

Polite: a contact in the User-Agent, requests to a service apart from one another, Retry-After kept (also by the next searches, until it is
over), few retries with growing waits that differ at random. Network trouble, 429 and 5xx are asked again within the deadline; a refusal, a
web page instead of JSON or another shape than the documented one is not. Redirects are not followed: a service that moved is a setting to
be changed.
"""

import asyncio
import json
import logging
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final, Literal, TypeVar

import aiohttp

from engine.domain.calls.retry_after import seconds_to_wait
from engine.domain.errors import SearchError
from engine.domain.text.address import is_of_this_machine
from engine.domain.text.reason import Reason
from engine.domain.text.visible import one_line

MOST_BYTES: Final = 8_000_000
_MOST_SPREAD_S: Final = 5.0
_LONGEST_QUOTE: Final = 160
_NOT_ACCEPTED: Final = (400, 422)  # what a service says then is about its parameters: for its log, not for a reader
_LOG: Final = logging.getLogger("engine.search")

T = TypeVar("T")


@dataclass(frozen=True)
class WebRequest:
    """One request for JSON. who: the service, in words. headers: what is secret is here, and nowhere else. spacing_s: least time between
    two requests to the service. setting: names its address."""

    who: str
    url: str
    params: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    spacing_s: float = 0.1
    setting: str = ""


@dataclass(frozen=True)
class Manners:
    """How long and how often. deadline_s: seconds in total for one answer, waits included. attempt_s: for one attempt. backoff_s: the first
    wait, doubled each time."""

    deadline_s: float = 15.0
    attempt_s: float = 7.0
    attempts: int = 3
    backoff_s: float = 0.5


class _TryAgain(Exception):
    """The service is in trouble. wait_s: how long it asks to be left alone."""

    def __init__(self, reason: Reason, wait_s: float = 0.0) -> None:
        super().__init__(reason)
        self.reason, self.wait_s = reason, wait_s


class WebClient:
    """Asks any service. contact: of who runs this, for the User-Agent; '' = none."""

    def __init__(self, contact: str, manners: Manners | None = None) -> None:
        self._agent = user_agent(contact)
        self._manners = manners or Manners()
        self._sessions: dict[bool, aiohttp.ClientSession] = {}  # by whether a proxy of the environment is asked
        self._free_at: dict[str, float] = {}
        self._left_alone_until: dict[str, float] = {}

    async def ask(self, request: WebRequest, read: Callable[[Any], T]) -> T:
        """Return what `read` makes of the JSON answer. read: raises KeyError, TypeError, ValueError, IndexError, AttributeError or
        ArithmeticError for another shape than the documented one, SearchError for an answer that says why it is missing. Raises
        SearchError."""
        answer = await self._answer(request)
        try:
            return read(answer)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError) as error:
            _LOG.warning("%s answered in another shape than its documented one: %s", request.who, _quote(repr(error)))
            raise SearchError(Reason("answered_in_another_shape_than_its_documented", who=request.who)) from None

    async def close(self) -> None:
        """Close the connections."""
        sessions, self._sessions = self._sessions, {}
        for session in sessions.values():
            await session.close()

    async def _answer(self, request: WebRequest) -> Any:
        manners, until = self._manners, time.monotonic() + self._manners.deadline_s
        last: Reason | str = ""
        try:
            async with asyncio.timeout(manners.deadline_s):
                for attempt in range(1, manners.attempts + 1):
                    try:
                        return await self._attempt(request, until)
                    except _TryAgain as trouble:
                        last = Reason("hint_last_trouble", trouble=trouble.reason)
                        if attempt == manners.attempts:
                            raise SearchError(Reason("trouble_in_attempts", trouble=trouble.reason, attempts=attempt)) from None
                        least = max(manners.backoff_s * 2 ** (attempt - 1), trouble.wait_s)
                    await asyncio.sleep(least + random.uniform(0, min(least / 2, _MOST_SPREAD_S)))  # noqa: S311 - spreads requests
        except TimeoutError:
            pass
        raise SearchError(Reason("gave_no_answer_within_s", who=request.who, deadline_s=f"{manners.deadline_s:g}", last=last))

    async def _attempt(self, request: WebRequest, until: float) -> Any:
        await self._turn(request, until)
        try:
            async with asyncio.timeout(self._manners.attempt_s):
                status, headers, content = await self._exchange(request)
        except TimeoutError:
            raise _TryAgain(Reason("service_did_not_answer_within_s", who=request.who, attempt_s=f"{self._manners.attempt_s:g}")) from None
        except aiohttp.InvalidURL:
            raise SearchError(Reason("address_is_none_see", who=request.who, url=_quote(request.url), setting=request.setting)) from None
        except aiohttp.ClientError as error:
            raise _TryAgain(
                Reason("service_could_not_be_reached", who=request.who, problem=_quote(str(error) or type(error).__name__))
            ) from None
        wait_s = seconds_to_wait(headers.get("Retry-After", "")) or 0.0
        if status == 429 or status >= 500:
            self._left_alone_until[request.who] = time.monotonic() + wait_s
            reason = Reason("has_had_too_many_requests") if status == 429 else Reason("failed_on_its_side", status=status)
            if time.monotonic() + wait_s >= until:
                raise SearchError(Reason("source_asks_to_be_left_alone", who=request.who, reason=reason, wait_s=f"{wait_s:.0f}"))
            raise _TryAgain(Reason("service_in_trouble", who=request.who, trouble=reason), wait_s)
        return _json(request, status, headers, content)

    async def _turn(self, request: WebRequest, until: float) -> None:
        """Wait for this request's turn at its service, which may have several hosts, or share one with another behind a proxy."""
        now = time.monotonic()
        start = max(now, self._free_at.get(request.who, 0.0), self._left_alone_until.get(request.who, 0.0))
        if start >= until:
            raise SearchError(Reason("asks_to_be_left_alone_for_another", who=request.who, start=f"{start - now:.0f}"))
        self._free_at[request.who] = start + request.spacing_s
        if start > now:
            await asyncio.sleep(start - now)

    async def _exchange(self, request: WebRequest) -> tuple[int, Mapping[str, str], bytes]:
        proxied = not is_of_this_machine(request.url)  # which no proxy can reach
        if proxied not in self._sessions:
            headers = {"User-Agent": self._agent, "Accept": "application/json"}
            self._sessions[proxied] = aiohttp.ClientSession(headers=headers, trust_env=proxied)
        method: Literal["GET", "POST"] = "GET" if request.body is None else "POST"
        asked = self._sessions[proxied].request(
            method, request.url, params=dict(request.params), json=request.body, headers=dict(request.headers), allow_redirects=False
        )
        async with asked as response:
            content = bytearray()
            async for piece in response.content.iter_chunked(65_536):
                content += piece
                if len(content) > MOST_BYTES:
                    raise SearchError(Reason("answered_with_more_than_bytes", who=request.who, most_bytes=f"{MOST_BYTES:,}"))
            return response.status, response.headers.copy(), bytes(content)


def user_agent(contact: str) -> str:
    """Return what our requests say they are. contact: of who runs this, '' = none."""
    return f"Tribunal/0.1 ({one_line(contact) or 'research'})"


def _json(request: WebRequest, status: int, headers: Mapping[str, str], content: bytes) -> Any:
    kind = headers.get("Content-Type", "").split(";")[0].strip().lower()
    if 300 <= status < 400:
        target = _quote(_without_secrets(request, headers.get("Location", "nowhere")))
        raise SearchError(Reason("sends_on_to", who=request.who, target=target, status=status, setting=request.setting))
    try:
        answer = json.loads(content.decode("utf-8"), parse_constant=lambda _: None, parse_float=_finite)
    except (ValueError, RecursionError):
        answer = None
    if status in _NOT_ACCEPTED:
        _LOG.warning("%s did not accept a request (%s)%s", request.who, status, _without_secrets(request, _reason(answer)))
        raise SearchError(Reason("does_not_accept_what", who=request.who, status=status))
    if status >= 400:
        raise SearchError(Reason("source_refused", who=request.who, status=status, request=_without_secrets(request, _reason(answer))))
    if answer is None:
        what = (
            Reason("a_web_page")
            if "html" in kind or content.lstrip()[:1] == b"<"
            else Reason("something_of_kind", kind=kind)
            if kind
            else Reason("something_without_kind")
        )
        raise SearchError(Reason("answered_with_instead_of_json", who=request.who, what=what, setting=request.setting))
    return answer


def _finite(text: str) -> float | None:
    """Return a number of JSON, None for one that no number here can hold (`1e999`)."""
    number = float(text)
    return number if isfinite(number) else None


def _reason(answer: Any) -> str:
    """Return what a refusal says, in the ways in which these services say it."""
    for key in ("message", "error", "detail"):
        said = answer.get(key) if isinstance(answer, dict) else None
        if isinstance(said, dict):
            said = said.get("error") or said.get("message")
        if isinstance(said, str) and said.strip():
            return f": {_quote(said)}"
    return ""


def _without_secrets(request: WebRequest, text: str) -> str:
    """Return words of a service without what was sent to it in headers: some repeat the key they refuse."""
    for value in request.headers.values():
        text = text.replace(value.split()[-1], "[hidden]")
    return text


def _quote(text: str) -> str:
    return one_line(text)[:_LONGEST_QUOTE]
