"""Choices that look free and are not: the same seed and tag always give the same answer, on every machine."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

Option = TypeVar("Option")


@dataclass(frozen=True)
class Dice:
    """A source of choices. seed: everything the choices may depend on; each choice has a tag of its own, so none disturbs another."""

    seed: str

    def roll(self, *tag: object) -> float:
        """Return a number in [0, 1), a multiple of 2**-32."""
        text = "|".join((self.seed, *map(str, tag)))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") / 2**32

    def sway(self, *tag: object) -> float:
        """Return a number in [-1, 1)."""
        return 2 * self.roll("sway", *tag) - 1

    def turned(self, options: Sequence[Option], count: int, *tag: object) -> Option:
        """Option number `count` of a row that starts at a place of its own: counting up repeats nothing before all were used."""
        return options[(int(self.roll(*tag) * len(options)) + count) % len(options)]
