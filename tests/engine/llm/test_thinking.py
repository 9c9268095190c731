"""Thoughts are dropped wherever the stream is cut."""

import re
import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engine.llm.thinking import ThinkFilter, drop_thinking, thoughts

PARTS = st.sampled_from(
    ["<think>", "</think>", "<THINKING>", "</thinking>", "<thin", "<", "k>", "</", "think", ">", "a", " 字", "\n", "<thinker>"]
)
TEXTS = st.lists(PARTS, max_size=30).map("".join)


def filtered(pieces: list[str]) -> str:
    running = ThinkFilter()
    return "".join([*(running.feed(piece) for piece in pieces), running.finish()])


@given(TEXTS, st.lists(st.integers(0, 200), max_size=12))
def test_how_the_text_is_cut_makes_no_difference(text: str, cuts: list[int]) -> None:
    edges = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    pieces = [text[a:b] for a, b in pairwise(edges)]
    expected = re.sub(r"(?is)<think(ing)?>.*?(</think(ing)?>|$(?![\n]))", "", text)
    assert filtered(pieces) == filtered(list(text)) == drop_thinking(text) == expected
    assert sum(end - start for start, end in thoughts(text)) == len(text) - len(expected)


@given(st.text(alphabet="ab</think>\n", max_size=60).filter(lambda text: "<think>" not in text))
def test_text_without_an_opening_tag_is_left_alone(text: str) -> None:
    assert filtered(list(text)) == text


def test_examples() -> None:
    assert filtered(["<th", "ink>secret</th", "ink>", "LONG"]) == "LONG"
    assert filtered(["a <THINK>x</Think> b"]) == "a  b"
    assert filtered(["vote <think>for ever"]) == "vote "
    assert filtered(["so </think> be it"]) == "so </think> be it"
    assert filtered(["1 < 2 and <thinker> <"]) == "1 < 2 and <thinker> <"


def test_nothing_is_held_back_longer_than_needed() -> None:
    running = ThinkFilter()
    assert running.feed("price < 3") == "price < 3"
    assert running.feed("a <thin") == "a "
    assert running.feed("g>") == "<thing>"


def test_a_long_stream_of_half_tags_is_linear() -> None:
    running, began = ThinkFilter(), time.perf_counter()
    for _ in range(20_000):
        running.feed("<<think<thinkin")
    assert time.perf_counter() - began < 1
