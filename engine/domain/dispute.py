"""A dispute: a person's word that a claim was struck wrongly. It changes nothing that was decided."""

from pydantic import AwareDatetime

from engine.domain.claims import Claim
from engine.domain.frozen_model import FrozenModel


class Dispute(FrozenModel):
    """claim: as it was judged. who: disputes it. why: in their words, "" where they gave no reason."""

    run_id: str
    claim: Claim
    who: str
    at: AwareDatetime
    why: str = ""
