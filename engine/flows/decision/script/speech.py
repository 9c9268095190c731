"""One role's text while it is being written: sentences, the values stated in them, and which of those are lies.

Given the record and a language; gives text and the places of planted values. A value is stated once at most, exactly as the prompt writes
it, or, for the chosen share, false by clearly more than its tolerance. A lie is told in a bare clause: words that could be checked by
themselves stand beside true values only, so every plant is one false statement and nothing else is.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.domain.roles import Role
from engine.flows.decision.script.lexicon import POSITION_KEYS, UNPAIRED, FactWords, average_length, family_of, tone_of
from engine.flows.decision.script.lies import as_number, can_lie, false_text
from engine.flows.decision.script.record import Record, split_key
from engine.flows.decision.script.signals import score, stay_score
from engine.flows.decision.script.states import state_of
from engine.llm.dice import Dice
from engine.llm.protocol import Planted, Script

_SILENT = 0.1
_STATE_CHANCE = 0.65
_PAIR_CHANCE = 0.45


@dataclass(frozen=True)
class _Clause:
    """A clause that states one value. at: where the value stands in it. lean: -1, 0, +1 as the value reads."""

    key: str
    text: str
    at: int
    lean: int
    family: str
    planted: Planted | None


class Speech:
    """A text in the making. favour: the side the speaker argues for, +1 up, -1 down, 0 none; it chooses which way a lie errs."""

    def __init__(self, role: Role, record: Record, words: FactWords, dice: Dice, lie_dice: Dice, lies: float, favour: int = 0) -> None:
        self.record = record
        self.dice = dice
        self.words = words
        self._role = role
        self._lie_dice = lie_dice
        self._lies = lies
        self._favour = favour
        self._text = ""
        self._plants: list[tuple[int, Planted]] = []
        self._stated: set[str] = set()
        self._false: set[str] = set()
        self._used: dict[str, int] = {}
        self._start = True

    def say(self, sentence: str) -> None:
        """Append a sentence that states no value."""
        if sentence:
            self._append(sentence)

    def line(self, text: str = "") -> None:
        """Append a line of its own; the next sentence starts a new line."""
        self._text = self._text.rstrip(" ") + ("\n" if self._text and not self._text.endswith("\n") else "") + text + "\n"
        self._start = True

    def choose(self, options: Sequence[str], tag: str) -> str:
        """Return one of the options, not the same one twice before all were used."""
        self._used[tag] = self._used.get(tag, -1) + 1
        return self.dice.turned(options, self._used[tag], tag)

    def sayable(self, keys: Iterable[str]) -> list[str]:
        """Return those of the keys that are in the record, have words, and were not stated yet."""
        return [key for key in keys if key in self.record.values and key not in self._stated and self._template(key) is not None]

    def facts(self, keys: Iterable[str]) -> None:
        """State the values of the keys, one or two a sentence, each with what it means."""
        waiting = self.sayable(keys)
        while waiting:
            first = self._clause(waiting.pop(0))
            second = self._clause(waiting.pop(0)) if waiting and self.dice.roll("pair", first.key) < _PAIR_CHANCE else None
            if second is not None and _fit_together(first, second):
                self._pair(first, second)
            else:
                self._single(first, "")
                if second is not None:
                    self._single(second, "")

    def fact(self, key: str, lead: str = "") -> bool:
        """Return state one value, after `lead`. False when there is none to state."""
        if not self.sayable([key]):
            return False
        self._single(self._clause(key), lead)
        return True

    def finish(self) -> Script:
        """Return the text so far and its plants."""
        return Script(self._text.rstrip() + "\n", tuple(self._plants))

    def _single(self, clause: _Clause, lead: str) -> None:
        state = self._state(clause)
        tail = self.choose(self.words.tails[clause.family][clause.lean], f"{clause.family}{clause.lean}")
        start = self._append(lead + clause.text + state + tail + self.words.stop)
        self._plant(clause, start + len(lead))

    def _pair(self, first: _Clause, second: _Clause) -> None:
        if first.lean == second.lean:
            between, end = self.words.both, self.choose(self.words.joint[first.lean], f"joint{first.lean}")
            if first.family == "position":
                end = self.choose(self.words.tails["position"][first.lean], f"position{first.lean}")
        else:
            between, end = self.choose(self.words.contrast, "contrast"), ""
        start = self._append(first.text + between + second.text + end + self.words.stop)
        self._plant(first, start)
        self._plant(second, start + len(first.text + between))

    def _append(self, sentence: str) -> int:
        """Put a sentence at the end; gives the offset of its first character."""
        if not self._start:
            self._text += self.words.gap
        start = len(self._text)
        self._text += sentence[:1].upper() + sentence[1:]
        self._start = False
        return start

    def _plant(self, clause: _Clause, start: int) -> None:
        if clause.planted is not None:
            self._plants.append((start + clause.at, clause.planted))

    def _template(self, key: str) -> tuple[str, ...] | None:
        timeframe, bare = split_key(key)
        average = average_length(bare)
        options = self.words.clauses.get(bare.split("_")[0] if average else bare)
        if options is None or family_of(bare) is None or (timeframe and not all("{tf}" in option for option in options)):
            return None
        text = self.record.texts[key]
        fits = text in self.words.words if bare == "obv_trend" else as_number(text) is not None
        return options if fits else None

    def _clause(self, key: str) -> _Clause:
        timeframe, bare = split_key(key)
        truth = self.record.texts[key]
        stated = self._stated_text(key, truth)
        planted = Planted(self._role, key, _value(stated), _value(truth)) if stated != truth else None
        options = self._template(key)
        assert options is not None
        template = self.choose(options, f"clause {bare}").replace("{n}", average_length(bare)).replace("{tf}", self._prefix(timeframe))
        family = tone_of(bare, _value(stated))
        text = template.replace("{v}", self.words.words.get(stated, stated))
        return _Clause(key, text, template.index("{v}"), self._lean(key, stated), family, planted)

    def _prefix(self, timeframe: str) -> str:
        units = self.words.units
        return (units.get(timeframe) or units[timeframe[-1]]).format(n=timeframe[:-1]) if timeframe else ""

    def _lean(self, key: str, stated: str) -> int:
        points = stay_score(key, self.record) if key in POSITION_KEYS else score(key, _value(stated), self.record)
        return 0 if abs(points) < _SILENT else int(math.copysign(1, points))

    def _state(self, clause: _Clause) -> str:
        state = state_of(clause.key, self.record) if clause.planted is None else None
        if state is None or self._false.intersection(state.needs) or self.dice.roll("state", clause.key) > _STATE_CHANCE:
            return ""
        return self.choose(self.words.states[state.name], f"state {state.name}").replace("{line}", self._line(clause.key))

    def _line(self, key: str) -> str:
        """Return what a state calls the line under `key`: `1h 50 EMA`, `VWAP`."""
        timeframe, bare = split_key(key)
        kind = bare.split("_")[0].upper()
        return self.words.line.format(tf=self._prefix(timeframe), n=average_length(bare), kind=kind).replace("  ", " ").strip()

    def _stated_text(self, key: str, truth: str) -> str:
        """Return what is stated for `key`: the truth, or a lie when this one is to be."""
        falls = self._falls(len(self._stated))
        self._stated.add(key)
        if not falls or not can_lie(key, truth):
            return truth
        self._false.add(key)
        return false_text(key, truth, self._lie_dice, lambda text: self._liking(key, text))

    def _liking(self, key: str, text: str) -> float:
        return self._favour * score(key, _value(text), self.record)

    def _falls(self, count: int) -> bool:
        """Return whether the value stated after `count` others is a lie: evenly spread from a start of its own, so that the share holds."""
        start = self._lie_dice.roll("start")
        return math.floor((count + 1) * self._lies + start) > math.floor(count * self._lies + start)


def _fit_together(first: _Clause, second: _Clause) -> bool:
    """Return whether two clauses make a sentence: of one timeframe, both of the market or of the position, both pointing somewhere or
    neither."""
    silent = (first.lean == 0) != (second.lean == 0)
    mixed = (first.family == "position") != (second.family == "position")
    apart = split_key(first.key)[0] != split_key(second.key)[0]
    return not silent and not mixed and not apart and UNPAIRED.isdisjoint((first.family, second.family))


def _value(text: str) -> float | str:
    number = as_number(text)
    return text if number is None else number
