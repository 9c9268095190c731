"""A second reader for strikes: before code convicts a speaker, a model is asked whether the speaker said that at all.

    claims ─(false by the rules)─> strikes ─(one question for all of them)─> yes | no | unclear ─> settled claims

The rules of `grounding` read a value out of a sentence, and code judges it; the reader is only asked about the sentence: "does the speaker
state here that RSI of BTC/USDT is 28.4 now?". On "no" and "unclear" the claim can no longer be checked. Without a usable answer (late,
refused, unreadable, no money left) the verdict of the rules is kept and marked `unconfirmed`: a failing reader clears no claim.

What was said before a judge is asked about beside that judge's speech, so that nothing waits for it; what the judge said, right after.
"""

import asyncio
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from pydantic import Field

from engine.agents.access import Emit, ModelAccess
from engine.agents.ask import NoAnswer, Question, ask
from engine.agents.claim_question import NO_WORD, ClaimQuestion, Strike, StrikeSubject, strike_id
from engine.agents.reader_nodes import ROLE, STAGE, reader_of
from engine.agents.watch import watch
from engine.domain.claims import Claim, Confirmed
from engine.domain.events import GroundingCorrected, NodeFinished
from engine.domain.frozen_model import FrozenModel
from engine.domain.opinion import Usage
from engine.domain.text.reason import Reason, Said
from engine.prompts.instruction_text import reads_like_an_instruction

MOST_STRIKES: Final = 30
"""One question is about so many at most; the verdicts of the others are those of the rules."""
DEADLINE_SHARE: Final = 1 / 3
"""Of the deadline of a call: how long the reader may take, attempts included."""
TOO_MANY: Final = Reason("there_were_too_many_for_one_question")
INSTRUCTION: Final = Reason("passage_reads_like_instruction")
_DOUBT: Final[Mapping[str, str]] = {
    "no": Reason("second_reader_says"),
    "unclear": Reason("second_reader_cannot_tell_whether"),
}
Speech = TypeVar("Speech")


class Confirmation(FrozenModel):
    """What the reader said. words: id of a strike -> its word. reasons: of those that are `unconfirmed`, why. lost: why it gave no answer
    at all, None where it did or was not asked. usage: what it cost, None where it was not asked."""

    words: dict[str, Confirmed] = Field(default_factory=dict)
    reasons: dict[str, Said] = Field(default_factory=dict)
    lost: Said | None = None
    usage: Usage | None = None

    def __add__(self, other: "Confirmation") -> "Confirmation":
        """Return both; where both say something, what `other` says counts."""
        spent = [usage for usage in (self.usage, other.usage) if usage is not None]
        return Confirmation(
            words=self.words | other.words,
            reasons=self.reasons | other.reasons,
            lost=other.lost or self.lost,
            usage=sum(spent[1:], spent[0]) if spent else None,
        )


async def beside(speech: Awaitable[Speech], reading: Awaitable[Confirmation]) -> tuple[Speech, Confirmation]:
    """Return a speech and what is read meanwhile. Raises what the speech raises, once both have ended."""
    spoken, found = await asyncio.gather(speech, reading, return_exceptions=True)
    for each in (spoken, found):
        if isinstance(each, BaseException):
            raise each
    assert not isinstance(spoken, BaseException)
    assert not isinstance(found, BaseException)
    return spoken, found


async def confirm(access: ModelAccess, node: str, subject: StrikeSubject, strikes: Sequence[Strike]) -> Confirmation:
    """Return the reader's answer for every strike; without strikes, no call is made.

    node: where it is asked, and under which its answer is recorded. It is asked once, within `DEADLINE_SHARE` of a call's deadline. Never
    raises NoAnswer.
    """
    quiet = {each.id: INSTRUCTION for each in strikes if reads_like_an_instruction(each.passage)}
    shown = [each for each in strikes if each.id not in quiet]
    quiet |= {each.id: TOO_MANY for each in shown[MOST_STRIKES:]}
    asked = ClaimQuestion(tuple(shown[:MOST_STRIKES]), subject, access.language)
    if not asked.strikes:
        return _unconfirmed(quiet)
    hurried = replace(access, policy=replace(access.policy, deadline_s=access.policy.deadline_s * DEADLINE_SHARE))
    with watch(access.emit, node, STAGE) as watched:
        try:
            spoken = await ask(hurried, Question(ROLE, asked.system(), asked.user(), node=node), asked.read)
        except NoAnswer as lost:
            silent = dict.fromkeys(asked.ids, str(lost))
            found = _unconfirmed(quiet | silent).model_copy(update={"lost": str(lost), "usage": lost.usage})
            watched.data = NodeFinished(usage=lost.usage)
            watched.failed(str(lost), "abstains")
        else:
            found = _unconfirmed(quiet | spoken.read.reasons) + Confirmation(words=spoken.read.words, usage=spoken.usage)
            words = list(found.words.values())
            counts = {word: words.count(word) for word in ("yes", "no", "unclear", "unconfirmed")}
            watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage, result={"strikes": len(words), **counts})
        watched.data = watched.data.plus(claims=settled((each.claim for each in strikes), found))
    return found


async def confirm_judge(
    access: ModelAccess, judge: str, subject: StrikeSubject, own: Sequence[Strike], earlier: Sequence[Strike], said: Confirmation
) -> Confirmation:
    """Return what is known of all strikes of a debate once a judge has spoken. own: of the judge's words, asked about now, together with
    what the reader left open of `earlier`. said: what it said of those. One that gave no answer then is not waited for a second time."""
    if not own:
        return said
    if said.lost is not None:
        return said + _unconfirmed({each.id: said.lost for each in own})
    left = [each for each in earlier if said.reasons.get(each.id) in (TOO_MANY, NO_WORD)]
    return said + await confirm(access, reader_of(judge), subject, [*own, *left])


def settled(claims: Iterable[Claim], confirmation: Confirmation) -> tuple[Claim, ...]:
    """Return the claims as they count after the reader: what it does not confirm cannot be checked. Pure."""
    return tuple(_settled(claim, confirmation) if claim.is_struck else claim for claim in claims)


def _settled(claim: Claim, confirmation: Confirmation) -> Claim:
    found = strike_id(claim)
    word = confirmation.words.get(found)
    if word is None:
        return claim
    if word in _DOUBT:
        said = "unverifiable" if claim.said_verdict is not None else None
        return claim.model_copy(update={"confirmed": word, "verdict": "unverifiable", "said_verdict": said, "reason": _DOUBT[word]})
    why = Reason("not_confirmed_by_second_reader", reasons=confirmation.reasons[found]) if word == "unconfirmed" else None
    return claim.model_copy(update={"confirmed": word, "reason": why})


def emit_corrections(emit: Emit, node: str, claims: Iterable[Claim]) -> None:
    """Emit every false claim. node: where it was found."""
    fields = {"source", "key", "text", "kind", "claimed", "actual", "unit", "deviation", "start", "end", "confirmed"}
    for claim in claims:
        if claim.verdict == "false":
            emit(node, GroundingCorrected(**claim.model_dump(include=fields)))


def as_read(claim: Claim, other: Claim) -> Claim:
    """Return a claim as it counts by what the reader said of `other`, which says the same."""
    return claim.model_copy(update={name: getattr(other, name) for name in ("verdict", "said_verdict", "reason", "confirmed")})


def _unconfirmed(reasons: Mapping[str, str]) -> Confirmation:
    return Confirmation(words=dict.fromkeys(reasons, "unconfirmed"), reasons=dict(reasons))
