"""What may not have been understood of a claim that came out false: whose figure it is, of what time, said or supposed, in which unit, and
whether another statement of the text or fact of the sheet explains the number better.

Every doubt is a function of the claim in its surroundings and gives the words that were not understood, None where there is no doubt.
"""

from collections.abc import Callable
from typing import Final

from engine.grounding.checks.doubts import explained, owner, subject, unit, when
from engine.grounding.checks.surroundings import ReadClaim

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
