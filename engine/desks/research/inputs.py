"""What a run of research is about before anything is searched: the question, its clock, and what was measured of its market."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.domain.inputs import HashedInputs
from engine.domain.research.document import Document
from engine.domain.text.reason import Reason, stored


@dataclass(frozen=True, eq=False)
class ResearchInputs(HashedInputs):
    """Implements `Inputs`. at: the clock, aware UTC. is_present: it is the instant at which the run began. facts: what was measured of the
    market, as a document; None without a market. missing: source -> why there is nothing of it."""

    question: str
    at: datetime
    is_present: bool
    facts: Document | None = None
    missing: Mapping[str, str] | None = None

    kind = "research"

    def to_json(self) -> Mapping[str, Any]:
        """Return plain JSON; `from_json` gives equal inputs back."""
        return {
            "question": self.question,
            "at": self.at.isoformat(),
            "is_present": self.is_present,
            "facts": self.facts.model_dump(mode="json") if self.facts is not None else None,
            "missing": stored(self.missing or {}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "ResearchInputs":
        """Return the inverse of `to_json`. Raises KeyError or ValueError for anything else."""
        facts = Document.model_validate(data["facts"]) if data["facts"] is not None else None
        return cls(
            data["question"],
            datetime.fromisoformat(data["at"]),
            bool(data["is_present"]),
            facts,
            {name: Reason.read(why) for name, why in data["missing"].items()},
        )
