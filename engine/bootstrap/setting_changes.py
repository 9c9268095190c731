"""Settings that change while a process runs: written where the next start finds them, and used by what begins from then on.

A secret goes to the system's keyring, where there is one, else into `.env`, which is closed to other users; either way it is written and
never read out again. What the environment sets wins, so it cannot be changed here.
"""

import threading
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import SecretStr

from engine.bootstrap.container import Container
from engine.bootstrap.logs import hide_in_log
from engine.brokers import BROKERS, own_settings
from engine.domain.connection import KeptSetting
from engine.domain.errors import NotAllowed
from engine.domain.text.reason import Reason
from engine.key_store import forget_secret, keep_secret, keyring_name
from engine.settings import ENV_FILE, KEYRING, EnvironmentSettings, Settings, load, load_settings, set_outside, write_settings

_LONGEST_SECRET: Final = 500


class SettingChanges:
    """Of one process. Methods block for a moment and may be called from any thread but the engine's own."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._changing = threading.Lock()

    def kept(self, name: str) -> KeptSetting:
        """Return whether a setting has a value, and where it is set. name: of its variable."""
        holder, field = self._holder(name)
        value = getattr(holder, field)
        is_set = field in holder.model_fields_set and bool(value)
        if isinstance(value, SecretStr):
            is_set = bool(value.get_secret_value().strip())
        if set_outside(name):
            return KeptSetting(name=name, is_set=is_set, place="outside")
        if name in _names(self._container.settings.keyring):
            return KeptSetting(name=name, is_set=is_set, place="keyring")
        return KeptSetting(name=name, is_set=is_set, place="file" if is_set else "none")

    def change(self, values: Mapping[str, str | None], secrets: Mapping[str, str | None], who: str) -> None:
        """Set variables, take out those that are None. who: the person who does it, for the audit chain, which names no value.

        Raises NotAllowed for one that the environment sets, BadInput for a value that it cannot have, StoreError where the keyring fails.
        """
        names = (*values, *secrets)
        for name in names:
            if set_outside(name):
                raise NotAllowed(Reason("setting_is_set_outside", name=name))
        hide_in_log(text for text in secrets.values() if text)
        self._require_valid({name: value for name, value in {**values, **secrets}.items() if value is not None})
        with self._changing:
            write_settings({**values, **self._keep(secrets)}, ENV_FILE)
            self._adopt({*names, KEYRING})
        for name in names:
            what = "taken out" if {**values, **secrets}[name] is None else "set"
            self._container.journal.audit.note("setting.changed", who, name, what)

    def _require_valid(self, values: Mapping[str, str]) -> None:
        for kind in _kinds():
            aliases = {str(field.alias) for field in kind.model_fields.values()}
            load(kind, **{name: value for name, value in values.items() if name in aliases})
        for name, text in values.items():
            if len(text) > _LONGEST_SECRET and name in _secret_names():
                raise NotAllowed(Reason("value_cannot_be_kept", name=name))

    def _keep(self, secrets: Mapping[str, str | None]) -> dict[str, str | None]:
        """Put secrets where they belong; gives what is in `.env` of them."""
        folder, before = ENV_FILE.parent, _names(self._container.settings.keyring)
        kept = [name for name in before if name not in secrets]
        in_file: dict[str, str | None] = {}
        usable = bool(secrets) and not set_outside(KEYRING) and bool(keyring_name())
        for name, secret in secrets.items():
            if name in before and (secret is None or not usable):
                forget_secret(name, folder)
            in_file[name] = None if usable else secret
            if usable and secret is not None:
                keep_secret(name, secret, folder)
                kept.append(name)
        if secrets and not set_outside(KEYRING):
            in_file[KEYRING] = ",".join(kept) or None
        return in_file

    def _adopt(self, names: Iterable[str]) -> None:
        """Take the values of variables as they are now written, and of no others: what else is in `.env` is for the next start."""
        container, wanted = self._container, set(names)
        settings = _updated(container.settings, load_settings(), wanted)
        own = {name: _updated(each, own_settings()[name], wanted) for name, each in container.approvals.brokers.own.items()}
        container.loop.submit(container.adopt(settings, own)).result()

    def _holder(self, name: str) -> tuple[EnvironmentSettings, str]:
        """Return the settings that have a variable, and their field of it."""
        holders: list[EnvironmentSettings] = [self._container.settings, *self._container.approvals.brokers.own.values()]
        return next((holder, field) for holder in holders for field, info in type(holder).model_fields.items() if info.alias == name)


def _updated(now: Any, fresh: EnvironmentSettings, names: set[str]) -> Any:
    fields = type(fresh).model_fields
    return now.model_copy(update={field: getattr(fresh, field) for field, info in fields.items() if info.alias in names})


def _names(listed: str) -> list[str]:
    return listed.replace(",", " ").split()


def _kinds() -> list[type[EnvironmentSettings]]:
    return [Settings, *(entry.own for entry in BROKERS.values())]


def _secret_names() -> set[str]:
    return {str(info.alias) for kind in _kinds() for info in kind.model_fields.values() if info.annotation is SecretStr}
