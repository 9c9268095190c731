"""Whether a claim that came out false was understood whole. What was not is not convicted: it cannot be checked.

The grammar takes the nearest reading; this is the second look. A false claim stands only where none of the doubts holds: whose figure it
is, of what time, said or supposed, in which unit, and whether another statement of the text or fact of the sheet explains the number
better. Every doubt is a function of the claim in its surroundings and gives the words that were not understood, None where there is no
doubt. Looks only at what came out false, a bounded number of items to each side.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from engine.domain.text.reason import Reason
from engine.grounding.checks.doubts import explained, owner, subject, unit, when
from engine.grounding.checks.surroundings import FEW, ReadClaim, ReadItems, read_around
from engine.grounding.checks.verdict import CheckResult

OWNER: Final = "claim_is_of_somebody_else_perhaps"
TIME: Final = "claim_is_of_another_time_perhaps"
CONDITION: Final = "claim_is_condition_or_plan_perhaps"
UNIT: Final = "claim_is_in_another_unit_perhaps"
SUBJECT: Final = "claim_is_of_something_else_perhaps"
ANSWERED: Final = "claim_is_quoted"
WORDS: Final = "claim_holds_words_not_understood"
TWICE: Final = "text_gives_right_value_elsewhere"
TOO_FAR: Final = "too_far_from_fact_to_be_statement"
"""Keys of reasons; all but the last two are said with the words that were not understood."""

Doubt = Callable[[ReadClaim], str | None]

DOUBTS: Final[tuple[tuple[str, Doubt], ...]] = (
    (OWNER, owner.is_of_others),
    (OWNER, owner.is_of_somebody),
    (OWNER, owner.is_of_a_stranger),
    (OWNER, owner.is_of_nobody),
    (OWNER, owner.is_of_other_earnings),
    (OWNER, owner.is_of_the_market),
    (OWNER, owner.is_of_something_else),
    (CONDITION, owner.is_of_a_part),
    (CONDITION, owner.is_of_a_target),
    (UNIT, unit.is_share_of_profit),
    (UNIT, unit.is_of_another_unit),
    (UNIT, unit.is_a_count),
    (UNIT, unit.is_in_money),
    (UNIT, unit.is_a_price),
    (UNIT, unit.is_difference),
    (UNIT, unit.is_share_or_rate),
    (UNIT, unit.is_of_a_distance),
    (TOO_FAR, explained.is_too_far),
    (TWICE, explained.is_said_rightly),
    (ANSWERED, explained.is_answered),
    (ANSWERED, explained.is_quoted),
    (TIME, when.is_of_another_time),
    (TIME, when.is_dated),
    (TIME, when.is_of_another_frame),
    (CONDITION, when.is_bound_of_price),
    (CONDITION, when.is_asked_for),
    (CONDITION, when.is_supposed),
    (CONDITION, when.is_definition),
    (CONDITION, when.is_unreached),
    (CONDITION, when.is_needed),
    (SUBJECT, subject.is_of_another_fact),
    (SUBJECT, subject.is_qualified),
    (SUBJECT, subject.is_carried),
    (SUBJECT, explained.is_only_its_size),
    (SUBJECT, subject.is_of_the_next),
    (SUBJECT, subject.is_state_of_another),
    (SUBJECT, subject.is_order_of_some),
    (SUBJECT, subject.is_turned),
    (SUBJECT, subject.is_said_of_a_level),
    (SUBJECT, subject.is_of_a_place),
    (SUBJECT, subject.is_said_of_the_clause_before),
    (SUBJECT, subject.is_relation_of_lines),
    (SUBJECT, subject.is_relation_of_another),
    (WORDS, subject.is_parted),
)


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
