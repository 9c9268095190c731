"""Whose words they are: what somebody else is said to state and is rejected, and what a speaker takes back himself."""

from bisect import bisect_left

from engine.grounding import categories as c
from engine.grounding.marking import Marker

SLIP = "slip"
"""A number its speaker takes back in the same breath."""
_QUOTE_REACH = 5
_APPOSED = 2
_QUOTES = frozenset({"“", "「", "『", '"'})


class Quotations(Marker):
    """The rules about quoting."""

    def _quotes(self, first: int, last: int, following: tuple[int, int]) -> None:
        """What somebody else is said to state, when it is rejected in the same breath."""
        rejects = [index for index in range(first, last) if self._rejects(index)]
        speakers = [index for index in range(first, last) if self.items[index].cat == c.SPEAKER and self._says(index, last)]
        says = [index for index in range(first, last) if self.items[index].cat == c.SAY or self._word(index) in _QUOTES]
        for number, speaker in enumerate(speakers):
            end = speakers[number + 1] if number + 1 < len(speakers) else last
            before = rejects[bisect_left(rejects, speaker - _QUOTE_REACH) : bisect_left(rejects, speaker)]
            inside = rejects[bisect_left(rejects, speaker) : bisect_left(rejects, end)]
            later = any(self._rejects(index) for index in range(following[0], min(following[0] + _QUOTE_REACH, following[1])))
            later = later or self._is_answered(speaker, end, following)
            if inside and self._word(speaker - 1) in {"as", "正如", "如"} and speaker > first:
                self._set(speakers[number - 1] if number else first, speaker, "quote")  # `an MFE of 6%, as the bear alleges, is false`
            if before or (inside and not self._has(speaker, inside[0], c.NUM, c.STATE, c.RANGE)):
                colon = next(
                    (index for index in range(speaker, end) if self.items[index].val == "colon" and self._has(speaker, index, c.NUM)), end
                )
                self._set(speaker, min(colon, self._next(speaker, end, c.WEAK)), "quote")
                self._set(*self._quoted_before(first, speaker if number == 0 else first), "quote")
            elif inside:
                granted = [index for index in range(speaker, inside[0]) if self.items[index].cat == c.ENDORSE]
                turn = (
                    next((index for index in range(granted[0], inside[0]) if self.items[index].val == "but"), speaker)
                    if granted
                    else speaker
                )
                self._set(turn, inside[0], "quote")
            elif later and number + 1 == len(speakers):
                opened = next((index for index in range(first, speaker) if self._word(index) in _QUOTES), speaker)
                self._set(opened, end, "quote")  # `"ADX is only 22", writes the bear. Wrong.`
        if not speakers and says and rejects:
            start = max((index for index in range(first, says[0]) if self.items[index].cat == c.WEAK), default=first)
            stop = next((index for index in rejects if index > says[0]), None)
            if stop is not None:
                self._set(start, stop, "quote")
            elif rejects[0] <= says[0] <= rejects[0] + _APPOSED:  # `wrong to quote ADX at 22: it is 47`
                colon = next((index for index in range(says[0], last) if self.items[index].val == "colon"), last)
                self._set(says[0], min(colon, self._next(says[0], last, c.WEAK)), "quote")
        elif not speakers and says and following[0] < following[1] and self._denies(following[0]):
            self._set(says[0], last, "quote")

    def _slips(self, first: int, last: int) -> None:
        """`RSI is 70, no, 57`, `ADX为35，不对，是55.5`: the first number is taken back."""
        for index in range(first + 1, last - 1):
            item = self.items[index]
            alone = self.items[index - 1].cat == c.WEAK and self.items[index + 1].cat == c.WEAK
            if item.cat in {c.REJECT, c.NEG} and alone and self.items[index - 2].cat in {c.NUM, c.RANGE}:
                self._set(index - 2, index - 1, SLIP)

    def _quoted_before(self, first: int, speaker: int) -> tuple[int, int]:
        """`the "RSI of 55" my opponent cites is invented`: the quotation that stands before its speaker."""
        return next((index for index in range(first, speaker) if self._word(index) in _QUOTES), speaker), speaker

    def _is_answered(self, speaker: int, end: int, following: tuple[int, int]) -> bool:
        """`Bear insists that %K is overbought; %K is 23.`: right behind it the writer says of the same what is so."""
        named = [self.items[index].val for index in range(speaker, end) if self.items[index].cat == c.IND]
        own = not self._has(*following, c.SPEAKER, c.SAY, c.ENDORSE)
        opening = range(following[0], min(following[0] + _APPOSED, following[1]))
        stated = own and self._has(*following, c.NUM)
        return stated and bool(named) and any(self.items[index].cat == c.IND and self.items[index].val == named[-1] for index in opening)

    def _says(self, speaker: int, last: int) -> bool:
        return any(
            self.items[speaker].val == "whose"
            or self._word(index) in _QUOTES
            or self.items[index].cat in {c.SAY, c.REJECT, c.ENDORSE}
            or self.items[index].val == "="
            or self._word(index) in {":", "has", "at", "with"}
            for index in range(speaker + 1, min(speaker + _QUOTE_REACH, last))
        ) or any(item.cat == c.SAY for item in self.items[max(0, speaker - 2) : speaker])

    def _denies(self, index: int) -> bool:
        """`It is not.`, `it isn't;`: with nothing behind it that would be denied instead."""
        if self.items[index].cat != c.IT:
            return False
        after = self.items[index + 1 : index + 4]
        denial = next((at for at, item in enumerate(after) if item.cat != c.LINK), len(after))
        return denial + 1 < len(after) and after[denial].cat == c.NEG and after[denial + 1].cat in {c.WEAK, c.STRONG}

    def _rejects(self, index: int) -> bool:
        item = self.items[index]
        if item.cat == c.REJECT or (item.cat == c.IT and item.val == "truth") or self._denies(index):
            return True
        if (
            item.cat == c.CONJ
            and self._word(index) in {"but", "yet", "however", "但", "但是", "而", "然而", "不过"}
            and index + 2 < len(self.items)
        ):
            return self.items[index + 1].cat == c.IT and self.items[index + 2].cat in {c.LINK, c.NEG, c.NUM}
        return False
