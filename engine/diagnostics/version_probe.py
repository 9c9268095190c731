"""Whether what is installed is what this program was proved with: the pinned versions of its direct dependencies."""

import platform
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from engine.diagnostics.probe import line
from engine.diagnostics.wording import DiagnosticWords
from engine.domain.diagnostics.result import DiagnosticResult, DiagnosticStatus

_PIN = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?==(?P<version>[^;\s#]+)")
_MOST_NAMED = 8


def probe_versions(requirements: Path, words: DiagnosticWords) -> list[DiagnosticResult]:
    """Return the line of the versions. requirements: the file that pins them. Blocking."""
    try:
        pins = list(_pins(requirements.read_text(encoding="utf-8")))
    except OSError:
        return [_line("skipped", words("versions_unread"))]
    missing, others = [], []
    for name, pinned in pins:
        try:
            installed = version(name)
        except PackageNotFoundError:
            missing.append(f"{name} {pinned}")
            continue
        if installed != pinned:
            others.append(f"{name} {installed} ({pinned})")
    if missing:
        return [_line("failed", words("versions_missing", names=_named(missing)), words("versions_do"))]
    if others:
        return [_line("warning", words("versions_other", names=_named(others)), words("versions_do"))]
    return [_line("ok", words("versions_fit", n=len(pins), python=platform.python_version()))]


def _pins(text: str) -> Iterator[tuple[str, str]]:
    """Yield name and version of each line."""
    for pin in text.splitlines():
        if found := _PIN.match(pin.strip()):
            yield found["name"], found["version"]


def _named(names: list[str]) -> str:
    return ", ".join(names[:_MOST_NAMED]) + (" ..." if len(names) > _MOST_NAMED else "")


def _line(status: DiagnosticStatus, detail: str, what_to_do: str = "") -> DiagnosticResult:
    return line("versions", status, detail, what_to_do)
