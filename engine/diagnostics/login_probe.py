"""Who may open the pages: whether a login is configured and whole, and whether anybody else could reach them without one.

Reads the two files that the pages' server reads; shows none of what is in them.
"""

import importlib.util
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from engine.diagnostics.probe import line
from engine.diagnostics.wording import DiagnosticWords
from engine.domain.diagnostics.result import DiagnosticResult, DiagnosticStatus

_OWN = {"127.0.0.1", "localhost", "::1"}
_PROVIDER = ("client_id", "client_secret", "server_metadata_url")
_CALLBACK = "/oauth2callback"
_SHORTEST_SECRET = 32


def probe_login(folder: Path, public_url: str | None, *, real_money: bool, words: DiagnosticWords) -> list[DiagnosticResult]:
    """Return the line of the login. folder: where the pages' server is started. public_url: the address behind a proxy, None without one.
    real_money: whether real orders can be approved."""
    try:
        secrets, config = _read(folder, "secrets.toml"), _read(folder, "config.toml")
    except (OSError, ValueError):
        return [_line("failed", words("login_unread"), words("login_unread_do"))]
    auth = secrets.get("auth")
    if not isinstance(auth, dict):
        return [_without(str(_address(config)), public_url, real_money=real_money, words=words)]
    return [_configured(auth, public_url, words)]


def _configured(auth: Mapping[str, Any], public_url: str | None, words: DiagnosticWords) -> DiagnosticResult:
    """Return the line of a login that is configured."""
    providers: list[Mapping[str, Any]] = [value for value in auth.values() if isinstance(value, dict)] or [auth]
    missing = [name for name in ("redirect_uri", "cookie_secret") if not auth.get(name)]
    missing += sorted({name for provider in providers for name in _PROVIDER if not provider.get(name)})
    if missing:
        return _line("failed", words("login_missing", names=", ".join(missing)), words("login_missing_do"))
    if importlib.util.find_spec("authlib") is None:
        return _line("failed", words("login_library"), words("login_library_do"))
    target = urlsplit(str(auth["redirect_uri"]))
    if target.path != _CALLBACK or (public_url is not None and f"{target.scheme}://{target.netloc}" != public_url):
        return _line("failed", words("login_redirect"), words("login_redirect_do", path=_CALLBACK))
    if len(str(auth["cookie_secret"])) < _SHORTEST_SECRET:
        return _line("warning", words("login_short"), words("login_short_do"))
    return _line("ok", words("login_whole"))


def _without(address: str, public_url: str | None, *, real_money: bool, words: DiagnosticWords) -> DiagnosticResult:
    """Return the line where no login is configured: fine only where no one else reaches the pages."""
    if {address.strip("[]").lower(), urlsplit(public_url or "//localhost").hostname} <= _OWN:
        return _line("ok", words("login_own"))
    return _line("failed" if real_money else "warning", words("login_open"), words("login_open_do"))


def _read(folder: Path, name: str) -> Mapping[str, Any]:
    """Return what the server would read: the file of the person, under that of the folder."""
    found: dict[str, Any] = {}
    for place in (Path.home(), folder):
        path = place / ".streamlit" / name
        if path.is_file():
            found |= tomllib.loads(path.read_text(encoding="utf-8"))
    return found


def _address(config: Mapping[str, Any]) -> object:
    server = config.get("server")
    return os.environ.get("STREAMLIT_SERVER_ADDRESS") or (server.get("address", "") if isinstance(server, dict) else "")


def _line(status: DiagnosticStatus, detail: str, what_to_do: str = "") -> DiagnosticResult:
    return line("login", status, detail, what_to_do)
