"""The closing block of an answer: ASCII keys, one value each, under a heading of the language."""

from engine.domain.opinion import Direction
from engine.flows.decision.script.record import Record
from engine.flows.decision.script.speech import Speech
from engine.llm.dice import Dice

UNKNOWN = "N/A"


def close_with(speech: Speech, heading: str, **values: object) -> None:
    """Append the block; a value of None is left out."""
    speech.line()
    speech.line(heading)
    for key, value in values.items():
        if value is not None:
            speech.line(f"{key}: {value}")


def level(record: Record, key: str) -> str:
    """Return a level as the prompt writes it."""
    return record.texts[key] if record.number(key) is not None else UNKNOWN


def confidence_of(strength: float, dice: Dice, direction: Direction) -> int:
    """0-100 from the strength of a view (0-1): a direction starts at 51, standing aside stays under 56."""
    jitter = dice.roll("confidence") * 4 - 2
    if direction is Direction.NEUTRAL:
        return round(max(30.0, 54 - 40 * strength + jitter))
    return round(min(86.0, 51 + 34 * strength + jitter))


def conviction(words: tuple[str, ...], confidence: float) -> str:
    """Return a word for a confidence."""
    return words[0 if confidence < 55 else 1 if confidence < 65 else 2 if confidence < 76 else 3]
