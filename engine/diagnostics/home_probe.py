"""Whether the home can keep what happens: writable, room left, closed to others, its audit chain sound. A file is made and taken away."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from engine.diagnostics.probe import line
from engine.diagnostics.wording import DiagnosticWords
from engine.domain.diagnostics.result import DiagnosticResult
from engine.domain.errors import StoreError

_LOW, _TOO_LOW = 1_000_000_000, 100_000_000  # bytes
_MOST_NAMED = 3
_OTHERS = 0o077


def probe_home(home: Path, words: DiagnosticWords) -> list[DiagnosticResult]:
    """Return the lines of the folder. Blocking."""
    try:
        with tempfile.TemporaryFile(dir=home) as file:
            file.write(b"writable")
            file.flush()
    except OSError as problem:
        detail = words("home_unwritable", home=home, why=problem.strerror or type(problem).__name__)
        writable = line("home.writable", "failed", detail, words("home_do"))
    else:
        writable = line("home.writable", "ok", words("home_writable", home=home))
    return [writable, _free_space(home, words), _modes(home, words)]


def probe_journal(trouble: Callable[[], str], faults: Callable[[], list[str]], words: DiagnosticWords) -> list[DiagnosticResult]:
    """Return the lines of the journal and its audit chain. Blocking, as long as it takes to walk the chain."""
    if why := trouble():
        lines = [line("home.journal", "failed", why, words("journal_do"))]
    else:
        lines = [line("home.journal", "ok", words("journal_fine"))]
    try:
        found = faults()
    except StoreError as problem:
        return [*lines, line("home.audit_chain", "failed", str(problem), words("journal_do"))]
    if found:
        more = words("chain_more", n=f"{len(found) - 1:,}") if len(found) > 1 else ""
        return [*lines, line("home.audit_chain", "failed", f"{found[0]}{more}", words("chain_do"))]
    return [*lines, line("home.audit_chain", "ok", words("chain_sound"))]


def _free_space(home: Path, words: DiagnosticWords) -> DiagnosticResult:
    there = next((folder for folder in (home, *home.absolute().parents) if folder.is_dir()), Path.cwd())
    try:
        free = shutil.disk_usage(there).free
    except OSError as problem:
        return line("home.free_space", "warning", words("space_unread", why=problem.strerror or type(problem).__name__))
    detail = words("space_free", gigabytes=f"{free / 1e9:,.1f}")
    if free >= _LOW:
        return line("home.free_space", "ok", detail)
    return line("home.free_space", "failed" if free < _TOO_LOW else "warning", detail, words("space_do"))


def _modes(home: Path, words: DiagnosticWords) -> DiagnosticResult:
    if os.name != "posix":
        return line("home.file_modes", "skipped", words("modes_unknown"))
    try:
        open_to_others = [path for path in (home, *sorted(home.iterdir())) if path.stat().st_mode & _OTHERS]
    except OSError as problem:
        return line("home.file_modes", "warning", words("modes_unread", why=problem.strerror or type(problem).__name__), words("home_do"))
    if not open_to_others:
        return line("home.file_modes", "ok", words("modes_closed"))
    named = ", ".join(f"{path.name} ({path.stat().st_mode & 0o777:04o})" for path in open_to_others[:_MOST_NAMED])
    more = words("modes_more", n=len(open_to_others) - _MOST_NAMED) if len(open_to_others) > _MOST_NAMED else ""
    return line("home.file_modes", "warning", words("modes_open", names=named + more), words("modes_do", home=home))
