"""The desks of this installation. A desk is a folder here, a folder of the same name in `pages/desks`, and its name in both lists."""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    from engine.bootstrap.container import Container
    from engine.desks.decision.api import Decisions
    from engine.desks.decision.benches import Benches
    from engine.desks.desk import Desk, DeskApi
    from engine.desks.equities.api import EquityDesk
    from engine.desks.plan.api import Plans
    from engine.desks.research.api import Research
    from engine.domain.checked_text import CheckedText
    from engine.domain.facts import FactSheet
    from engine.domain.run import RunRequest
    from engine.flows.protocol import Flow

DESKS: Final = ["decision", "equities", "plan", "research"]


@cache
def desk_of(name: str) -> "Desk":
    """Return a desk of `DESKS`: `DESK` of its module `desk`."""
    found: Desk = import_module(f"{__name__}.{name}.desk").DESK
    return found


def commands_of(name: str) -> "ModuleType":
    """Return a desk's module `command`. `add_to(commands)` adds its commands to the shell; `sentence(state)` is a final state in one line.
    It is quick to import: `--help` shows every command."""
    return import_module(f"{__name__}.{name}.command")


@cache
def flows() -> "dict[str, Flow]":
    """Return the flow of every desk by its name, always the same dictionary."""
    return {desk.flow.name: desk.flow for desk in map(desk_of, DESKS)}


class DeskApis:
    """What an engine offers of each desk. An attribute is named in its desk's `apis`; it is declared here for type checkers only."""

    decisions: "Decisions"
    benches: "Benches"
    equities: "EquityDesk"
    plans: "Plans"
    research: "Research"

    def __init__(self, container: "Container") -> None:
        self._apis = {name: api(container) for desk in map(desk_of, DESKS) for name, api in desk.apis.items()}

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_apis"][name]
        except KeyError:
            raise AttributeError(f"{name!r}: no desk offers it; desks are {', '.join(DESKS)}") from None

    def usual_requests(self, desk: str) -> "Sequence[RunRequest]":
        """Return requests that stand for the runs of a desk (`DeskApi.usual_requests`); none of a desk that has no such."""
        from engine.desks.desk import DeskApi  # noqa: PLC0415 - late, as below

        flow = desk_of(desk).flow
        apis = (each for each in self._apis.values() if isinstance(each, DeskApi) and each.flow.name == flow.name)
        return next((each.usual_requests() for each in apis), ())

    def facts_of(self, run_id: str, result: "Mapping[str, Any]") -> "tuple[FactSheet, str] | None":
        """Return the facts that the words of a run are about (`DeskApi.facts_of`), None where no desk has them."""
        return next((found for each in self._desks() if (found := each.facts_of(run_id, result)) is not None), None)

    def history_of(self, run_id: str) -> "Mapping[str, Sequence[float | None]]":
        """Return the histories of the facts of a run (`DeskApi.history_of`), none where no desk has them."""
        return next((found for each in self._desks() if (found := each.history_of(run_id))), {})

    def checked_text(self, run_id: str, result: "Mapping[str, Any]", text: str, source: str) -> "CheckedText | None":
        """Return a text, read and judged as the words of a run were (`DeskApi.check_text`), None where no desk has its facts."""
        return next((found for each in self._desks() if (found := each.check_text(run_id, result, text, source)) is not None), None)

    def _desks(self) -> "list[DeskApi[Any]]":
        from engine.desks.desk import DeskApi  # noqa: PLC0415 - the shell lists desks without it

        return [each for each in self._apis.values() if isinstance(each, DeskApi)]
