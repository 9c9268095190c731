"""One role's text while it is being written: sentences, the values stated in them, and which of those are lies.

Given the record and a language; gives text and the places of planted values. A value is stated once at most, exactly as the prompt writes
it, or, for the chosen share, false by clearly more than its tolerance. A lie is told in a bare clause: words that could be checked by
themselves stand beside true values only, so every plant is one false statement and nothing else is.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

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
_LEAD_CHANCE = 0.45
_MOST_TRIES = 8  # wordings of a sentence that are tried before one that was heard already is used all the same


@dataclass(frozen=True)
class _Clause:
    """A clause that states one value. at: where the value stands in it. lean: -1, 0, +1 as the value reads. stated: the value, as text."""

    key: str
    text: str
    at: int
    lean: int
    family: str
    planted: Planted | None
    stated: str


@dataclass(frozen=True)
class Lie:
    """How a speaker states false values. role: under whose name. share: of the values stated, 0-1. favour: the side the speaker argues for,
    +1 up, -1 down, 0 none; it chooses which way a lie errs."""

    role: Role
    dice: Dice
    share: float
    favour: int = 0


@dataclass(frozen=True)
class Turn:
    """Where a speaker stands in its run. place: among all speakers, from 0; speakers of one run begin the rows of phrases at places of
    their own. dice: the same for all of them. heard: what others, and the speaker itself, have said already as far as the prompt shows it:
    none of its sentences is said again."""

    place: int
    dice: Dice
    heard: str = ""


class Speech:
    """A text in the making."""

    def __init__(self, record: Record, words: FactWords, dice: Dice, lie: Lie, turn: Turn) -> None:
        self.record = record
        self.dice = dice
        self.words = words
        self._lie = lie
        self._turn = turn
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

    def say_one_of(self, options: Sequence[str], tag: str, **values: object) -> None:
        """Append one of the options, filled in, which states no value; one that has not been heard where there is one."""
        for _ in options:
            sentence = self.choose(options, tag).format(**values)
            if not self._is_heard(sentence):
                break
        self._append(sentence)

    def choose(self, options: Sequence[str], tag: str) -> str:
        """Return one of the options, not the same one twice before all were used, and not the one that the speaker beside begins with."""
        self._used[tag] = self._used.get(tag, -1) + 1
        return self._turn.dice.turned(options, self._used[tag] + self._turn.place, tag)

    def _is_heard(self, sentence: str) -> bool:
        said = sentence[:1].upper() + sentence[1:]
        return said in self._text or said in self._turn.heard

    def sayable(self, keys: Iterable[str]) -> list[str]:
        """Return those of the keys that are in the record, have words, and were not stated yet."""
        return [key for key in keys if key in self.record.values and key not in self._stated and self._template(key) is not None]

    def facts(self, keys: Iterable[str]) -> None:
        """State the values of the keys, one or two a sentence, each with what it means."""
        waiting, goes_on = self.sayable(keys), False
        while waiting:
            first = self._clause(waiting.pop(0))
            second = self._clause(waiting.pop(0)) if waiting and self.dice.roll("pair", first.key) < _PAIR_CHANCE else None
            lead = self.choose(self.words.leads, "lead") if goes_on and self.dice.roll("lead", first.key) < _LEAD_CHANCE else ""
            if second is not None and _fit_together(first, second):
                self._pair(first, second, lead)
            else:
                self._single(first, lead)
                if second is not None:
                    self._single(second, "")
            goes_on = True

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
        for _ in range(_MOST_TRIES):
            tail = self.choose(self.words.tails[clause.family][clause.lean], f"{clause.family}{clause.lean}")
            sentence = lead + clause.text + state + tail + self.words.stop
            if not self._is_heard(sentence):
                break
            clause = self._reworded(clause)
        start = self._append(sentence)
        self._plant(clause, start + len(lead))

    def _pair(self, first: _Clause, second: _Clause, lead: str) -> None:
        for _ in range(_MOST_TRIES):
            between, end = self._joined(first, second)
            sentence = lead + first.text + between + second.text + end + self.words.stop
            if not self._is_heard(sentence):
                break
            first, second = self._reworded(first), self._reworded(second)
        start = self._append(sentence) + len(lead)
        self._plant(first, start)
        self._plant(second, start + len(first.text + between))

    def _joined(self, first: _Clause, second: _Clause) -> tuple[str, str]:
        """Return what stands between two clauses, and what ends them."""
        if first.lean != second.lean:
            return self.choose(self.words.contrast, "contrast"), ""
        if first.family == "position":
            return self.words.both, self.choose(self.words.tails["position"][first.lean], f"position{first.lean}")
        return self.words.both, self.choose(self.words.joint[first.lean], f"joint{first.lean}")

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
        bare = split_key(key)[1]
        truth = self.record.texts[key]
        stated = self._stated_text(key, truth)
        planted = Planted(self._lie.role, key, _value(stated), _value(truth)) if stated != truth else None
        family = tone_of(bare, _value(stated))
        text, at = self._worded(key, stated)
        return _Clause(key, text, at, self._lean(key, stated), family, planted, stated)

    def _reworded(self, clause: _Clause) -> _Clause:
        text, at = self._worded(clause.key, clause.stated)
        return replace(clause, text=text, at=at)

    def _worded(self, key: str, stated: str) -> tuple[str, int]:
        """Return a clause that states a value of a key, and where the value stands in it."""
        timeframe, bare = split_key(key)
        options = self._template(key)
        assert options is not None
        template = self.choose(options, f"clause {bare}").replace("{n}", average_length(bare)).replace("{tf}", self._prefix(timeframe))
        return template.replace("{v}", self.words.words.get(stated, stated)), template.index("{v}")

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
        return false_text(key, truth, self._lie.dice, lambda text: self._liking(key, text))

    def _liking(self, key: str, text: str) -> float:
        return self._lie.favour * score(key, _value(text), self.record)

    def _falls(self, count: int) -> bool:
        """Return whether the value stated after `count` others is a lie: evenly spread from a start of its own, so that the share holds."""
        start = self._lie.dice.roll("start")
        return math.floor((count + 1) * self._lie.share + start) > math.floor(count * self._lie.share + start)


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
