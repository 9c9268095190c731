"""Finds `key: value` lines in a model's text, and reads the closing block that a role declares: its vote.

Pure, linear in the length of the text, and offsets are code points of the text as given. A key counts at the start of a line only (behind
bullets, bold marks, quotes, table bars, a heading in brackets), or behind a comma, bar or semicolon on such a line: a sentence that
mentions `confidence` is no vote. Its Chinese name is the key too. Thoughts are never read, nor is the prompt's own template.

One answer, one vote: a `VoteBlock` refuses an answer that states a key with two different values. A value counts as stated where it is as a
vote's does: a readable word of a list, or a short number, perhaps with a remark. A number that begins a sentence is talk. Values are
compared as they are read, so `72` and `72%` are one; what cannot be read is left to the caller.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from engine.domain.text.reason import Reason
from engine.llm.thinking import thoughts
from engine.llm.values import Unreadable, is_nothing, is_placeholder, normal

Span = tuple[int, int]

_DRESS = r"[\s>#*_`~\-+•·●▪|\"'{(\[,]"
_BETWEEN_LINES = re.compile(r"[\s`~*_=\-|:{}\[\]]*+(?:json|text|yaml|markdown)?[\s`]*+")
_BLOCK_HEADING = re.compile(r"[\s>#*_]{0,12}+\[[^\[\]]{1,40}\][\s*_:]{0,12}+|[\s>]{0,12}+(?:#{1,6}|\*\*)[^#*]{1,40}[\s*:]{0,12}+")
_LONGEST = 200  # characters of a value that may be short
_SHORT = re.compile(  # a number with its unit, or a word or two; a comment without digits
    r"(?:(?:[~≈+-]|大?约|about |around |near )? ?[$¥€£]?\d[\d., ]{0,20}(?:e-?\d+)?[k千万]?"
    r" ?(?:%|x|倍|usd[tc]?|美元|/ ?[$¥€£]?\d[\d.,]{0,20})? ?(?:附近|左右|上下)?"
    r"|[^\W\d]+(?:[ _-][^\W\d]+)?)"
    r"(?: ?\([^()\d]{0,60}\))?[.;]?",
    re.IGNORECASE,
)
_REMARK = re.compile(r"[,;] | ?[(\[]| - ")
_CHINESE_KEYS: Final = {
    "方向": "direction", "置信度": "confidence", "信心": "confidence", "支撑": "support", "支撑位": "support", "阻力": "resistance",
    "阻力位": "resistance", "压力位": "resistance", "裁决": "verdict", "操作": "action", "动作": "action", "杠杆": "leverage",
    "杠杆倍数": "leverage", "止损价": "stop_loss_price", "止损价格": "stop_loss_price", "止盈价": "take_profit_price",
    "止盈价格": "take_profit_price", "调整比例": "adjustment_pct", "数量": "quantity", "限价": "limit_price",
}  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """One `key: value` found. start, end: its range in the text, decoration before the key included."""

    key: str
    value: str
    start: int
    end: int


@dataclass(frozen=True)
class Line:
    """One line. start, end: its range without the line end. entries: its keys, none for prose."""

    start: int
    end: int
    entries: tuple[Entry, ...]


def visible(text: str) -> str:
    """Return the text with its thoughts blanked out, each an empty line; offsets are kept."""
    kept, at = [], 0
    for start, end in thoughts(text):
        kept += [text[at:start], " " * (end - start - 1), "\n"]
        at = end
    return "".join([*kept, text[at:]])


def plain(text: str) -> str:
    """Return the text as it is read: `visible` and in normal characters; offsets are kept."""
    return normal(visible(text))


def lines(text: str, keys: Collection[str]) -> Iterator[Line]:
    """Yield the lines of a `plain` text that are not empty, with the keys that are on them."""
    first, further = _patterns(keys)
    for found in re.finditer("[^\n]+", text):
        yield Line(*found.span(), tuple(_entries(text, *found.span(), first, further)))


def read_block(text: str, keys: Collection[str]) -> dict[str, str]:
    """Return the last value of each of `keys`, as written, templates passed over; keys that have none are left out. Never raises."""
    return values_in(plain(text), keys)


def values_in(text: str, keys: Collection[str]) -> dict[str, str]:
    """Return `read_block` of a text that is `plain` already."""
    return {entry.key: entry.value for line in lines(text, keys) for entry in line.entries if _is_value(entry, keys)}


def closing_block(text: str, keys: Collection[str]) -> Span | None:
    """Return the range of the last run of short `key: value` lines, each key once, or None.

    Its heading belongs to it; blank lines, fences and rules may be between. A line whose value is a sentence is prose, and so is one
    that repeats a key. A run that only repeats the prompt's template counts where there is no other.
    """
    text = plain(text)
    template: Span | None = None
    block: Span | None = None
    seen: set[str] = set()
    meant = False
    for line in reversed([Line(0, 0, ()), *lines(text, keys)]):  # the empty one ends a run that begins the text
        names = {entry.key for entry in line.entries}
        short = bool(names) and all(is_short(entry.value) for entry in line.entries)
        if block and (not short or names & seen) and (names or not line.end or not _is_between(text, line)):
            ended = (line.start, block[1]) if _BLOCK_HEADING.fullmatch(text, line.start, line.end) else block
            if meant:
                return ended
            template, block, seen = template or ended, None, set()
        if short:
            block = (line.start, block[1] if block else line.end)
            seen |= names
            meant = meant or any(_is_value(entry, keys) for entry in line.entries)
    return template


Reader = Callable[[str, str], Any]
"""Takes a value and its key, gives what is stated, or raises Unreadable."""


@dataclass(frozen=True)
class Key:
    """How a key of a block is read. is_word: whether it is one word of a list, which counts wherever it is. compared: reads values that may
    contradict each other, where `read` is too narrow for that."""

    read: Reader
    is_word: bool = False
    compared: Reader | None = None


@dataclass(frozen=True)
class VoteValues:
    """The values of an answer's block, as written. Its methods read one."""

    block: "VoteBlock"
    values: Mapping[str, str]

    def needed(self, key: str) -> Any:
        """Return what a key states. Raises Unreadable for a missing or unreadable value."""
        if key not in self.values:
            raise Unreadable(Reason("not_found_answer_needs_line_with_one", key=key))
        return self._read(key)

    def get(self, key: str, *, strict: bool = True) -> Any:
        """Return what a key states; None for a missing value or `N/A`. Raises Unreadable; not strict: None instead."""
        try:
            return None if is_nothing(self.values.get(key, "N/A")) else self._read(key)
        except Unreadable:
            if strict:
                raise
            return None

    def _read(self, key: str) -> Any:
        found = self.block.keys[key]
        assert found is not None
        return found.read(self.values[key], key)


