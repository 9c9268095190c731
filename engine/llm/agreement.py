"""One answer, one vote: finds what an answer states more than once, and refuses an answer that contradicts itself.

Pure and linear. A value counts as stated where it is as a vote's does: a readable word of a list, or a short number, perhaps with a
remark. A number that begins a sentence is talk. Values are compared as they are read, so `72` and `72%` are one; what cannot be read is
left to the caller.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from engine.domain.text.reason import Reason
from engine.llm.blocks import is_between, is_short, is_value, lines
from engine.llm.values import Unreadable

Readers = Mapping[str, Callable[[str], object]]
"""For each key that is compared: what reads its value, or raises Unreadable."""

_REMARK = re.compile(r"[,;] | ?[(\[]| - ")


@dataclass(frozen=True)
class Voting:
    """Where the values of one kind of answer count. words: keys that count wherever their value is one of their words. loose: keys that
    prose lists too, which count behind the anchor only: in one run of lines, each key once, with the key that makes it a vote."""

    anchor: str
    words: Collection[str] = ()
    loose: Collection[str] = ()


def stated(text: str, keys: Collection[str], voting: Voting) -> list[tuple[str, str]]:
    """Return the values of a `plain` text that count, (key, as written), in order."""
    counted: list[tuple[str, str]] = []
    run: set[str] = set()
    for line in lines(text, keys):
        votes = [entry for entry in line.entries if is_value(entry, keys) and (entry.key in voting.words or _is_vote(entry.value))]
        if not votes:
            run = run if not line.entries and is_between(text, line) else set()
        for entry in votes:
            run = {entry.key} if entry.key in run else run | {entry.key}
            if entry.key not in voting.loose or voting.anchor in run:
                counted.append((entry.key, entry.value))
    return counted


def must_agree(said: Iterable[tuple[str, str]], readers: Readers) -> None:
    """Require that no key is stated with two different values. Raises Unreadable naming the first that is."""
    first: dict[str, tuple[object, str]] = {}
    for key, value in said:
        if key not in readers:
            continue
        try:
            read = readers[key](value)
        except Unreadable:
            continue
        before, shown = first.setdefault(key, (read, value))
        if before != read:
            raise Unreadable(Reason("stated_as_and_as_only_one_can", key=key, shown=_short(shown), value=_short(value)))


def _is_vote(value: str) -> bool:
    """Return whether a value is short, or short but for what is said behind a comma or in brackets."""
    return is_short(value) or is_short(_REMARK.split(value[:100], maxsplit=1)[0])


def _short(value: str) -> str:
    return repr(" ".join(value[:60].split())[:30])
