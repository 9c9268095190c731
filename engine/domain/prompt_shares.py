"""What decisions came to under each version of the prompts, and whether that changed with them."""

from typing import Final, NamedTuple

from pydantic import AwareDatetime

from engine.domain.frozen_model import FrozenModel
from engine.domain.text.language import Language

INVALID: Final = "invalid"
"""In the place of an action: a decision that ended in the safe action for a fault."""


class PromptedRun(NamedTuple):
    """A finished decision, as far as it is counted. desk: the name of its flow. claims: numbers that were checked."""

    run_id: str
    desk: str
    model: str
    language: Language
    prompts_hash: str
    created_at: AwareDatetime
    action: str
    confidence: float | None
    claims: int
    false_claims: int


class PromptGroup(FrozenModel):
    """Decisions of a desk, a model, a language, a version of the prompts and a week. week: `2026-W48`. actions: how often each.
    false_share: of the claims, 0-1; confidence: mean of the sound decisions, 0-100; None without any."""

    desk: str
    model: str
    language: Language
    prompts_hash: str
    week: str
    n: int
    actions: dict[str, int]
    claims: int
    false_claims: int
    false_share: float | None
    confidence: float | None


class ShareChange(FrozenModel):
    """A figure under the earlier and the later version. p_value: how often it changes so much by chance (Fisher's exact test); None where
    there are too few decisions."""

    before: float | None
    now: float | None
    p_value: float | None


class PromptChange(FrozenModel):
    """Two versions of the prompts of a desk and a model in one language, the one used before the other. roles: nodes whose prompt differs.
    actions: the share of each, 0-1. false_claims: share of decisions with one at least. confidence: its mean; tested is the share above the
    median of both. enough: whether there are enough decisions under each."""

    desk: str
    model: str
    language: Language
    before: str
    now: str
    n_before: int
    n_now: int
    roles: tuple[str, ...]
    actions: dict[str, ShareChange]
    false_claims: ShareChange
    confidence: ShareChange
    enough: bool


class PromptReport(FrozenModel):
    """Groups, the newest week first, and changes, the newest first."""

    groups: tuple[PromptGroup, ...]
    changes: tuple[PromptChange, ...]
