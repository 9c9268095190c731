"""False values that the scripted model states on purpose, as a run's log tells them."""

from dataclasses import dataclass

from engine.domain.events import Event, ModelPlanted


@dataclass(frozen=True, slots=True)
class PlantedLie:
    """A false value the scripted model stated on purpose."""

    role: str
    key: str
    stated: float | str | None
    truth: float | str | None


def planted_lie(event: Event, data: ModelPlanted) -> PlantedLie:
    """Return what was planted; its role is that of the node where the event does not say it."""
    return PlantedLie(data.role or event.node or "", data.key, data.stated, data.true)
