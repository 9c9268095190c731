"""Everything a run is about, read once before any model is asked, and named by the hash of its content."""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from typing import Annotated, Any, ClassVar, Protocol, Self

from pydantic import PlainSerializer

from engine.domain.frozen_model import FrozenModel
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

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the inverse of `to_json`. Raises KeyError, TypeError or ValueError for anything else."""
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


class ModelInputs(FrozenModel, HashedInputs):
    """Base of `Inputs` that are the fields of a model."""

    def to_json(self) -> Mapping[str, Any]:
        """Return the fields."""
        return self.model_dump(mode="json")

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the inverse of `to_json`. Raises ValueError for anything else."""
        return cls.model_validate(data)


class AskedInputs(ModelInputs):
    """Implements `Inputs`: those of a run that is about nothing but what it was asked."""

    kind: ClassVar[str] = "question"
    subject: str


Instant = Annotated[datetime, PlainSerializer(datetime.isoformat, when_used="json")]
"""An instant of inputs: their hashes are made of its ISO form."""


def content_hash(content: Mapping[str, Any]) -> str:
    """Return sha256 of plain JSON, hexadecimal: equal content has an equal hash on every machine, in whichever
    words its reasons are kept. Raises ValueError for NaN."""
    text = json.dumps(printed(content), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
