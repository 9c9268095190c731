"""What the chunks of one answer say, put together: text, finish, usage, tool calls, a refusal, and what its endpoint wants back later.

Given the chunks of `EndpointChat` in order. Pure.
"""

from typing import Any, Final

from langchain_core.messages import AIMessageChunk
from pydantic import JsonValue

from engine.llm.chat import CARRIED, EXTRAS
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
    """One answer: `add` every chunk in order, then `last_chunk`. begun: a chunk came. model: the name it came under. finish: why it ended,
    None = not yet. thinks, began_thinking: whether it holds thoughts, and began with one that nothing opened."""

    def __init__(self) -> None:
        self.finish: str | None = None
        self.model = ""
        self.begun = self.thinks = self.began_thinking = False
        self._usage: tuple[int | None, int | None, int | None] = (None, None, None)
        self._calls: dict[int, _CallPieces] = {}  # by the endpoint's index
        self._refusal: list[str] = []
        self._carried: dict[str, Any] = {}
        self._thinking = ThinkFilter()

    def add(self, chunk: AIMessageChunk) -> str:
        """Take in what a chunk reports and return its text."""
        if usage := chunk.usage_metadata:
            cached = usage.get("input_token_details", {}).get("cache_read")
            self._usage = (usage["input_tokens"], usage["output_tokens"], cached)
        if chunk.response_metadata.get("model_provider") is None:  # it holds no choice
            return ""
        self.begun = True
        self.model = chunk.response_metadata.get("model_name") or self.model
        if finish := chunk.response_metadata.get("finish_reason"):
            self.finish = self.finish or _FINISHES.get(str(finish).lower(), str(finish).lower())
        for place, call in enumerate(chunk.tool_call_chunks):
            self._note_call(call, chunk.additional_kwargs[EXTRAS][place])
        if refusal := chunk.additional_kwargs.get("refusal"):
            self._refusal.append(str(refusal))
        self._note_carried(chunk.additional_kwargs)
        text = str(chunk.content)
        self._note_thoughts(text)
        return text

    def last_chunk(self, text: str) -> Chunk:
        """Return the last chunk of the answer, which holds all but its text. text: what came behind the finish."""
        calls = tuple(
            ToolCall(call.id or f"call-{index}", call.name, call.arguments or "{}", call.extra)
            for index, call in sorted(self._calls.items())
        )
        carried = self._carried if calls and sum(map(len, map(str, self._carried.values()))) <= _MOST_CARRIED else {}
        return Chunk(text, *self._usage, finish=self.finish, tool_calls=calls, refusal="".join(self._refusal), carried=carried)

    def _note_call(self, piece: Any, extra: dict[str, JsonValue]) -> None:
        index = piece["index"]
        if index is None or self._is_another(index, piece):  # whole calls without a number, or all with the first one's
            index = len(self._calls)
        call = self._calls.setdefault(index, _CallPieces())
        call.id, call.name = call.id or piece["id"] or "", call.name or piece["name"] or ""
        call.arguments += piece["args"] or ""
        call.extra |= extra

    def _is_another(self, index: int, piece: Any) -> bool:
        begun = self._calls.get(index)
        return begun is not None and bool(piece["id"]) and piece["id"] != begun.id and bool(piece["name"])

    def _note_carried(self, added: dict[str, Any]) -> None:
        self.thinks = self.thinks or bool(added.get("reasoning_content") or added.get("reasoning"))
        for name in CARRIED:
            value = added.get(name)
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
