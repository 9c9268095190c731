"""The tree of words, held against phrases that are written out one by one."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.grounding.lexer.lexicon import Branch, beginnings, phrases

UNIT = re.compile(r"[0-9]+(?:\.[0-9]+)?|[a-z]+|[^\s]")
plain = st.text(alphabet="abc 12.%回撤", max_size=5)
notation = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: "{" + ",".join(parts) + "}"), st.lists(inner, max_size=3).map("".join)
    ),
    max_leaves=8,
)


def written_out(text: str) -> list[str]:
    """Every phrase, by rewriting the innermost alternatives until there are none."""
    inner = re.search(r"\{([^{}]*)\}", text)
    if inner is None:
        return [text]
    return [one for part in inner[1].split(",") for one in written_out(text[: inner.start()] + part + text[inner.end() :])]


def found(root: Branch, units: tuple[str, ...]) -> object:
    branch: Branch | None = root
    for unit in units:
        branch = branch.ways.get(unit) if branch is not None else None
    return branch.entry if branch is not None else None


def paths(branch: Branch, so_far: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """Every phrase the tree knows."""
    own = {so_far} if branch.entry is not None else set()
    return own.union(*(paths(further, (*so_far, unit)) for unit, further in branch.ways.items()))


@pytest.mark.full
@settings(max_examples=400, deadline=None)
@given(texts=st.lists(notation, min_size=1, max_size=4))
@example(texts=["climb{s,ed} {,to}", "climbed"])
@example(texts=["1{.,}5", "1.{5,6}"])
@example(texts=["{,a}{,b}"])
def test_a_phrase_with_alternatives_is_all_that_it_stands_for(texts: list[str]) -> None:
    entries: dict[tuple[str, ...], int] = {}
    for number, text in enumerate(texts):
        for phrase in written_out(text):
            entries.setdefault(tuple(UNIT.findall(phrase)), number)
    root = Branch((text, ("number", number)) for number, text in enumerate(texts))
    assert paths(root) == entries.keys()
    for units, number in entries.items():
        assert found(root, units) == ("number", number), units  # of two entries with the same phrase the earlier one wins


def test_a_phrase_that_stands_for_millions_is_not_written_out() -> None:
    long = " ".join("{a,b,c,d,e,f,g,h,i,j}" for _ in range(12))
    assert len(list(beginnings(long))) == 10
    root = Branch([(long, ("word", None))])
    assert found(root, tuple("abcdefghijab")) == ("word", None)
    assert found(root, tuple("abcdefghija")) is None


def test_a_word_list_is_divided_by_semicolons() -> None:
    assert phrases("a {b,c};; d ;\n e") == ["a {b,c}", "d", "e"]
