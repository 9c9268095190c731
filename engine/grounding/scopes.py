"""Which parts of a text speak of the market now, and which do not.

Given the composed items, writes into `Item.mode` why an item states nothing about now: a hypothesis, a target or stop, a plan, the past,
a definition, a question, another asset, a rejected quotation, a smuggled instruction. An empty mode means it counts. A scope begins at its
marker and ends at a clause or sentence border; the rules below are one function each.
"""

from itertools import pairwise

from engine.grounding import categories as c
from engine.grounding.named import Named
from engine.grounding.quotations import Quotations

WEAK_DEFINITION = "def?"
"""A clause of the form `X above 70 means ...`: an equation in it is a claim, a bound is a definition."""
PAST_MODE = "hist"

_STARTS = frozenset({c.IND, c.FRAME, c.NOW, c.IT, c.POSITION})
_OPENERS = frozenset(
    [
        "is",
        "are",
        "does",
        "do",
        "did",
        "why",
        "how",
        "what",
        "who",
        "can",
        "could",
        "would",
        "should",
        "will",
        "isn",
        "aren",
        "doesn",
        "has",
        "have",
        "was",
        "were",
        "where",
        "which",
        "so",
        "but",
        "really",
        "and",
    ]
)
_ASKING = (
    "难道",
    "是否",
    "为何",
    "怎么",
    "凭什么",
    "为什么",
    "怎能",
    "何以",
    "什么",
    "谁",
    "多少",
    "如何",
    "真的",
    "何来",
    "岂",
    "能否",
    "有没有",
    "是不是",
)
_BUT = frozenset(
    [
        "but",
        "while",
        "whereas",
        "although",
        "though",
        "yet",
        "however",
        "despite",
        "even though",
        "meanwhile",
        "because",
        "since",
        "as",
        "但",
        "但是",
        "而",
        "不过",
        "然而",
        "而是",
        "虽然",
        "尽管",
        "因为",
        "由于",
        "同时",
        "此外",
        "另外",
    ]
)
_LABEL = 2
_BRIEF = 3
_NEAR = 6
_UNCERTAIN = frozenset({"modal", "plan", "hyp"})
_MAY_OPEN = frozenset({c.IF, c.PAST, c.LINK, c.ASSET, c.IT, c.UNKNOWN, c.PLAN, c.STOP, c.MODAL, c.THEN})
_OPENING = {c.MODAL: "modal", c.STOP: "stop", c.PLAN: "plan", c.THEN: "then"}


