"""What a later speaker made of the corrections: whether it used the true value, repeated the false one, or stated neither.

Given the false claims of the debate and the claims of the executor's own answer; gives one record for every fact that was corrected. Pure.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

from engine.domain.claims import Claim, Claimed
from engine.domain.facts import FactValue
from engine.domain.frozen_model import FrozenModel
from engine.domain.roles import Role

Use = Literal["corrected", "false", "other", "unused"]
"""corrected: stated it truly. false: stated the corrected value all the same. other: stated it falsely in another way. unused: said nothing
that could be checked about it."""

_ALIKE = 0.02


class CorrectionUse(FrozenModel):
    """What became of one corrected fact. key: the fact. said: what the debate claimed falsely, `by` whom (the first). actual: the true
    value. use: what the later speaker did."""

    key: str
    said: Claimed
    by: Role
    actual: FactValue
    use: Use


def uses_of(debate: Iterable[Claim], later: Sequence[Claim]) -> tuple[CorrectionUse, ...]:
    """Return one record for each fact the debate got wrong, in the order of the debate."""
    wrong: dict[str, list[Claim]] = {}
    for claim in debate:
        if claim.verdict == "false":
            wrong.setdefault(claim.key, []).append(claim)
    return tuple(
        CorrectionUse(key=key, said=said[0].claimed, by=said[0].source, actual=said[0].actual, use=_use(said, later))
        for key, said in wrong.items()
    )


def _use(wrong: Sequence[Claim], later: Sequence[Claim]) -> Use:
    own = [claim for claim in later if claim.key == wrong[0].key and claim.verdict != "unverifiable"]
    false = [claim for claim in own if claim.verdict == "false"]
    if any(_alike(claim.claimed, said.claimed) for claim in false for said in wrong):
        return "false"
    if false:
        return "other"
    return "corrected" if own else "unused"


def _alike(first: Claimed, second: Claimed) -> bool:
    if isinstance(first, float) and isinstance(second, float):
        return abs(first - second) <= _ALIKE * max(abs(first), abs(second))
    return first == second
