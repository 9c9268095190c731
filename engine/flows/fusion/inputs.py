"""Everything a run of the desk is about: what was known of the company, and how the account stood. Frozen before a model is asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.domain.equity.cash_account import CashAccount
from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.inputs import content_hash
from engine.domain.research.evidence import EvidenceItem


@dataclass(frozen=True, eq=False)
class FusionInputs:
    """Implements `Inputs`."""

    snapshot: EquitySnapshot
    account: CashAccount
    evidence: tuple[EvidenceItem, ...] = ()

    @property
    def kind(self) -> str:
        """`fusion`: a company and an account."""
        return "fusion"

    @cached_property
    def hash(self) -> str:
        """sha256 of the content, hexadecimal."""
        return content_hash(self.to_json())

    def to_json(self) -> Mapping[str, Any]:
        """Return plain JSON; `from_json` gives equal inputs back."""
        own = {"snapshot": self.snapshot.to_json(), "account": self.account.model_dump(mode="json")}
        return own | ({"evidence": [each.model_dump(mode="json") for each in self.evidence]} if self.evidence else {})

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "FusionInputs":
        """Return the inverse of `to_json`. Raises KeyError or ValueError for anything else."""
        evidence = tuple(EvidenceItem.model_validate(each) for each in data.get("evidence", ()))
        return cls(EquitySnapshot.from_json(data["snapshot"]), CashAccount.model_validate(data["account"]), evidence)
