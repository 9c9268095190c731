"""Whether what is installed is what this program was proved with: the pinned versions of its direct dependencies."""

import platform
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from engine.diagnostics.probe import line
from engine.diagnostics.wording import DiagnosticWords
from engine.domain.diagnostics.result import DiagnosticResult, DiagnosticStatus

_PIN = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?==(?P<version>[^;\s#]+)\s*(?P<condition>;)?")
_PROOF = "# What proves it"  # below this line stands what only tests need
_MOST_NAMED = 8


def probe_versions(requirements: Path, words: DiagnosticWords) -> list[DiagnosticResult]:
    """Return the line of the versions. requirements: the file that pins them. Blocking."""
    try:
        pins = list(_pins(requirements.read_text(encoding="utf-8")))
    except OSError:
        return [_line("skipped", words("versions_unread"))]
    missing, others = [], []
    for name, pinned, has_condition in pins:
        try:
            installed = version(name)
        except PackageNotFoundError:
            if not has_condition:  # not every system wants it
                missing.append(f"{name} {pinned}")
            continue
        if installed != pinned:
            others.append(f"{name} {installed} ({pinned})")
    if missing:
        return [_line("failed", words("versions_missing", names=_named(missing)), words("versions_do"))]
    if others:
        return [_line("warning", words("versions_other", names=_named(others)), words("versions_do"))]
    return [_line("ok", words("versions_fit", n=len(pins), python=platform.python_version()))]


def _pins(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield name, version and whether it is wanted under a condition only, of what runs."""
    for pin in text.partition(_PROOF)[0].splitlines():
        if found := _PIN.match(pin.strip()):
            yield found["name"], found["version"], found["condition"] is not None


def _named(names: list[str]) -> str:
    return ", ".join(names[:_MOST_NAMED]) + (" ..." if len(names) > _MOST_NAMED else "")


def _line(status: DiagnosticStatus, detail: str, what_to_do: str = "") -> DiagnosticResult:
    return line("versions", status, detail, what_to_do)
