"""The log of a process on stderr: one line each, plain or JSON, with the run and the node it is about, and without secrets.

Given the records of the loggers `engine` and `pages` from warnings on, gives lines through structlog. Run and node are bound where a run
is played and a node begins; alerts keep their shape, a JSON object a line. structlog comes with the first line: most processes write none.
"""

import logging
import sys
from collections.abc import Iterable, MutableMapping
from functools import cached_property
from typing import Any, Final, Literal

from engine.domain.text.visible import one_line, visible
from engine.settings import EnvironmentSettings, Settings

LOGGERS: Final = ("engine", "pages")
ALERTS: Final = "engine.alerts"
_SHORTEST: Final = 6  # characters of what can be a secret
_HIDDEN: Final = "[hidden]"


def log_to_stderr(settings: Settings, of_brokers: Iterable[EnvironmentSettings] = ()) -> None:
    """Write this process's log as the settings say. Called again, the newest form holds, and every secret stays hidden. of_brokers: the
    settings of brokers, whose secrets are hidden too."""
    own = [handler for handler in logging.getLogger(LOGGERS[0]).handlers if isinstance(handler, StderrLog)]
    handler = own[0] if own else StderrLog()
    handler.take(settings.log, [secret for each in (settings, *of_brokers) for secret in each.secrets()])
    for name in LOGGERS:
        logging.getLogger(name).addHandler(handler)


def hide_in_log(secrets: Iterable[str]) -> None:
    """Hide these too in every line from now on."""
    for handler in logging.getLogger(LOGGERS[0]).handlers:
        if isinstance(handler, StderrLog):
            handler.hide(secrets)


class StderrLog(logging.Handler):
    """Writes to whatever stderr is at the moment; without one it is silent."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._form: Literal["plain", "json"] = "plain"
        self._secrets: set[str] = set()

    def take(self, form: Literal["plain", "json"], secrets: Iterable[str]) -> None:
        """Use a form from now on, and hide these too."""
        self._form = form
        self.hide(secrets)

    def hide(self, secrets: Iterable[str]) -> None:
        """Hide these too from now on."""
        self._secrets = self._secrets | {secret for secret in secrets if len(secret) >= _SHORTEST}

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        try:
            line = record.getMessage() if record.name == ALERTS else self._formatters[self._form].format(record)
            for secret in self._secrets:
                line = line.replace(secret, _HIDDEN)
            if sys.stderr is not None:
                sys.stderr.write(f"{line}\n")
                sys.stderr.flush()
        except (OSError, ValueError):  # the reader is gone: logging must not break the work
            self.handleError(record)

    @cached_property
    def _formatters(self) -> dict[str, logging.Formatter]:
        import structlog  # noqa: PLC0415 - it comes with the first line

        known = (
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
        )
        last: dict[str, Any] = {"plain": _plain, "json": structlog.processors.JSONRenderer(ensure_ascii=True)}
        strip = structlog.stdlib.ProcessorFormatter.remove_processors_meta
        return {
            form: structlog.stdlib.ProcessorFormatter(foreign_pre_chain=known, processors=[strip, renderer])
            for form, renderer in last.items()
        }


def _plain(_logger: object, _method: str, event: MutableMapping[str, Any]) -> str:
    """Return `TIME LEVEL LOGGER: MESSAGE run=... node=...`, and a traceback below it where there is one."""
    fields = {name: event.pop(name) for name in ("timestamp", "level", "logger", "event")}
    trace = event.pop("exception", "")
    bound = "".join(f" {name}={one_line(str(value))}" for name, value in sorted(event.items(), reverse=True))
    line = f"{fields['timestamp']} {fields['level']} {fields['logger']}: {one_line(str(fields['event']))}{bound}"
    return f"{line}\n{visible(trace)}" if trace else line
