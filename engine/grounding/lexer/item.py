"""The items of a text: what the lexer makes and everything after it reads."""

from dataclasses import dataclass

from engine.grounding.lexer.numbers import Number


@dataclass(slots=True)
class Item:
    """One item. start, end: in the normalised text. gap: white space before it. mode: why it states nothing about now, empty if it does.
    frame: the timeframe that a heading above it names, None without one."""

    cat: str
    val: object
    start: int
    end: int
    gap: bool
    mode: str = ""
    frame: str | None = None

    @property
    def number(self) -> Number | None:
        """Return the number, of a NUM item; its lower end, of a RANGE."""
        value = self.val[0] if isinstance(self.val, tuple) else self.val
        return value if isinstance(value, Number) else None

    @property
    def high(self) -> Number | None:
        """Return the upper end, of a RANGE item."""
        value = self.val[1] if isinstance(self.val, tuple) and len(self.val) > 1 else None
        return value if isinstance(value, Number) else None

    @property
    def tens(self) -> tuple[int, int]:
        """Return the part of a decade a FUZZY item means: (6, 10) for `high`."""
        assert isinstance(self.val, tuple)
        low, high = self.val
        return int(low), int(high)

    @property
    def count(self) -> tuple[int, str]:
        """Return how many of what, of a COUNT item."""
        assert isinstance(self.val, tuple)
        amount, noun = self.val
        return int(amount), str(noun)


def make_range(first: Number, second: Number) -> tuple[Number, Number] | None:
    """Return two numbers as the ends of a range, unit and scale of the second shared; None when they are no range."""
    low = first.value
    if first.unit != second.unit and first.unit and second.unit:
        return None
    for factor in (1.0, 1e3, 1e4):
        if low * factor <= second.value and (low < 0 or second.value <= low * factor * 20 + 20):
            shared = Number(low * factor, second.unit or first.unit, first.step * factor, first.signed, "", first.decimals)
            return shared, Number(second.value, shared.unit, second.step, second.signed, "", second.decimals)
        if first.integer is None and first.decimals == 0:
            break
    return None
