"""Which parts of a text speak of the market now, and which do not.

Given the composed items, writes into `Item.mode` why an item states nothing about now: a hypothesis, a target or stop, a plan, the past,
a definition, a question, another asset, a rejected quotation, a smuggled instruction. An empty mode means it counts. A scope begins at its
marker and ends at a clause or sentence border; the rules below are one function each.
"""

from collections.abc import Callable

from engine.grounding import lexicon as lx
from engine.grounding.lexer import Item

WEAK_DEFINITION = "def?"
"""A clause of the form `X above 70 means ...`: an equation in it is a claim, a bound is a definition."""
PAST_MODE = "hist"

_CLAUSE = frozenset({lx.WEAK, lx.CONJ, lx.OPEN, lx.CLOSE})
_STARTS = frozenset({lx.IND, lx.FRAME, lx.NOW, lx.IT, lx.POSITION})
_OPENERS = frozenset(
    ["is", "are", "does", "do", "did", "why", "how", "what", "who", "can", "could", "would", "should", "will", "isn", "aren", "doesn", "has", "have", "was", "were", "where", "which", "so", "but", "really", "and"]
)
_ASKING = ("难道", "是否", "为何", "怎么", "凭什么", "为什么", "怎能", "何以", "什么", "谁", "多少", "如何", "真的", "何来", "岂", "能否", "有没有", "是不是")
_BUT = frozenset(["but", "while", "whereas", "although", "though", "yet", "however", "despite", "even though", "meanwhile", "because", "since", "as", "但", "但是", "而", "不过", "然而", "而是", "虽然", "尽管", "因为", "由于", "同时", "此外", "另外"])
_QUOTE_REACH = 5


