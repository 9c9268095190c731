"""Joining the pieces of a stream changes how many there are, and nothing else."""

import json
import re
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.llm.deltas import DeltaJoiner

FRAME = {"id": "c-1", "object": "chat.completion.chunk", "model": "m"}


def event(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
    return b"data: " + json.dumps({**FRAME, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}).encode() + b"\n\n"


PIECES = st.text().map(lambda text: event({"content": text, "refusal": None}, usage=None))
OTHERS = st.sampled_from(
    [
        event({"role": "assistant", "content": ""}),
        event({"reasoning_content": "hm", "content": None}),
        event({"content": "the end"}, "stop"),
        event({"content": "counted"}, usage={"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}),
        b'data: {"error": {"message": "overloaded"}}\n\n',
        b'data: {"choices": []}\r\n\r\n',
        b": a comment\n\n",
        b"event: strange\ndata: {\ndata: }\n\n",
        b"data: {not json\n\n",
        b'data: {"a":' + b"[" * 100_000 + b"\n\n",
        b"data: \xff\xfe\n\n",
        b"data: [DONE]\n\n",
    ]
)


def meaning(stream: bytes) -> list[Any]:
    """What a reader makes of a stream: runs of plain text as one text, every other block as it stands."""
    read: list[Any] = []
    for block in re.split(rb"\r?\n\r?\n", stream):
        text = None
        if block.startswith(b'data: {"id"'):
            data = json.loads(block[len(b"data: ") :])
            delta = data["choices"][0]["delta"]
            plain = isinstance(delta.get("content"), str) and not data.get("usage") and data["choices"][0]["finish_reason"] is None
            text = delta["content"] if plain else None
        if text is not None and read and isinstance(read[-1], str):
            read[-1] += text
        else:
            read.append(block if text is None else text)
    return [item.encode("utf-16", "surrogatepass") if isinstance(item, str) else item for item in read]


@given(
    st.lists(PIECES | OTHERS, max_size=12), st.lists(st.integers(0, 2000), max_size=8), st.sets(st.integers(0, 8)), st.binary(max_size=5)
)
def test_a_joined_stream_says_the_same(events: list[bytes], cuts: list[int], taken: set[int], tail: bytes) -> None:
    stream = b"".join(events) + tail.replace(b"\n", b"")
    places = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    joiner, given_back = DeltaJoiner(), b""
    for number, (start, stop) in enumerate(pairwise(places)):
        joiner.feed(stream[start:stop])
        if number in taken:
            given_back += joiner.take()[0]
    assert meaning(given_back + joiner.rest()) == meaning(stream)


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


@given(st.lists(st.text(st.sampled_from("ab\n"), max_size=5), max_size=12))
def test_the_last_line_is_measured(texts: list[str]) -> None:
    joiner = DeltaJoiner()
    for text in texts:
        joiner.feed(event({"content": text}))
    assert joiner.line_length == len("".join(texts).split("\n")[-1])
