"""Reading a stream changes how many pieces there are and how they are dressed, and nothing that they say."""

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.llm.deltas import LONGEST, DeltaJoiner, TooLong

FRAME = {"id": "c-1", "object": "chat.completion.chunk", "model": "m"}


def event(delta: dict[str, Any], finish: str | None = None, index: int = 0, **more: Any) -> bytes:
    return (
        b"data: " + json.dumps({**FRAME, "choices": [{"index": index, "delta": delta, "finish_reason": finish}], **more}).encode() + b"\n\n"
    )


PIECES = st.text().map(lambda text: event({"content": text, "refusal": None}, usage=None))
OTHERS = st.sampled_from(
    [
        event({"role": "assistant", "content": ""}),
        event({"reasoning_content": "hm", "content": None}),
        event({"content": "the end"}, "stop"),
        event({"content": "counted"}, usage={"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}),
        event({"content": "of another choice"}, index=1),
        event({"content": "named"}).replace(b"data: ", b"id: 7\nevent: message\nretry: 3\n: a remark\ndata:"),
        event({"content": "in lines"}).replace(b", ", b",\ndata: "),
        event({"content": "from elsewhere"}).replace(b"\n", b"\r\n"),
        b'data: {"error": {"message": "overloaded"}}\n\n',
        b'data: {"choices": []}\r\n\r\n',
        b": a comment\n\n",
        b"id: 8\n\n",
        b"data:\n\n",
        b"event: strange\ndata: {\ndata: }\n\n",
        b"data: {not json\n\n",
        b'data: {"a":' + b"[" * 100_000 + b"\n\n",
        b"data: \xff\xfe\n\n",
        b"data: [DONE]\n\n",
    ]
)


def meaning(stream: bytes) -> list[Any]:
    """What a careful reader makes of a stream: runs of plain text as one text, other events as they are, of choices only the first."""
    read: list[Any] = []
    for block in re.split(rb"(?:\r?\n){2}", stream):
        lines = [line.removeprefix(b"data:").removeprefix(b" ") for line in re.split(rb"\r?\n", block) if line.startswith(b"data:")]
        data: Any = b"\n".join(lines)
        if not data.strip():
            continue
        try:
            data = json.loads(data)
        except (ValueError, RecursionError):
            read.append(data)
            continue
        if not isinstance(data, dict):
            read.append(data)
            continue
        choices = [choice for choice in data.get("choices", []) if choice["index"] == 0]
        data = {**data, "choices": choices} if "choices" in data else data
        text = choices[0]["delta"].get("content") if choices else None
        plain = isinstance(text, str) and not data.get("usage") and choices[0]["finish_reason"] is None
        if plain and read and isinstance(read[-1], str):
            read[-1] += text
        else:
            read.append(text if plain else data)
    return [item.encode("utf-16", "surrogatepass") if isinstance(item, str) else item for item in read]


@given(
    st.lists(PIECES | OTHERS, max_size=12), st.lists(st.integers(0, 2000), max_size=8), st.sets(st.integers(0, 8)), st.binary(max_size=5)
)
def test_a_joined_stream_says_the_same(events: list[bytes], cuts: list[int], taken: set[int], tail: bytes) -> None:
    stream = b": begun\n\n" + b"".join(events) + re.sub(rb"[\r\n]", b"", tail)
    places = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    joiner, given_back = DeltaJoiner(), b""
    for number, (start, stop) in enumerate(pairwise(places)):
        joiner.feed(stream[start:stop])
        if number in taken:
            given_back += joiner.take()[0]
    given_back += joiner.rest()
    assert meaning(given_back) == meaning(stream)
    dressed = [line for line in given_back.split(b"\n") if line and not line.startswith(b"data: ")]
    assert dressed == [], "a plain stream for the client"


def test_what_has_no_end_is_given_up() -> None:
    for beginning in (b'{"choices": "', b"data: "):
        joiner = DeltaJoiner()
        joiner.feed(beginning)
        for _ in range(LONGEST // 500_000 - 1):
            joiner.feed(b"x" * 500_000)
        with pytest.raises(TooLong):
            joiner.feed(b"x" * 500_001)


def test_an_event_that_was_not_finished_is_no_event() -> None:
    whole = event({"content": "said"})
    for cut in range(7, len(whole) - 3):
        joiner = DeltaJoiner()
        joiner.feed(whole[:cut])
        assert joiner.rest() == b""
    joiner = DeltaJoiner()
    joiner.feed(whole.rstrip())
    assert meaning(joiner.rest()) == meaning(whole)


def test_neighbouring_pieces_become_one_and_an_emoji_cut_in_two_is_whole() -> None:
    joiner = DeltaJoiner()
    for half in (r"\ud83d", r"\ude00"):
        joiner.feed(event({"content": "@"}).replace(b"@", half.encode()))
    data, has_text = joiner.take()
    assert has_text
    assert data.count(b"data: ") == 1
    assert json.loads(data[len(b"data: ") :])["choices"][0]["delta"]["content"] == "\U0001f600"
    joiner.feed(event({"role": "assistant", "content": ""}))
    assert joiner.take()[1] is False, "nothing was said yet: the first word must not wait"
