"""What endpoints refuse and take, as it was learnt from their answers: shared by all models of a process and kept in the home, so that a
refusal is paid for once. A file that cannot be read or written costs nothing but that.

What is older than a month is learnt anew: endpoints change. `check` forgets what is known and asks again.
"""

import json
import os
import secrets
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from engine.domain.clock import utc_now

AnswerForm = Literal["response_format", "tool", "text"]
BoundName = Literal["max_tokens", "max_completion_tokens"]
FILE: Final = "endpoint_options.json"
_KEPT: Final = timedelta(days=30)


class Learnt(BaseModel):
    """One model of one endpoint. left_out: options that it refuses. bound: the name of the bound of an answer. form: how its answers are
    held to a schema. thinks: it writes down its thoughts. begins_thinking: its answers begin within a thought that nothing opens. at: when
    the first of it was learnt."""

    model_config = ConfigDict(extra="ignore", validate_assignment=True)

    left_out: set[str] = set()
    bound: BoundName = "max_tokens"
    form: AnswerForm = "response_format"
    thinks: bool = False
    begins_thinking: bool = False
    at: datetime


class LearntOptions:
    """Everything that was learnt. folder: where it is kept; None = in this process only."""

    def __init__(self, folder: Path | None = None) -> None:
        self._path = folder / FILE if folder is not None else None
        self._known: dict[str, Learnt] = {}
        self._asked_anew: set[str] = set()

    def of(self, address: str, model: str, bound: BoundName = "max_tokens") -> Learnt:
        """Return what is known of a model; the same object for all who ask. bound: the name to begin with."""
        key = f"{address} {model}"
        if key not in self._known:
            found = None if key in self._asked_anew else self._read().get(key)
            self._known[key] = found if found is not None and found.at > utc_now() - _KEPT else Learnt(bound=bound, at=utc_now())
        return self._known[key]

    def forget(self, address: str, model: str) -> None:
        """Learn anew what a model takes."""
        key = f"{address} {model}"
        self._known.pop(key, None)
        self._asked_anew.add(key)

    def keep(self) -> None:
        """Write down what has been learnt, beside what other processes have."""
        if self._path is None:
            return
        rows = {key: known.model_dump(mode="json") for key, known in {**self._read(), **self._known}.items()}
        waiting = self._path.with_name(f"{FILE}.{secrets.token_hex(8)}")
        try:
            with os.fdopen(os.open(waiting, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                json.dump(rows, file, ensure_ascii=False, indent=1, sort_keys=True, default=sorted)
            waiting.replace(self._path)
        except OSError:
            waiting.unlink(missing_ok=True)

    def _read(self) -> dict[str, Learnt]:
        if self._path is None:
            return {}
        try:
            rows = json.loads(self._path.read_text("utf-8"))
            return {key: Learnt.model_validate(row) for key, row in rows.items()}
        except (OSError, ValueError, AttributeError, RecursionError, ValidationError):
            return {}
