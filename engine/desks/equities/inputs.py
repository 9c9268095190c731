"""Everything a run of the desk is about: what was known of the company, and how the account stood. Frozen before a model is asked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from engine.domain.change_of_mind import PreviousDecision
from engine.domain.equity.cash_account import CashAccount
from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.inputs import HashedInputs
from engine.domain.research.evidence import EvidenceItem
from engine.domain.similar import SimilarDecision


@dataclass(frozen=True, eq=False)
class EquitiesInputs(HashedInputs):
    """Implements `Inputs`. previous: the decision before about this company, where a limit asks for it. similar: earlier buys in markets
    like this one that were over by the snapshot's moment."""

    snapshot: EquitySnapshot
    account: CashAccount
    evidence: tuple[EvidenceItem, ...] = ()
    previous: PreviousDecision | None = None
    similar: tuple[SimilarDecision, ...] = ()

    kind = "fusion"

    @cached_property
    def unlearnt_hash(self) -> str:
        """The same without the earlier decisions: what the script draws from, and what reports that are used again are known by, so that
        neither depends on what was decided before."""
        return self.hash if not self.similar else replace(self, similar=()).hash

    def to_json(self) -> Mapping[str, Any]:
        """Return plain JSON; `from_json` gives equal inputs back."""
        own: dict[str, Any] = {"snapshot": self.snapshot.to_json(), "account": self.account.model_dump(mode="json")}
        own |= {"previous": self.previous.model_dump(mode="json")} if self.previous is not None else {}
        own |= {"similar": [each.model_dump(mode="json") for each in self.similar]} if self.similar else {}
        return own | ({"evidence": [each.model_dump(mode="json") for each in self.evidence]} if self.evidence else {})

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "EquitiesInputs":
        """Return the inverse of `to_json`. Raises KeyError or ValueError for anything else."""
        evidence = tuple(EvidenceItem.model_validate(each) for each in data.get("evidence", ()))
        previous = PreviousDecision.model_validate(data["previous"]) if data.get("previous") else None
        similar = tuple(SimilarDecision.model_validate(each) for each in data.get("similar", ()))
        return cls(EquitySnapshot.from_json(data["snapshot"]), CashAccount.model_validate(data["account"]), evidence, previous, similar)
