"""The audit chain: every answer to a proposal, every order, every switch, one row each, each row sealed with the one before."""

import hashlib
import json
from typing import Any

from pydantic import AwareDatetime, Field, JsonValue

from engine.domain.frozen_model import FrozenModel
from engine.domain.text.reason import Reason

FIRST = "0" * 64


class AuditRow(FrozenModel):
    """One thing someone did. who: a person's name, or the part of the program. subject: what it was done to. digest: of what the subject
    was made into, so that a later change of it is noticed. before: seal of the row before."""

    seq: int = Field(ge=1)
    at: AwareDatetime
    who: str
    kind: str
    subject: str
    why: str = ""
    data: dict[str, JsonValue] = Field(default_factory=dict)
    digest: str = ""
    before: str

    @property
    def reason(self) -> str:
        """Why, as a `Reason` where the row keeps its key and values."""
        found = Reason.read(self.data.get("why"))
        return found if isinstance(found, Reason) else self.why

    @property
    def seal(self) -> str:
        """sha256 over everything in the row and the seal of the row before it."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def digest_of(content: Any) -> str:
    """Return sha256 of JSON content."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
