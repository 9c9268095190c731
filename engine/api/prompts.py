"""What decisions came to under each version of their prompts, as pages and shell see it. Blocks for a read from the journal."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from engine.bootstrap.container import Container
from engine.domain.prompt_shares import PromptedRun, PromptReport
from engine.outcomes.prompt_shares import report_of
from engine.runs.prompt_versions import versions_in

_KEPT: Final = 64


class PromptVersions:
    """The part of `Engine` that is about prompts."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._versions = lru_cache(maxsize=_KEPT)(self._read_versions)
        self._report: tuple[Sequence[PromptedRun], PromptReport] | None = None

    def report(self) -> PromptReport:
        """Return shares of actions, false claims and confidence by version, model and week, and what changed with each version. Forks,
        runs played again, cases, demos and runs with planted lies are left out."""
        runs = self._container.journal.run_search.prompted()
        if self._report is None or self._report[0] is not runs:
            self._report = (runs, report_of(runs, lambda run: self.versions(run.run_id)))
        return self._report[1]

    def versions(self, run_id: str) -> Mapping[str, str]:
        """Return node -> the version of the prompt that a run was asked with; empty for a run whose prompts have none."""
        return self._versions(run_id)

    def _read_versions(self, run_id: str) -> Mapping[str, str]:
        return versions_in(self._container.journal.events(run_id))