@dataclass(frozen=True)
class VoteBlock:
    """A closing block, declared. anchor: the key that makes it a vote. keys: how each is read, None for one that is not. loose: keys that
    prose lists too, which count in one run of lines with the anchor only, each key once."""

    anchor: str
    keys: Mapping[str, Key | None]
    loose: Collection[str] = field(default=())

    def read(self, text: str) -> VoteValues:
        """Return the values of a whole answer. Raises Unreadable for one that states two votes."""
        seen = plain(text)
        vote = VoteValues(self, values_in(seen, self.keys))
        self.must_agree([*self.stated(seen), *vote.values.items()])
        return vote

    def stated(self, text: str) -> list[tuple[str, str]]:
        """Return the values of a `plain` text that count, (key, as written), in order."""
        counted: list[tuple[str, str]] = []
        run: set[str] = set()
        words = {name for name, key in self.keys.items() if key is not None and key.is_word and name not in self.loose}
        for line in lines(text, self.keys):
            votes = [entry for entry in line.entries if _is_value(entry, self.keys) and (entry.key in words or _is_vote(entry.value))]
            if not votes:
                run = run if not line.entries and _is_between(text, line) else set()
            for entry in votes:
                run = {entry.key} if entry.key in run else run | {entry.key}
                if entry.key not in self.loose or self.anchor in run:
                    counted.append((entry.key, entry.value))
        return counted

    def must_agree(self, said: Iterable[tuple[str, str]], **compared: Reader) -> None:
        """Require that no key is stated with two different values. compared: readers in place of the block's. Raises Unreadable naming the
        first that is."""
        readers = {name: key.compared or key.read for name, key in self.keys.items() if key is not None} | compared
        first: dict[str, tuple[object, str]] = {}
        for name, value in said:
            if name not in readers:
                continue
            try:
                read = readers[name](value, name)
            except Unreadable:
                continue
            before, shown = first.setdefault(name, (read, value))
            if before != read:
                raise Unreadable(Reason("stated_as_and_as_only_one_can", key=name, shown=_shown(shown), value=_shown(value)))


def _patterns(keys: Collection[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    spelt = [*keys, *(name for name, key in _CHINESE_KEYS.items() if key in keys)]
    names = "|".join(r"(?:\\?_|[ -])".join(map(re.escape, name.split("_"))) for name in sorted(spelt, key=len, reverse=True))
    key = rf"(?<![^\W_])(?P<key>{names})(?![^\W_])[\s*_`\"'\])]{{0,8}}(?P<mark>[:=|])"
    dress = rf"{_DRESS}{{0,12}}+"
    return (
        re.compile(rf"{_DRESS}{{0,40}}+(?:[^\[\]\n:=|]{{1,40}}\]{dress})?(?:\d{{1,2}}[.)] ?)?{_DRESS}{{0,6}}+{key}", re.IGNORECASE),
        re.compile(rf"[,;|]{dress}{key}", re.IGNORECASE),
    )


def _entries(text: str, start: int, end: int, first: re.Pattern[str], further: re.Pattern[str]) -> Iterator[Entry]:
    found = first.match(text, start, end)
    while found is not None:
        following = further.search(text, found.end(), end)
        stop = following.start() if following else end
        key = re.sub(r"\\?_|[ -]", "_", found["key"]).lower()
        key = _CHINESE_KEYS.get(key, key)
        yield Entry(key, text[found.end() : stop].strip(), found.start(), stop)
        found = following


def _is_between(text: str, line: Line) -> bool:
    """Return whether a line may be between two lines of one block: a fence, a rule, a brace."""
    return _BETWEEN_LINES.fullmatch(text, line.start, line.end) is not None


def _is_value(entry: Entry, keys: Collection[str]) -> bool:
    """Return whether an entry states something; the prompt's own template does not."""
    return not is_placeholder(entry.value) and entry.value.strip("*_`| ").lower() not in keys


def is_short(value: str) -> bool:
    """Return whether a value is a vote's (a number, a word, nothing), not the beginning of a sentence."""
    drawn = "".join(sign for sign in value[:_LONGEST] if unicodedata.category(sign) != "So")  # LONG 📈
    bare = drawn.replace("*", "").replace("`", "").strip(" \"',;|}[]")
    return is_placeholder(value) or is_nothing(value) or (len(value) <= _LONGEST and _SHORT.fullmatch(bare) is not None)


def _is_vote(value: str) -> bool:
    """Return whether a value is short, or short but for what is said behind a comma or in brackets."""
    return is_short(value) or is_short(_REMARK.split(value[:100], maxsplit=1)[0])


def _shown(value: str) -> str:
    return repr(" ".join(value[:60].split())[:30])
