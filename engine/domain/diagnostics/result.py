"""The results of checking an installation before trading on it, a line each."""

from typing import Literal

from engine.domain.frozen_model import FrozenModel

DiagnosticStatus = Literal["ok", "warning", "failed", "skipped"]


class DiagnosticResult(FrozenModel):
    """One thing that was looked at. name: what, the same in every language (`model.tools`). detail: what was found, in one line without
    secrets. what_to_do: in one line, "" where nothing need be done."""

    name: str
    status: DiagnosticStatus
    detail: str
    what_to_do: str = ""
