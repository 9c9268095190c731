"""The tokens of a text on their way to items, and the one way an item is added."""

from engine.grounding.lexer.item import Item
from engine.grounding.lexer.lexicon import Branch, LexiconEntry, tree
from engine.grounding.lexer.number_words import spell_out
from engine.grounding.lexer.numbers import Number
from engine.grounding.lexer.tokens import split_tokens
from engine.grounding.tables.table import IndicatorTable
from engine.grounding.words import categories as c

_RUNS = frozenset({c.OPEN, c.CLOSE, c.STRONG, c.WEAK, c.FILL, c.NEG})
_LONGEST_PHRASE = 16


class TokenReader:
    """tokens: the whole text. items: what was made of the tokens so far. root: the words it is read with. line_start: its offset."""

    def __init__(self, text: str, table: IndicatorTable) -> None:
        self.tokens = spell_out(split_tokens(text))
        self.items: list[Item] = []
        self.root = tree(table)
        self.line_start = 0

    def put(self, cat: str, val: object, at: int, after: int) -> int:
        """Append an item made of tokens[at:after]; give `after`. A row of the same sign is one item."""
        first, last = self.tokens[at], self.tokens[after - 1]
        items = self.items
        if (
            cat in _RUNS
            and items
            and items[-1].cat == cat
            and items[-1].val is val
            and after - at == 1
            and first.text == self.tokens[at - 1].text
        ):
            items[-1].end = last.end  # a row of the same sign is one
            return after
        items.append(Item(cat, val, first.start, last.end, first.gap))
        return after

    def put_unknown(self, at: int) -> int:
        """Append an unknown token; signs and characters that touch are one item. Returns the index behind it."""
        unit = self.tokens[at]
        last = self.items[-1] if self.items else None
        if last is not None and last.cat == c.UNKNOWN and not unit.gap and unit.kind == "c" and last.end == unit.start:
            last.end = unit.end
            return at + 1
        return self.put(c.UNKNOWN, unit.text, at, at + 1)

    def match(self, at: int) -> tuple[LexiconEntry, int] | None:
        """Return the entry of the longest phrase that begins here and the index behind it; None when none does."""
        branch: Branch | None = self.root
        found: tuple[LexiconEntry, int] | None = None
        index, count = at, len(self.tokens)
        while branch is not None and index < count and index - at < _LONGEST_PHRASE:
            branch = branch.ways.get(self.tokens[index].text)
            index += 1
            if branch is not None and branch.entry is not None and not self._takes_sign(at, index):
                found = branch.entry, index
        return found

    def _takes_sign(self, at: int, after: int) -> bool:
        """Return whether a phrase would swallow the sign of the number behind it (`为负72`)."""
        return self.tokens[after - 1].text == "负" and after - at > 1 and self.is_counted(after)

    def put_phrase(self, at: int) -> int:
        """Append the longest phrase that begins here; give the index behind it, 0 when none does."""
        found = self.match(at)
        if found is None:
            return 0
        (cat, val), after = found
        if cat == c.ZERO:
            return self.put(c.NUM, Number(val, "x") if isinstance(val, float) else Number(0.0), at, after)
        return self.put(cat, val, at, after)

    def is_counted(self, at: int) -> bool:
        """Return whether a number begins here: digits, or `万分之三`."""
        return at < len(self.tokens) and (self.tokens[at].kind == "n" or self.tokens[at].text in {"百", "千", "万"})
