"""Everything a run is about, read once before any model is asked, and named by the hash of its content."""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from engine.domain.text.reason import printed


class Inputs(Protocol):
    """The inputs of one run. kind: what they are, a word (`market` for a `Snapshot`). hash: sha256 of the content, hexadecimal; equal
    content has an equal hash on every machine."""

    @property
    def kind(self) -> str:
        """What they are."""
        ...

    @property
    def hash(self) -> str:
        """The name of the content."""
        ...

    def to_json(self) -> Mapping[str, Any]:
        """Return the content as plain JSON, without NaN."""
        ...


class HashedInputs(ABC):
    """Base of `Inputs` that are named by the hash of `to_json`."""

    @abstractmethod
    def to_json(self) -> Mapping[str, Any]:
        """Return the content as plain JSON, without NaN."""

    @cached_property
    def hash(self) -> str:
        """sha256 of the content, hexadecimal."""
        return content_hash(self.to_json())


@dataclass(frozen=True)
class AskedInputs(HashedInputs):
    """Implements `Inputs`: those of a run that is about nothing but what it was asked."""

    subject: str
    kind = "question"

    def to_json(self) -> Mapping[str, Any]:
        """Return what was asked."""
        return {"subject": self.subject}


def content_hash(content: Mapping[str, Any]) -> str:
    """Return sha256 of plain JSON, hexadecimal: equal content has an equal hash on every machine, in whichever
    words its reasons are kept. Raises ValueError for NaN."""
    text = json.dumps(printed(content), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
