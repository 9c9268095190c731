"""What an answer comes to: its words, its verdict, how sure it says it is, and who gave it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Verdict = Literal["yes", "no", "partly", "unknown", "open"]
"""`unknown`: it cannot be said; `open`: the question asks for no yes or no, and is answered."""
AnsweredBy = Literal["model", "script", "rule"]


@dataclass(frozen=True)
class Synthesis:
    """text: the answer itself, first. sure: 0 to 1. reason: why no model's answer is used. headline: the answer
    in a few words; deciding: number of a result and name of its figure; against: a sentence that speaks against it, with its citation. The
    three are as they were stated, "" where they were not; the outcome holds them to the results."""

    text: str
    verdict: Verdict
    sure: float
    by: AnsweredBy
    reason: str = ""
    headline: str = ""
    deciding: str = ""
    against: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return its fields; `from_json` gives an equal value back."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Synthesis":
        """Return the inverse of `to_json`."""
        return cls(**data)