class Scopes:
    """Marks one text. own: every name of the sheet's own asset. original: gives the original spelling of an item."""

    def __init__(self, items: list[Item], text: str, own: frozenset[str], original: Callable[[Item], str]) -> None:
        self.items = items
        self.text = text
        self.own = own
        self.original = original
        self.shouting = False

    def mark(self) -> None:
        """Mark every item."""
        start = 0
        sentences: list[tuple[int, int]] = []
        for index, item in enumerate(self.items):
            if item.cat == lx.STRONG:
                sentences.append((start, index + 1))
                start = index + 1
        sentences.append((start, len(self.items)))
        for number, (first, last) in enumerate(sentences):
            following = sentences[number + 1] if number + 1 < len(sentences) else (last, last)
            self._sentence(first, last, following)

    def _sentence(self, first: int, last: int, following: tuple[int, int]) -> None:
        cats = {item.cat for item in self.items[first:last]}
        if lx.INJECT in cats:
            self._set(self._next(first, last, lx.INJECT), last, "inject")
        if lx.IND not in cats and not cats & {lx.TRADE, lx.IT, lx.SIDE, lx.POSITION, lx.NUM, lx.RANGE, lx.STATE, lx.ASSET}:
            return
        self._question(first, last)
        if lx.SAY in cats or lx.SPEAKER in cats or lx.REJECT in cats:
            self._quotes(first, last, following)
        if lx.DEFINITION in cats:
            self._definitions(first, last)
        if lx.HISTORY in cats:
            self._history(first, last)
        self._forward(first, last)
        if lx.TO in cats and cats & {lx.PLAN, lx.STOP}:
            self._arrows(first, last)
        if lx.MODAL in cats:
            self._conditional_subjects(first, last)

    def _set(self, first: int, last: int, mode: str) -> None:
        for item in self.items[first:last]:
            if not item.mode:
                item.mode = mode

    def _word(self, index: int) -> str:
        item = self.items[index]
        return self.text[item.start : item.end]

    def _clauses(self, first: int, last: int, borders: frozenset[str] = _CLAUSE) -> list[tuple[int, int]]:
        clauses: list[tuple[int, int]] = []
        start = first
        for index in range(first, last):
            if self.items[index].cat in borders or self.items[index].cat == lx.STRONG:
                if index > start:
                    clauses.append((start, index))
                start = index + 1
        if last > start:
            clauses.append((start, last))
        return clauses

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
        clauses = self._clauses(first, last, frozenset({lx.WEAK, lx.CONJ}))
        for clause_start, clause_end in reversed(clauses[1:]):
            words = self.text[self.items[clause_start].start : self.items[clause_end - 1].end]
            if words.split(" ")[0].split("'")[0] in _OPENERS or any(word in words for word in _ASKING) or "吗" in words:
                start = clause_start
                break
        head = self.text[self.items[first].start : self.items[body_end - 1].end].split(" ")[0].split("'")[0] if body_end > first else ""
        self._set(first if head in _OPENERS else start, last, "question")

    def _definitions(self, first: int, last: int) -> None:
        clauses = self._clauses(first, last, frozenset({lx.WEAK, lx.CONJ}))
        for number, (start, end) in enumerate(clauses):
            found = [self.items[index].val for index in range(start, end) if self.items[index].cat == lx.DEFINITION]
            if not found:
                continue
            self._set(start, end, "def" if any(val is None for val in found) else WEAK_DEFINITION)
            if None in found and number + 1 < len(clauses) and not self._has(start, end, lx.NUM, lx.STATE, lx.RANGE):
                self._set(*clauses[number + 1], "def")

    def _has(self, start: int, end: int, *cats: str) -> bool:
        return any(self.items[index].cat in cats for index in range(start, end))

    def _history(self, first: int, last: int) -> None:
        """The clause with a past time in it; after `vs`, `from` or `than` only what follows. A past time by itself reaches on."""
        clauses = self._clauses(first, last)
        for number, (start, end) in enumerate(clauses):
            marks = [index for index in range(start, end) if self.items[index].cat == lx.HISTORY]
            if not marks:
                continue
            since = max((index for index in range(start, marks[-1]) if self.items[index].cat in {lx.VERSUS, lx.FROM}), default=start)
            now = max((index for index in range(start, end) if self.items[index].cat == lx.NOW and index > marks[-1]), default=end)
            self._set(since, now, PAST_MODE)
            if number + 1 < len(clauses) and not self._has(start, end, lx.NUM, lx.STATE, lx.RANGE, lx.IND):
                next_start, next_end = clauses[number + 1]
                if not self._has(next_start, next_end, lx.NOW):
                    self._set(next_start, next_end, PAST_MODE)

    def _quotes(self, first: int, last: int, following: tuple[int, int]) -> None:
        """What somebody else is said to state, when it is rejected in the same breath."""
        rejects = [index for index in range(first, last) if self._rejects(index)]
        speakers = [index for index in range(first, last) if self.items[index].cat == lx.SPEAKER and self._says(index, last)]
        says = [index for index in range(first, last) if self.items[index].cat == lx.SAY]
        for number, speaker in enumerate(speakers):
            end = speakers[number + 1] if number + 1 < len(speakers) else last
            before = [index for index in rejects if speaker - _QUOTE_REACH <= index < speaker]
            inside = [index for index in rejects if speaker < index < end]
            later = any(self._rejects(index) for index in range(following[0], min(following[0] + _QUOTE_REACH, following[1])))
            if before or (inside and not self._has(speaker, inside[0], lx.NUM, lx.STATE, lx.RANGE)):
                self._set(speaker, self._next(speaker, end, lx.WEAK), "quote")
            elif inside:
                self._set(speaker, inside[0], "quote")
            elif later and number + 1 == len(speakers):
                self._set(speaker, end, "quote")
        if not speakers and says and rejects:
            start = max((index for index in range(first, says[0]) if self.items[index].cat == lx.WEAK), default=first)
            stop = next((index for index in rejects if index > says[0]), None)
            if stop is not None:
                self._set(start, stop, "quote")

    def _next(self, start: int, end: int, cat: str) -> int:
        return next((index for index in range(start, end) if self.items[index].cat == cat), end)

    def _says(self, speaker: int, last: int) -> bool:
        return any(self.items[index].cat in {lx.SAY, lx.REJECT, lx.ENDORSE} or self.items[index].val == "="
                   or self._word(index) in {":", "has", "at", "with"} for index in range(speaker + 1, min(speaker + _QUOTE_REACH, last)))

    def _rejects(self, index: int) -> bool:
        item = self.items[index]
        if item.cat == lx.REJECT or (item.cat == lx.IT and item.val == "truth"):
            return True
        if item.cat == lx.CONJ and self._word(index) in {"but", "yet", "however", "但", "但是", "而", "然而", "不过"} and index + 2 < len(self.items):
            return self.items[index + 1].cat == lx.IT and self.items[index + 2].cat in {lx.LINK, lx.NEG, lx.NUM}
        return False

    def _arrows(self, first: int, last: int) -> None:
        """`RSI hits 30 → buy`: what stands before an arrow to an action is its condition."""
        for start, end in self._clauses(first, last, frozenset({lx.WEAK})):
            for index in range(start, end - 1):
                if self.items[index].cat == lx.TO and self.items[index + 1].cat in {lx.PLAN, lx.STOP}:
                    self._set(start, index, "hyp")

    def _conditional_subjects(self, first: int, last: int) -> None:
        """`RSI above 75 would be ...`: a bound before the modal is no statement."""
        for start, end in self._clauses(first, last, frozenset({lx.WEAK, lx.CONJ})):
            modal = self._next(start, end, lx.MODAL)
            if modal < end and self._has(start, modal, lx.CMP) and not self._has(start, modal, lx.LINK):
                self._set(start, modal, WEAK_DEFINITION)

    # Scopes that begin at a marker.

    def _forward(self, first: int, last: int) -> None:
        mode, sticky, decided = "", False, False
        for index in range(first, last):
            item = self.items[index]
            if item.cat in {lx.WEAK, lx.CONJ}:
                mode, sticky, decided = self._border(index, last, mode, sticky, decided)
            new = self._opens(index, first, last)
            if new == "hyp":
                decided = decided or mode in {"plan", "stop", "modal"}
                mode, sticky = new, True
            elif new == "own":
                mode = "" if mode == "other" else mode
            elif new and mode != "hyp":
                mode, sticky = new, new == "modal" and item.val == "sticky"
            elif new in {"plan", "stop", "modal", "then"}:
                decided = True
            if mode and not item.mode and mode != "then":
                item.mode = mode

    def _border(self, index: int, last: int, mode: str, sticky: bool, decided: bool) -> tuple[str, bool, bool]:
        """What remains of a scope after a comma or conjunction."""
        if not mode:
            return mode, sticky, decided
        conjunction = self.items[index].cat == lx.CONJ
        fresh = any(self.items[later].cat in _STARTS for later in range(index + 1, min(index + 4, last)))
        now = any(self.items[later].cat == lx.NOW for later in range(index + 1, min(index + 4, last)))
        if now:
            return "", False, False
        if mode == "hyp":
            end = next((later for later in range(index + 1, last) if self.items[later].cat in {lx.WEAK, lx.CONJ, lx.STRONG}), last)
            open_end = self._has(index + 1, end, lx.THEN, lx.MODAL, lx.PLAN, lx.STOP)
            contrast = conjunction and self._word(index) in _BUT
            return ("", False, False) if (decided or contrast) and fresh and not open_end else (mode, sticky, decided)
        if sticky:
            return mode, sticky, decided
        if mode == "other" and conjunction and self.items[index].val == "and":
            return mode, sticky, decided
        if conjunction and not fresh and self._word(index) in {"and", "or"}:
            return mode, sticky, decided
        return "", False, False

    def _opens(self, index: int, first: int, last: int) -> str:
        item = self.items[index]
        match item.cat:
            case lx.IF:
                return "hyp" if item.val is None or self._short_if(index, first, last) else ""
            case lx.MODAL:
                return "modal"
            case lx.STOP:
                return "stop"
            case lx.PLAN:
                return "plan"
            case lx.THEN:
                return "then"
            case lx.ASSET:
                return "own" if str(item.val) in self.own else "other"
            case lx.UNKNOWN:
                return "other" if self._is_ticker(index, last) else ""
        return ""

    def _short_if(self, index: int, first: int, last: int) -> bool:
        """`等`, `如`, `当`: only where a statement follows and none is listed before."""
        before = self.items[index - 1].cat if index > first else lx.STRONG
        after = self.items[index + 1].cat if index + 1 < last else lx.STRONG
        return before not in {lx.IND, lx.AND, lx.NUM, lx.STATE} and after in {lx.IND, lx.FRAME, lx.CMP, lx.FILL, lx.ASSET, lx.NUM, lx.DIR}

    def _is_ticker(self, index: int, last: int) -> bool:
        """An unknown word in capitals right before an indicator names another asset."""
        word = self.original(self.items[index])
        if not (3 <= len(word) <= 6 and word.isascii() and word.isupper() and word.isalpha()) or word.lower() in self.own or self.shouting:
            return False
        after = index + 1
        while after < last and after < index + 4 and (self.items[after].cat in {lx.FILL, lx.LINK} and self._word(after) in {"'", "'s", "/", "usdt", "usd"} or self._word(after) == "s"):
            after += 1
        return after < last and self.items[after].cat == lx.IND