class Scopes(Quotations):
    """Marks one text; see `Marker` for the arguments."""

    def mark(self) -> None:
        """Mark every item."""
        start = 0
        sentences: list[tuple[int, int]] = []
        for index, item in enumerate(self.items):
            if item.cat == c.STRONG:
                sentences.append((start, index + 1))
                start = index + 1
        sentences.append((start, len(self.items)))
        for number, (first, last) in enumerate(sentences):
            following = sentences[number + 1] if number + 1 < len(sentences) else (last, last)
            self._sentence(first, last, following)
        self._prices()

    def _prices(self) -> None:
        """`a return to the lower band (308.96) is likely`: where a line lies is so, whatever may happen there."""
        for index in range(len(self.items) - 2):
            item, named = self.items[index], self.items[index].val
            line = isinstance(named, Named) and named.indicator.kind in {"line", "level"}
            if not line or item.mode not in _UNCERTAIN:
                continue
            joint, number = self.items[index + 1], self.items[index + 2]
            if joint.cat in {c.OPEN, c.LINK} and number.cat == c.NUM:
                for place in range(index, index + 3):
                    self.items[place].mode = ""

    def _sentence(self, first: int, last: int, following: tuple[int, int]) -> None:
        cats = {item.cat for item in self.items[first:last]}
        if c.INJECT in cats:
            start = self._next(first, last, c.INJECT)
            bracketed = any(item.cat == c.OPEN for item in self.items[first:start])
            self._set(start, self._next(start, last, c.CLOSE) if bracketed else last, "inject")
        if c.IND not in cats and not cats & {c.TRADE, c.IT, c.SIDE, c.POSITION, c.NUM, c.RANGE, c.STATE, c.ASSET}:
            return
        self._question(first, last)
        self._slips(first, last)
        if c.SAY in cats or c.SPEAKER in cats or c.REJECT in cats:
            self._quotes(first, last, following)
        if c.DEFINITION in cats:
            self._definitions(first, last)
        if c.HISTORY in cats:
            self._history(first, last)
        self._forward(first, last)
        if cats & {c.TO, c.THEN, c.PLAN} and cats & {c.PLAN, c.STOP}:
            self._arrows(first, last)
            self._only_then(first, last)
        if c.MODAL in cats:
            self._conditional_subjects(first, last)

    # One rule each.

    def _question(self, first: int, last: int) -> None:
        """A question asks; the statements before its last clause still state."""
        end = last - 1
        asked = end >= first and self.items[end].val == "?"
        body_end = end if asked else last
        tail = self.text[self.items[first].start : self.items[body_end - 1].end][-3:] if body_end > first else ""
        if not asked and "吗" not in tail:
            return
        start = first
        clauses = self._clauses(first, last, frozenset({c.WEAK, c.CONJ}))
        for clause_start, clause_end in reversed(clauses[1:]):
            words = self.text[self.items[clause_start].start : self.items[clause_end - 1].end]
            if words.split(" ")[0].split("'")[0] in _OPENERS or any(word in words for word in _ASKING) or "吗" in words:
                start = clause_start
                break
        else:
            start = clauses[-1][0] if asked and clauses else first
        head = self.text[self.items[first].start : self.items[body_end - 1].end].split(" ")[0].split("'")[0] if body_end > first else ""
        self._set(first if head in _OPENERS else start, last, "question")

    def _definitions(self, first: int, last: int) -> None:
        clauses = self._clauses(first, last, frozenset({c.WEAK, c.CONJ}))
        for number, (start, end) in enumerate(clauses):
            found = [self.items[index].val for index in range(start, end) if self._defines(index)]
            if not found:
                continue
            self._set(start, end, "def" if any(val is None for val in found) else WEAK_DEFINITION)
            brief = end - start <= _BRIEF
            if None in found and brief and number + 1 < len(clauses) and not self._has(start, end, c.NUM, c.STATE, c.RANGE):
                self._set(*clauses[number + 1], "def")
        for before, (start, end) in pairwise(clauses):
            if self.items[before[1]].val == "and" and self.items[before[0]].mode == "def" and self._is_a_bound(start, end):
                self._set(start, end, "def")  # `ADX above 25 marks a trend and below 20 a range`

    def _is_a_bound(self, start: int, end: int) -> bool:
        if start >= end or self._has(start, end, c.LINK, c.NOW):
            return False
        compared = next((index for index in range(start, end) if self.items[index].cat == c.CMP), end)
        return self.items[start].cat == c.CMP or all(self.items[index].cat in {c.IND, c.FILL} for index in range(start, compared))

    def _defines(self, index: int) -> bool:
        """A textbook word, but not the noun after a number: `below the 30 threshold`."""
        if self.items[index].cat != c.DEFINITION:
            return False
        before, after = (self.items[at].cat if 0 <= at < len(self.items) else c.STRONG for at in (index - 1, index + 1))
        return not (before == c.NUM and "threshold" in self._word(index)) and not before == after == c.PIPE  # `| 41.3 | 一般 |`

    def _history(self, first: int, last: int) -> None:
        """The clause with a past time in it; after `vs`, `from` or `than` only what follows. A past time by itself reaches on."""
        clauses = self._clauses(first, last)
        for number, (start, end) in enumerate(clauses):
            marks = [index for index in range(start, end) if self.items[index].cat == c.HISTORY]
            if not marks:
                continue
            if self.items[marks[0]].val == "whole":
                self._set(marks[0], last, PAST_MODE)
                return
            since = max((index for index in range(start, marks[-1]) if self.items[index].cat in {c.VERSUS, c.FROM}), default=start)
            now = max((index for index in range(start, end) if self.items[index].cat == c.NOW and index > marks[-1]), default=end)
            self._set(since, now, PAST_MODE)
            joined = end < last and self.items[end].val == "and" and number + 1 < len(clauses) and marks[0] - first <= _LABEL
            if joined and not self._has(*clauses[number + 1], c.NOW, c.HISTORY, c.LINK):
                self._set(*clauses[number + 1], PAST_MODE)
            if number + 1 < len(clauses) and not self._has(start, end, c.NUM, c.STATE, c.RANGE, c.IND):
                next_start, next_end = clauses[number + 1]
                if not self._has(next_start, next_end, c.NOW):
                    self._set(next_start, next_end, PAST_MODE)

    def _arrows(self, first: int, last: int) -> None:
        """`RSI hits 30 → buy`: what stands before an arrow to an action is its condition."""
        for clause_start, end in self._clauses(first, last, frozenset({c.WEAK})):
            start = clause_start
            for index in range(clause_start, end - 1):
                consequence = self.items[index].cat == c.TO or (self.items[index].cat == c.THEN and index > start)
                at_once = self.items[index].cat == c.PLAN and self._word(index)[0] in "就则即"
                if at_once or (consequence and self.items[index + 1].cat in {c.PLAN, c.STOP}):
                    self._set(start, index, "hyp")
                    start = index  # marked once is marked

    def _only_then(self, first: int, last: int) -> None:
        """`只有收在324以上、并且放量时才入场`: all before it is its condition."""
        begin = first
        for index in range(first + 1, last):
            if self.items[index].val == "colon":
                begin = index + 1
            elif self.items[index].cat == c.PLAN and self._word(index - 1) == "才":
                self._set(begin, index, "hyp")
                begin = index

    def _conditional_subjects(self, first: int, last: int) -> None:
        """`RSI above 75 would be ...`: a bound before the modal is no statement."""
        for start, end in self._clauses(first, last, frozenset({c.WEAK, c.CONJ})):
            modal = self._next(start, end, c.MODAL)
            first = max((index + 1 for index in range(start, modal) if self.items[index].val == "colon"), default=start)
            if modal < end and self._has(first, modal, c.CMP) and not self._has(first, modal, c.LINK):
                self._set(first, modal, WEAK_DEFINITION)

    # Scopes that begin at a marker.

    def _forward(self, first: int, last: int) -> None:
        mode, sticky, decided, opened = "", False, False, first
        for index in range(first, last):
            item = self.items[index]
            if mode and item.val == "colon" and mode != "hyp" and not self._is_label(index, opened, first):
                mode = ""
            if item.cat in {c.WEAK, c.CONJ}:
                mode, sticky, decided = self._border(index, last, mode, sticky, decided)
            new = self._opens(index, first, last) if item.cat in _MAY_OPEN else ""
            if new == "hyp":
                decided = decided or mode in {"plan", "stop", "modal"}
                mode, sticky = new, True
            elif new == "own":
                mode = "" if mode == "other" else mode
            elif new and mode != "hyp":
                mode, sticky = new, new == "modal" and item.val == "sticky"
            elif new in {"plan", "stop", "modal", "then"}:
                decided = True
            if new:
                opened = index
            if mode and item.mode in {"", WEAK_DEFINITION} and mode != "then":
                item.mode = mode

    def _is_label(self, colon: int, opened: int, first: int) -> bool:
        """`stop: 97,000` goes on after its colon; `nobody is buying this bounce: turnover is ...` does not."""
        back = opened - 1
        while back >= first and self.items[back].cat in {c.FILL, c.FRAME}:
            back -= 1
        leads = back < first or self.items[back].cat in {c.WEAK, c.CONJ, c.STRONG, c.OPEN}
        if self.items[opened].cat == c.PLAN and self._has(opened, colon, c.SIDE, c.POSITION):
            return False  # `Reducing the short: entered at ...` goes on with its reasons
        return colon - opened <= _LABEL and leads

    def _border(self, index: int, last: int, mode: str, sticky: bool, decided: bool) -> tuple[str, bool, bool]:
        """What remains of a scope after a comma or conjunction."""
        word, conjunction = self._word(index), self.items[index].cat == c.CONJ
        near = range(index + 1, min(index + 4, last))
        fresh = any(self.items[later].cat in _STARTS for later in near)
        kept = bool(mode) and not any(self.items[later].cat == c.NOW for later in near)
        if kept and mode == "hyp":
            end = next((later for later in range(index + 1, last) if self.items[later].cat in {c.WEAK, c.CONJ, c.STRONG}), last)
            still_open = self._has(index + 1, end, c.THEN, c.MODAL, c.PLAN, c.STOP)
            kept = still_open or not fresh or not (decided or (conjunction and word in _BUT))
        elif kept and not sticky:
            goes_on = not fresh and word in {"and", "or"}
            kept = conjunction and (goes_on or (mode == "other" and self.items[index].val == "and"))
        return (mode, sticky, decided) if kept else ("", False, False)

    def _opens(self, index: int, first: int, last: int) -> str:
        """The scope this item opens, or nothing."""
        item = self.items[index]
        if item.cat == c.IF or (item.cat == c.PAST and index == first and self._word(index) == "were"):
            return self._opens_condition(index, first, last)
        if item.cat == c.LINK:
            return "stop" if self._looks_to(index, last) else ""
        if item.cat == c.ASSET or (item.cat == c.IT and self._word(index) in {"ours", "mine"}):  # `gold's RSI is 74 when ours is 24`
            return "own" if item.cat == c.IT or str(item.val) in self.own else "other"
        if item.cat == c.UNKNOWN:
            return "other" if self._is_ticker(index, last) else ""
        following = self.items[index + 1].cat if index + 1 < last else c.STRONG
        if item.cat == c.PLAN and self._word(index) == "add" and following not in {c.NUM, c.RANGE, c.SIDE, c.ASSET, c.TO}:
            return ""  # `add a golden cross to that`
        return _OPENING.get(item.cat, "")

    def _opens_condition(self, index: int, first: int, last: int) -> str:
        """A condition, unless `once` means a past time, or `should` stands inside: `Should RSI drop`, but `nobody should fear it`."""
        item, inside = self.items[index], index > first and self.items[index - 1].cat not in {c.WEAK, c.CONJ, c.OPEN}
        if item.val == "should":
            return "modal" if inside else "hyp"
        near = self.items[index + 1 : min(index + _NEAR, last)]
        ahead = next((later.cat for later in near if later.cat not in {c.FILL, c.FRAME}), c.STRONG)
        adverb = item.val == "once" and inside and ahead not in {c.IND, c.TRADE, c.ASSET}
        return "hyp" if not adverb and (item.val != "short" or self._short_if(index, first, last)) else ""

    def _looks_to(self, index: int, last: int) -> bool:
        """`买盘占优，看98,700`: a target."""
        opens = index > 0 and self.items[index - 1].cat in {c.WEAK, c.STRONG} and self._word(index) == "看"
        return opens and index + 1 < last and self.items[index + 1].cat in {c.NUM, c.RANGE}

    def _short_if(self, index: int, first: int, last: int) -> bool:
        """`等`, `如`, `当`: only where a statement follows and none is listed before."""
        before = self.items[index - 1].cat if index > first else c.STRONG
        after = self.items[index + 1].cat if index + 1 < last else c.STRONG
        return before not in {c.IND, c.AND, c.NUM, c.STATE} and after in {c.IND, c.FRAME, c.CMP, c.FILL, c.ASSET, c.NUM, c.DIR}

    def _is_ticker(self, index: int, last: int) -> bool:
        """An unknown word in capitals right before an indicator names another asset."""
        word = self.original(self.items[index])
        if not (3 <= len(word) <= 6 and word.isascii() and word.isupper() and word.isalpha()) or word.lower() in self.own or self.shouting:
            return False
        after = index + 1
        while (
            after < last
            and after < index + 4
            and (
                (self.items[after].cat in {c.FILL, c.LINK} and self._word(after) in {"'", "'s", "/", "usdt", "usd"})
                or self._word(after) == "s"
            )
        ):
            after += 1
        return after < last and self.items[after].cat == c.IND
