"""A preset: who analyses, and what becomes of it."""

from dataclasses import dataclass

from engine.desks.equities.presets.spec import EquityAnalyst


@dataclass(frozen=True)
class Preset:
    """name: `stock` or `index`. analysts: all at once. advisor: speaks after them, on their reports; then there is no debate and no
    order."""

    name: str
    analysts: tuple[EquityAnalyst, ...]
    advisor: EquityAnalyst | None = None

    @property
    def everybody(self) -> tuple[EquityAnalyst, ...]:
        """Analysts, then the advisor."""
        return (*self.analysts, self.advisor) if self.advisor is not None else self.analysts

    @property
    def debates(self) -> bool:
        """Whether reports go into debates and an order may come of them."""
        return self.advisor is None
