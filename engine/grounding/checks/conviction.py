"""Whether a claim that came out false was understood whole. What was not is not convicted: it cannot be checked.

The grammar takes the nearest reading; this is the second look. Given a text as it was read and what the facts say of it, a false claim
stands only where none of the doubts in `doubts/` holds. Looks only at what came out false, a bounded number of items to each side.
"""

from collections.abc import Sequence
from dataclasses import replace

from engine.domain.text.reason import Reason
from engine.grounding.checks.doubts import DOUBTS, OWNER
from engine.grounding.checks.surroundings import FEW, ReadClaim, ReadItems, read_around
from engine.grounding.checks.verdict import CheckResult


def hold_back(text: ReadItems, since: Sequence[CheckResult] | None = None) -> list[CheckResult]:
    """Return the results of a text, with the false claims that were not understood whole as what cannot be checked.

    since: the verdicts of the market the words were about, where that is an earlier one; what was true of it was understood.
    """
    found = list(text.results)
    doubted: tuple[str, int, Reason] | None = None  # key, place and reason of the last one that was held back
    listed: tuple[int, str | None] | None = None  # its sentence, and the reading it states
    stranger: tuple[int, Reason] | None = None  # the sentence that speaks of somebody else, and why
    for at, (raw, result) in enumerate(zip(text.claims, text.results, strict=True)):
        if result.verdict != "false" or (since is not None and since[at].verdict == "true"):
            continue
        reading = read_around(text, raw, result)
        reason = doubt_about(reading)
        if reason is None and doubted is not None and doubted[0] == result.key and 0 < raw.at - doubted[1] <= FEW:
            reason = doubted[2]  # `Bull stated RSI as 71 (overbought)`
        if reason is None and listed == (reading.sentence[0], raw.state) and raw.at == reading.name:
            reason = doubted[2] if doubted is not None else None  # `the shares need to rise 9%, past the EMA20, the mid-band`
        if reason is None and stranger is not None and stranger[0] == reading.sentence[0] and not reading.is_confirmed_since(stranger[0]):
            reason = stranger[1]
        if reason is not None and reason.key == OWNER:
            stranger = reading.sentence[0], reason
        if reason is not None:
            doubted, listed = (result.key, raw.at, reason), (reading.sentence[0], raw.state)
            found[at] = replace(result, verdict="unverifiable", deviation=None, tolerance=None, reason=reason)
    return found


def doubt_about(reading: ReadClaim) -> Reason | None:
    """Return what was not understood of a claim; None where all of it was."""
    for key, doubt in DOUBTS:
        words = doubt(reading)
        if words is not None:
            return Reason(key, words=words)
    return None
