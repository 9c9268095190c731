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


@given(st.text(alphabet="ab</think>\n", max_size=60).filter(lambda text: "think>" not in text))
def test_text_without_a_tag_is_left_alone(text: str) -> None:
    assert filtered(list(text)) == text


@pytest.mark.parametrize(("opening", "closing"), PAIRS)
def test_a_thought_is_dropped_and_so_is_one_whose_beginning_is_missing(opening: str, closing: str) -> None:
    assert filtered(list(f"{opening}secret{closing}LONG")) == "LONG"
    assert filtered(list(f"secret, 24.1{closing}LONG")) == "LONG"
    assert filtered(list(f"secret, 24.1{closing}LONG"), begins_thinking=True) == "LONG"
    assert filtered(list(f"LONG {opening}for ever")) == "LONG "


def test_the_channels_of_an_answer_are_read() -> None:
    said = "<|channel|>analysis<|message|>rsi 99<|end|><|start|>assistant<|channel|>final<|message|>LONG<|return|>"
    assert filtered(list(said)) == "LONG"
    assert filtered(["<|channel|>final<|message|>LONG"]) == "LONG"


def test_examples() -> None:
    assert filtered(["a <THINK>x</Think> b"]) == "a  b"
    assert filtered(["1 < 2 and <thinker> <"]) == "1 < 2 and <thinker> <"
    assert filtered(["<think>x</think>so </think> be it"]) == "so </think> be it", "only the first end can be one of a thought"
    assert filtered(["[Think] twice"]) == "[Think] twice"


def test_of_a_model_that_begins_with_a_thought_nothing_is_given_before_its_end() -> None:
    running = ThinkFilter(begins_thinking=True)
    assert [running.feed(piece) for piece in ("I wonder", " why</thi", "nk>LO", "NG")] == ["", "", "LO", "NG"]
    assert not running.retracted
    assert filtered(["No thought ", "this time."], begins_thinking=True) == "No thought this time."


def test_nothing_is_held_back_longer_than_needed() -> None:
    running = ThinkFilter()
    assert running.feed("price < 3") == "price < 3"
    assert running.feed("a <thin") == "a "
    assert running.feed("g>") == "<thing>"


def test_a_long_stream_of_half_tags_is_linear() -> None:
    running, began = ThinkFilter(), time.process_time()
    for _ in range(20_000):
        running.feed("<<think<thinkin")
    assert time.process_time() - began < 2
