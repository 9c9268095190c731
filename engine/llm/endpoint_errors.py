"""What the OpenAI client raises, as this engine's errors: refused for good, or worth another attempt.

Given an exception of the library and what must stay secret; gives a ModelRefused or a Retryable whose message is one line of at most 300
characters without a key, without credentials and without control characters. Providers echo keys, so their words are scrubbed: whatever
shares eight characters in a row with the key goes, and so does whatever looks like any key.
"""

import re
import unicodedata
from collections.abc import Mapping
from urllib.parse import urlsplit

import httpx2
import openai

from engine.domain.calls.retry_after import seconds_to_wait
from engine.domain.errors import KeyRefused, ModelRefused
from engine.domain.text.reason import Reason, bounded, mapped
from engine.llm.protocol import Retryable

_LONGEST = 300
_WORTH_RETRYING = (408, 409, 425, 429)
_LOOKS_LIKE_A_KEY = re.compile(r"\b(?:sk|pk|key|gsk|xai)[-_][\w*.\-…]{3,}|(?i:bearer)\s+\S+|[\w-]*\*{3,}[\w*-]*")
_WINDOW = 8
_HIDDEN = "[hidden]"


class ErrorMessages:
    """Messages about one endpoint and its model, without secrets. endpoint: its address. key: what is never shown."""

    def __init__(self, model: str, endpoint: str, key: str) -> None:
        self._model, self._key = model, key
        self._windows = {key[at : at + _WINDOW] for at in range(len(key) - _WINDOW + 1)}
        self.endpoint = without_credentials(endpoint)

    def line(self, text: str) -> str:
        """Return `text` behind the model's name: scrubbed, one line, at most 300 characters."""
        return self.bare(Reason("about", who=self._model, what=text))

    def bare(self, text: str) -> str:
        """Return `text` scrubbed, one line, at most 300 characters; for what `calls.py` puts the model's name to."""
        return bounded(mapped(text, self.scrub), _LONGEST)

    def scrub(self, text: str) -> str:
        """Return the text without secrets, line breaks and control characters."""
        visible = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in text[:4000])
        if self._key:
            visible = visible.replace(self._key, _HIDDEN)
        words = _LOOKS_LIKE_A_KEY.sub(_HIDDEN, visible).split()
        return " ".join(_HIDDEN if self._shares_with_key(word) else word for word in words)

    def _shares_with_key(self, word: str) -> bool:
        return any(word[at : at + _WINDOW] in self._windows for at in range(len(word) - _WINDOW + 1))


def without_credentials(address: str) -> str:
    """Return a URL without user, password, query and fragment; `?` where there is none to show."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "?", parts.port
    except ValueError:
        return "?"
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme or '?'}://{shown}{f':{port}' if port else ''}{parts.path}"


def explained(problem: openai.OpenAIError, messages: ErrorMessages) -> ModelRefused | Retryable:
    """Return the engine's error for one of the client's: ModelRefused for a final no, Retryable for what another attempt may mend."""
    if isinstance(problem, openai.APIStatusError):
        return _status(problem, messages)
    if isinstance(problem, openai.APIConnectionError):
        return Retryable(messages.bare(_connection(problem, messages.endpoint)))
    if isinstance(problem, openai.APIError):  # an error object in the middle of a stream
        return Retryable(messages.bare(Reason("endpoint_broke_off_with_error", problem=_provider_message(problem))))
    return Retryable(messages.bare(Reason("client_failed", name=type(problem).__name__, problem=problem)))


def _connection(problem: openai.APIConnectionError, endpoint: str) -> str:
    """Return why there is no connection, by what the network library raised: the clients above it give it names of their own.

    An address that is none is not repeated: it may hold a password.
    """
    cause: BaseException = problem
    while cause.__cause__ is not None and isinstance(cause, openai.OpenAIError | httpx2.HTTPError):
        cause = cause.__cause__
    if isinstance(cause, TimeoutError | openai.APITimeoutError | httpx2.TimeoutException):
        return Reason("no_connection_to_in_time", endpoint=endpoint)
    if isinstance(cause, httpx2.UnsupportedProtocol | httpx2.InvalidURL) or (
        isinstance(cause, ValueError) and not isinstance(cause, OSError)
    ):
        return Reason("connection_to_failed", endpoint=endpoint, why=Reason("endpoint_or_proxy_address_is_not_valid"))
    why = f" ({type(cause).__name__}: {cause})" if cause is not problem else ""
    return Reason("connection_to_failed_or_broke", endpoint=endpoint, why=why)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return seconds a provider asks to wait: `Retry-After` in seconds or as an HTTP date, or `retry-after-ms`. None when it does not
    say."""
    milliseconds = seconds_to_wait(headers.get("retry-after-ms", ""))
    return seconds_to_wait(headers.get("retry-after", "")) if milliseconds is None else milliseconds / 1000


def _status(problem: openai.APIStatusError, messages: ErrorMessages) -> ModelRefused | Retryable:
    status, quoted = problem.status_code, _provider_message(problem)
    quote = f": {quoted}" if quoted.strip() else ""
    if status == 429 and problem.code == "insufficient_quota":
        return ModelRefused(messages.line(Reason("account_behind_openai_api_key_has_no_quota_left", quote=quote)))
    if status in _WORTH_RETRYING or status >= 500:
        what = Reason("too_many_requests" if status == 429 else "endpoint_failed")
        return Retryable(messages.bare(Reason("with_status", what=what, status=status, quote=quote)), retry_after(problem.response.headers))
    refusals = {
        401: Reason("key_refused", endpoint=messages.endpoint),  # providers quote the key here: their words are left out
        403: Reason("key_refused_or_not_allowed", endpoint=messages.endpoint, quote=quote),
        404: Reason("model_or_path_unknown", endpoint=messages.endpoint, quote=quote),
    }
    refusal = KeyRefused if status in (401, 403) else ModelRefused
    return refusal(messages.line(refusals.get(status) or Reason("request_refused", endpoint=messages.endpoint, status=status, quote=quote)))


def _provider_message(problem: openai.APIError) -> str:
    """Return the provider's own short message; nothing of a page or a body that is not one."""
    body = problem.body
    if isinstance(body, dict):
        message = body.get("message") or body.get("detail") or body.get("error")
        return message if isinstance(message, str) else ""
    return body if isinstance(body, str) and "<" not in body else ""
