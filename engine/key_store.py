"""Secrets in the system's keyring, through the library `keyring`; one entry for each setting of each installation.

A keyring that is locked, or that fails, gives nothing: the caller is told that there is no secret, and why nothing could be kept.
`keyring` is imported at the first use: a program that keeps nothing there does not wait for it.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.domain.errors import StoreError
from engine.domain.text.reason import Reason

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

_SERVICE: Final = "tribunal"
_RECOMMENDED: Final = 1
"""The priority from which `keyring` calls a backend one to be used; below are those that keep nothing, or plain text."""


def keyring_name() -> str:
    """Return what the system's keyring is called, or ""."""
    backend = _backend()
    return backend.name if backend is not None else ""


def read_secret(name: str, folder: Path) -> str | None:
    """Return the secret of a setting, None where there is none or the keyring does not give it. folder: of the installation's `.env`."""
    from keyring.errors import KeyringError  # noqa: PLC0415 - see above

    try:
        backend = _backend()
        return backend.get_password(_SERVICE, _entry(name, folder)) if backend is not None else None
    except (KeyringError, OSError):
        return None


def keep_secret(name: str, secret: str, folder: Path) -> None:
    """Keep the secret of a setting. Raises StoreError."""
    from keyring.errors import KeyringError  # noqa: PLC0415 - see above

    try:
        backend = _backend()
        if backend is None:
            raise StoreError(Reason("keyring_failed", why="there is none"))
        backend.set_password(_SERVICE, _entry(name, folder), secret)
    except (KeyringError, OSError) as problem:
        raise StoreError(Reason("keyring_failed", why=type(problem).__name__)) from None


def forget_secret(name: str, folder: Path) -> None:
    """Forget the secret of a setting; one that is not there is forgotten. Raises StoreError."""
    from keyring.errors import KeyringError, PasswordDeleteError  # noqa: PLC0415 - see above

    try:
        backend = _backend()
        if backend is not None:
            backend.delete_password(_SERVICE, _entry(name, folder))
    except PasswordDeleteError:
        return
    except (KeyringError, OSError) as problem:
        raise StoreError(Reason("keyring_failed", why=type(problem).__name__)) from None


def _backend() -> "KeyringBackend | None":
    import keyring  # noqa: PLC0415 - see above

    backend = keyring.get_keyring()
    return backend if backend.priority >= _RECOMMENDED else None


def _entry(name: str, folder: Path) -> str:
    return f"{name} {folder.resolve()}"
