"""What the events of one answer say, put together: text, finish, usage, tool calls, a refusal, and what its endpoint wants back later.

Given the events of a chat completion as JSON, in order. Pure. An event of another shape raises what Python raises over it (KeyError,
TypeError, AttributeError and their kind): its caller knows that the endpoint speaks no chat protocol.
"""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import JsonValue

from engine.llm.complete_body import first_choices, text_of
from engine.llm.history import CARRIED
from engine.llm.protocol import Chunk, ToolCall
from engine.llm.thinking import ThinkFilter

_FINISHES: Final = {
    **dict.fromkeys(("max_tokens", "model_length", "max_output_tokens", "model_context_window_exceeded"), "length"),
    **dict.fromkeys(("sensitive", "safety"), "content_filter"),
}
"""Finish reasons of some endpoints -> the protocol's."""
_MOST_CARRIED: Final = 200_000
"""Characters of thoughts that are kept for the history; an endpoint that thinks longer does without."""


class _CallPieces:
    """A tool call while its pieces come."""

    def __init__(self) -> None:
        self.id = self.name = self.arguments = ""
        self.extra: dict[str, JsonValue] = {}


class AnswerTally:
    """One answer: `add` every event in order, then `last_chunk`. begun: an event said something. model: the name it came under. finish: why
    it ended, None = not yet. thinks, began_thinking: whether it holds thoughts, and began with one that nothing opened."""

    def __init__(self) -> None:
        self.finish: str | None = None
        self.model = ""
        self.begun = self.thinks = self.began_thinking = False
        self._sent: int | None = None
        self._written: int | None = None
        self._cached: int | None = None
        self._calls: dict[int, _CallPieces] = {}  # by the endpoint's index
        self._refusal: list[str] = []
        self._carried: dict[str, Any] = {}
        self._thinking = ThinkFilter()
        self._half = ""  # of a character that two events share

    def add(self, event: Any) -> str:
        """Take in what an event reports and return its text."""
        if usage := event.get("usage"):
            self._note_usage(usage)
        self.model = str(event.get("model") or self.model)
        choices = first_choices(event)
        if not choices:
            return ""
        choice = choices[0]
        self.begun = True
        if finish := choice.get("finish_reason"):
            self.finish = self.finish or _FINISHES.get(str(finish).lower(), str(finish).lower())
        delta = choice["delta"] or {}
        for call in delta.get("tool_calls") or ():
            self._note_call(call)
        if refusal := delta.get("refusal"):
            self._refusal.append(str(refusal))
        self._note_carried(delta)
        text = self._whole(text_of(delta.get("content")))
        self._note_thoughts(text)
        return text

    def last_chunk(self, text: str) -> Chunk:
        """Return the last chunk of the answer, which holds all but its text. text: what came behind the finish."""
        calls = tuple(
            ToolCall(call.id or f"call-{index}", call.name, call.arguments or "{}", call.extra)
            for index, call in sorted(self._calls.items())
        )
        carried = self._carried if calls and sum(map(len, map(str, self._carried.values()))) <= _MOST_CARRIED else {}
        refusal, usage = "".join(self._refusal), (self._sent, self._written, self._cached)
        return Chunk(text, *usage, finish=self.finish, tool_calls=calls, refusal=refusal, carried=carried)

    def _whole(self, text: str) -> str:
        """Return a text without half a character at its end, which waits for the other half."""
        if self._half and text:
            text = (self._half + text).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
            self._half = ""
        if "\ud800" <= text[-1:] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return text

    def _note_usage(self, usage: Mapping[str, Any]) -> None:
        details = usage.get("prompt_tokens_details") or {}
        cached = details.get("cached_tokens")
        self._sent, self._written = usage.get("prompt_tokens"), usage.get("completion_tokens")
        self._cached = usage.get("prompt_cache_hit_tokens") if cached is None else cached

    def _note_call(self, delta: Mapping[str, Any]) -> None:
        index = delta.get("index")
        if index is None or self._is_another(index, delta):  # whole calls without a number, or all with the first one's
            index = len(self._calls)
        call, function = self._calls.setdefault(index, _CallPieces()), delta.get("function") or {}
        call.id, call.name = call.id or delta.get("id") or "", call.name or function.get("name") or ""
        call.arguments += function.get("arguments") or ""
        call.extra |= {key: value for key, value in delta.items() if key not in ("index", "id", "type", "function") and value is not None}

    def _is_another(self, index: int, delta: Mapping[str, Any]) -> bool:
        begun = self._calls.get(index)
        return begun is not None and bool(delta.get("id")) and delta["id"] != begun.id and bool((delta.get("function") or {}).get("name"))

    def _note_carried(self, delta: Mapping[str, Any]) -> None:
        self.thinks = self.thinks or bool(delta.get("reasoning_content") or delta.get("reasoning"))
        for name in CARRIED:
            value = delta.get(name)
            if value is None:
                continue
            before = self._carried.get(name)
            joins = isinstance(value, str | list) and type(before) is type(value)
            self._carried[name] = before + value if joins else {**before, **value} if isinstance(before, dict) else value

    def _note_thoughts(self, text: str) -> None:
        if text and not self.began_thinking:
            self._thinking.feed(text)
            self.began_thinking = self._thinking.retracted
            self.thinks = self.thinks or self._thinking.thinks
