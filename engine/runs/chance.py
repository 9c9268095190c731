"""What a run draws from where it leaves something to chance: the side that speaks first, the lies of a scripted model."""

import json

from engine.domain.account_ref import AccountRef
from engine.domain.inputs import Inputs, content_hash


def chance_of(inputs: Inputs, account: AccountRef | None) -> str:
    """Return the hash of a run's inputs; the same in every account for practice, so that every visitor is shown the same demo. account: of
    the run's request."""
    if account is None or not account.practice:
        return inputs.hash
    first = account.model_copy(update={"practice": 0})
    written = json.dumps(inputs.to_json()).replace(json.dumps(account.account), json.dumps(first.account))
    return content_hash(json.loads(written))
