"""Thoughts are dropped wherever the stream is cut, under whichever tags."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.llm.thinking import ThinkFilter, thoughts

PARTS = st.sampled_from(
    [
        "<think>", "</think>", "<THINKING>", "</thinking>", "<thin", "<", "k>", "</", "think", ">", "a", " 字", "\n", "<thinker>",
        "[THINK]", "[/THINK]", "[", "◁think▷", "◁/think▷", "◁", "<|channel|>analysis", "<|message|>", "<|end|>", "<|channel|>final", "<|",
    ]
)  # fmt: skip
TEXTS = st.lists(PARTS, max_size=30).map("".join)
PAIRS = (
    ("<think>", "</think>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
)


def drop_thinking(text: str) -> str:
    """A whole text without its thoughts."""
    cuts = [0, *(place for span in thoughts(text) for place in span), len(text)]
    return "".join(text[start:end] for start, end in zip(cuts[::2], cuts[1::2], strict=True))


def filtered(pieces: list[str], *, begins_thinking: bool = False) -> str:
    """What is left of an answer in the end: what was taken back is not."""
    running, kept = ThinkFilter(begins_thinking=begins_thinking), list[str]()
    for piece in pieces:
        text = running.feed(piece)
        kept = [text] if running.retracted else [*kept, text]
    return "".join([*kept, running.finish()])


@pytest.mark.full
@given(TEXTS, st.lists(st.integers(0, 200), max_size=12))
def test_how_the_text_is_cut_makes_no_difference(text: str, cuts: list[int]) -> None:
    edges = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    pieces = [text[a:b] for a, b in pairwise(edges)]
    assert filtered(pieces) == filtered(list(text)) == drop_thinking(text)
    assert filtered(pieces, begins_thinking=True) == drop_thinking(text)
    assert sum(end - start for start, end in thoughts(text)) == len(text) - len(drop_thinking(text))


@pytest.mark.parametrize(("opening", "closing"), PAIRS)
def test_a_thought_is_dropped_and_so_is_one_whose_beginning_is_missing(opening: str, closing: str) -> None:
    assert filtered(list(f"{opening}secret{closing}LONG")) == "LONG"
    assert filtered(list(f"secret, 24.1{closing}LONG")) == "LONG"
    assert filtered(list(f"secret, 24.1{closing}LONG"), begins_thinking=True) == "LONG"
    assert filtered(list(f"LONG {opening}for ever")) == "LONG "


def test_a_long_stream_of_half_tags_is_linear() -> None:
    running, began = ThinkFilter(), time.process_time()
    for _ in range(20_000):
        running.feed("<<think<thinkin")
    assert time.process_time() - began < 2
