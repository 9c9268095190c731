"""A dated statement that a run was given as evidence: out of a dossier, known at the run's clock, frozen with its inputs."""

from typing import Annotated

from pydantic import Field

from engine.domain.frozen_model import FrozenModel


class EvidenceItem(FrozenModel):
    """text: the statement, without its own citations. n: by which roles cite it, from 1. dated: the day by which all it rests on was
    published, None where it is not known. confidence: 0-1, None where it has none. sources: titles of what it rests on. run_id: of the
    dossier."""

    n: int = Field(ge=1)
    text: str = Field(max_length=2000)
    dated: str | None = None
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    sources: tuple[str, ...] = ()
    run_id: str
