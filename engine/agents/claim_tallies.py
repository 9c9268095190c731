"""How many of the numbers that each role of a run stated were checked, and how many were false. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence

from engine.domain.claims import Claim
from engine.domain.events import Event, ModelAnswered
from engine.domain.honesty import ClaimTally


def claim_tallies(claims: Iterable[Claim], events: Iterable[Event]) -> Sequence[ClaimTally]:
    """Return the counts by role, model and indicator; a claim that could not be checked is in none. events: of the run, which say who spoke
    in a node, and by which model. Words that no model of this run has said are not counted."""
    spoke = {event.node: event.data for event in events if isinstance(event.data, ModelAnswered) and event.data.lost is None}
    counts, false = Counter[tuple[str, str, str]](), Counter[tuple[str, str, str]]()
    for claim in claims:
        answer = spoke.get(claim.source)
        if answer is None or answer.usage is None or claim.when_said not in {"true", "false"}:
            continue
        key = (answer.role, answer.usage.model, claim.key.rpartition(".")[2])
        counts[key] += 1
        false[key] += claim.when_said == "false"
    return [ClaimTally(*key, claims=n, false=false[key]) for key, n in sorted(counts.items())]
