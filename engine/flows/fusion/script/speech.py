"""A scripted role's words while they are written: sentences, values, and which of them are false on purpose."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from engine.domain.text.language import Language
from engine.flows.fusion.script.clauses import CLAUSES
from engine.flows.fusion.script.phrases import FRAMES, VERBS
from engine.llm.dice import Dice
from engine.llm.protocol import Planted, Script

_INDEXES = frozenset({"rsi_14", "adx_14"})
WORDINGS: Final = 2 * len(FRAMES["en"])
"""In how many ways a value can be said."""
_STRIDE = 7  # between neighbours; has no divisor in common with the number of wordings
_STOP: Mapping[Language, str] = {"en": ". ", "zh": "。"}


@dataclass
class EquitySpeech:
    """role: who speaks, by the name that events know. values: key -> the value exactly as the prompt writes it. lies: share (0-1) of stated
    values that are false. dice: which values those are. run_dice: phrasing; the same for all speakers of a run. place: of this turn among
    all turns of a run; one value is said in other words at every place, as far as there are `WORDINGS`."""

    role: str
    language: Language
    values: Mapping[str, str]
    dice: Dice
    lies: float
    run_dice: Dice = field(default_factory=lambda: Dice(""))
    place: int = 0
    text: str = ""
    plants: list[tuple[int, Planted]] = field(default_factory=list)
    stated: set[str] = field(default_factory=set)

    def say(self, sentence: str) -> None:
        """Append a sentence that states no value."""
        self.text += sentence[:1].upper() + sentence[1:] + _STOP[self.language]

    def facts(self, keys: Iterable[str], most: int) -> None:
        """State up to `most` of the keys that are known and were not stated yet."""
        for key in [key for key in keys if key in self.values and key in CLAUSES and key not in self.stated and _number(self.values[key])][
            :most
        ]:
            self._state(key)

    def line(self, text: str) -> None:
        """Append a line of its own."""
        self.text = self.text.rstrip(" ") + ("\n" if self.text and not self.text.endswith("\n") else "") + text + "\n"

    def finish(self) -> Script:
        """Return the text so far and its plants."""
        return Script(self.text.rstrip() + "\n", tuple(self.plants))

    def _state(self, key: str) -> None:
        true = self.values[key]
        falls, start = self._falls(len(self.stated)), len(self.text)
        self.stated.add(key)
        stated = false_text(key, true, self.dice) if falls else true
        clause = self._clause(key)
        self.say(clause.replace("{v}", stated))
        if stated != true:
            self.plants.append((start + clause.index("{v}"), Planted(self.role, key, float(stated), float(true))))

    def _clause(self, key: str) -> str:
        """Return the statement of a value with `{v}` for it, in words that belong to this place."""
        clause, frames = CLAUSES[key][self.language], FRAMES[self.language]
        again, frame = divmod((self.place * _STRIDE + int(self.run_dice.roll("words", key) * WORDINGS)) % WORDINGS, len(frames))
        if again:
            old, new = next(pair for pair in VERBS[self.language] if pair[0] in clause)
            clause = clause.replace(old, new)
        return frames[frame].replace("{c}", clause)

    def _falls(self, count: int) -> bool:
        """Return whether the value stated after `count` others is a lie: evenly spread, so that the share holds."""
        start = self.dice.roll("start")
        return math.floor((count + 1) * self.lies + start) > math.floor(count * self.lies + start)


def false_text(key: str, text: str, dice: Dice) -> str:
    """Return another value, written with the same decimals: by far more than any tolerance, and still plausible."""
    true, decimals = float(text), len(text.partition(".")[2])
    share = 0.22 + 0.12 * dice.roll("lie", key)
    distance = max(abs(true) * share, 16.0 if key in _INDEXES else 0.0, 1.5 if key.endswith("_pct") else 0.0, 3 * 10.0**-decimals)
    up = true + distance
    if (key in _INDEXES and up > 100.0) or (true - distance > 0 and dice.roll("sign", key) < 0.5):
        return f"{true - distance:.{decimals}f}"
    return f"{up:.{decimals}f}"


def _number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
