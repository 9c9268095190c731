"""What the roles of a run answered, and what its nodes read, out of its events: to play it again without a model, to fork it, and so that a
run that is continued asks no model twice; and what was false in their words. Pure.

An answer is known by its node and its turn, a reading by its node, its kind and its number.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from engine.agents.access import Observed, Recorded
from engine.agents.token_log import ROUND_BREAK
from engine.domain.claims import Claim
from engine.domain.events import (
    Event,
    EventKind,
    ModelAnswered,
    ModelPlanted,
    NodeFailed,
    NodeFinished,
    NodeRetried,
    NodeStarted,
    NodeTokens,
    Observation,
)
from engine.domain.honesty import ClaimTally
from engine.domain.opinion import Usage
from engine.llm.protocol import Planted, ToolCall

Answers = Mapping[tuple[str, int], Recorded]
"""(node, turn) -> its answer."""
Observations = Mapping[tuple[str, str, int], Observed]
"""(node, kind, number) -> what was read."""
_UNKNOWN: Final = Usage(model="")


@dataclass(frozen=True)
class Recording:
    """Everything that a run got to know from outside its inputs. Implements `Recall`."""

    answers: Answers = field(default_factory=dict)
    observations: Observations = field(default_factory=dict)

    def answer(self, node: str, turn: int) -> Recorded | None:
        """Return the answer of a node's turn, None when the log holds none."""
        return self.answers.get((node, turn))

    def observation(self, node: str, kind: EventKind, n: int) -> Observed | None:
        """Return what the `n`th reading of that kind gave in a node, None when the log holds none."""
        return self.observations.get((node, kind, n))


@dataclass
class _Speech:
    """One node while its events are read. texts: by attempt, over all turns. said: in turns that are over."""

    texts: dict[int, str] = field(default_factory=dict)
    said: str = ""
    planted: list[Planted] = field(default_factory=list)


def recorded(events: Iterable[Event], *, already_logged: bool = False) -> Recording:
    """Return every answer, every failure to answer, and every reading in the log of a run. already_logged: the log is that of the run that
    recalls them."""
    answers: dict[tuple[str, int], Recorded] = {}
    observations: dict[tuple[str, str, int], Observed] = {}
    speeches: dict[str, _Speech] = {}
    for event in events:
        if event.node is None:
            continue
        speech = speeches.setdefault(event.node, _Speech())
        match event.data:
            case Observation() as seen:
                observations[event.node, event.kind, seen.n] = Observed(seen, already_logged)
            case NodeStarted() | NodeRetried():  # what was being said is said anew
                speech.planted = []
            case NodeTokens() as tokens:
                attempt = tokens.attempt or 1
                speech.texts[attempt] = speech.texts.get(attempt, "") + tokens.text
            case ModelPlanted() as lie:
                speech.planted.append(Planted(lie.role, lie.key, lie.stated, lie.true))
            case ModelAnswered() as answer:
                answers[event.node, answer.turn] = replace(_answer(answer, speech), already_logged=already_logged)
    return Recording(answers, observations)


def _answer(answer: ModelAnswered, speech: _Speech) -> Recorded:
    usage, attempt = answer.usage or _UNKNOWN, answer.attempt or 1
    if answer.lost is not None:
        return Recorded("", usage, attempt, lost=answer.lost, cause=answer.cause)
    planted, speech.planted = tuple(speech.planted), []
    asked = tuple(ToolCall(call.id, call.name, call.arguments, call.extra) for call in answer.tool_calls)
    return Recorded(_text(attempt, speech), usage, attempt, planted=planted, tool_calls=asked, carried=answer.carried)


def _text(attempt: int, speech: _Speech) -> str:
    """Return the words of the turn that has just ended."""
    before, whole = speech.said, speech.texts.get(attempt, "")
    speech.said = whole or before
    return whole[len(before) + len(ROUND_BREAK) :] if before else whole


def planted_values(events: Iterable[Event]) -> list[ModelPlanted]:
    """Return what was planted in the attempts that counted: what an attempt planted that was cut off is planted by the next one
    again."""
    counted: list[ModelPlanted] = []
    running: dict[str | None, list[ModelPlanted]] = {}
    for event in events:
        match event.data:
            case ModelPlanted() as lie:
                running.setdefault(event.node, []).append(lie)
            case NodeStarted() | NodeRetried():
                running.pop(event.node, None)
            case ModelAnswered() | NodeFinished() | NodeFailed():
                counted += running.pop(event.node, [])
    return counted


def interrupted_attempts(events: Iterable[Event]) -> dict[str, int]:
    """Return node -> the last attempt that wrote something, of nodes that began and did not end."""
    running: dict[str, int] = {}
    for event in events:
        if event.node is None:
            continue
        match event.data:
            case NodeStarted():
                running.setdefault(event.node, 0)
            case NodeTokens(attempt=attempt) | NodeRetried(attempt=attempt) if event.node in running:
                running[event.node] = max(running[event.node], attempt or 1)
            case NodeFinished() | NodeFailed():
                running.pop(event.node, None)
    return running


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
