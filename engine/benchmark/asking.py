"""One question of the benchmark, put to a model by the ordinary client: deadlines, retries, one repair of the closing block, a budget."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from engine.agents.access import ModelAccess
from engine.agents.ask import NoAnswer, Question, Spoken, ask
from engine.benchmark.prompts import ROLE, Arm, StruckQuestion, asked_name
from engine.benchmark.sheets import Kind
from engine.desks.decision.reading.answers import read_analyst
from engine.desks.equities.answers import read_view
from engine.domain.events import EventData, ModelPlanted
from engine.domain.facts import FactValue
from engine.domain.frozen_model import FrozenModel
from engine.domain.opinion import Usage
from engine.llm.protocol import Model
from engine.llm.values import NoBlock, Unreadable

_SIDES: Final = {"BULLISH": "LONG", "BEARISH": "SHORT"}


class PlantedValue(FrozenModel):
    """A value that the scripted model states falsely on purpose."""

    key: str
    stated: FactValue
    true: FactValue


class StruckAnswer(FrozenModel):
    """What came of a question. sheet, arm, nth: which one. asked: the hash of its words. text: the whole answer, empty where it is lost.
    lost: why it is missing. planted: false values that the script states in it."""

    sheet: str
    arm: Arm
    nth: int
    asked: str
    text: str = ""
    lost: str = ""
    planted: tuple[PlantedValue, ...] = ()
    usage: Usage

    @property
    def name(self) -> str:
        """The name of its question."""
        return asked_name(self.sheet, self.arm, self.nth)


def verdict_in(text: str, kind: Kind) -> str | None:
    """Return where an answer sees the price going: LONG, SHORT or NEUTRAL; None where it does not say so readably."""
    try:
        said = read_view(text).direction if kind == "company" else read_analyst(text).direction
    except Unreadable:
        return None
    return _SIDES.get(said.value, said.value)


async def answer_of(asked: StruckQuestion, models: Mapping[Kind, Model], access: ModelAccess) -> StruckAnswer:
    """Ask one question. models: who answers, by kind of sheet. access: budget, policy, temperatures."""
    heard: list[PlantedValue] = []

    def emit(node: str | None, data: EventData) -> None:
        if isinstance(data, ModelPlanted):
            heard.append(PlantedValue(key=data.key, stated=data.stated, true=data.true))

    def read(text: str) -> str:
        found = verdict_in(text, asked.sheet.kind)
        if found is None:
            problem = _problem(text, asked.sheet.kind)
            raise NoBlock(problem, "")  # its numbers count all the same
        return found

    model = models[asked.sheet.kind]
    mine = replace(
        access,
        model_of=lambda role, node: model,
        language=asked.sheet.language,
        context=asked.sheet.hash,
        emit=emit,
    )
    named = {"sheet": asked.sheet.id, "arm": asked.arm, "nth": asked.nth, "asked": asked.hash}
    try:
        spoken: Spoken[str] = await ask(mine, Question(ROLE, asked.system, asked.user), read)
    except NoAnswer as lost:
        return StruckAnswer(**named, lost=str(lost) or "lost", usage=lost.usage)
    return StruckAnswer(**named, text=spoken.text, planted=tuple(heard), usage=spoken.usage)


def _problem(text: str, kind: Kind) -> str:
    """Return what is wrong with the closing block of an answer."""
    try:
        read_view(text) if kind == "company" else read_analyst(text)
    except Unreadable as problem:
        return str(problem)
    return ""
