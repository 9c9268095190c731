"""The signing secret of this installation: made at its first start, readable by its owner only, different on every machine."""

import hashlib
import os
import secrets
from contextlib import suppress
from pathlib import Path

from engine.domain.errors import StoreError
from engine.domain.text.reason import Reason
from engine.journal.private_files import make_whole

NAME = "secret"
_BYTES = 32


def signing_secret(home: Path) -> bytes:
    """Return the secret kept in `home`, created if missing. Raises StoreError when it can be neither read nor made, or others may
    read it."""
    path = home / NAME
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            with suppress(FileExistsError):  # another process was quicker
                make_whole(path, secrets.token_hex(_BYTES))
        return _read(path)
    except OSError as problem:
        raise StoreError(Reason("signing_secret_cannot_be_used", path=path, strerror=problem.strerror)) from problem


def id_of(secret: bytes | None) -> str:
    """Return the id of the journal that a secret signs: twelve hexadecimal digits; "" without a secret."""
    return hashlib.sha256(b"journal:" + secret).hexdigest()[:12] if secret is not None else ""


def _read(path: Path) -> bytes:
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise StoreError(Reason("signing_secret_may_be_read_by_others", path=path))
    text = path.read_text(encoding="ascii", errors="replace").strip()
    try:
        found = bytes.fromhex(text)
    except ValueError:
        found = b""
    if len(found) < _BYTES:
        raise StoreError(Reason("signing_secret_is_damaged", path=path))
    return found
