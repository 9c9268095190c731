"""The texts of a run in which claims were read, out of its event log, each with its claims. Pure.

A debater of the decision flow is read over all its rounds as one text, a speaker of the equities desk turn by turn: the text of a claim is
the one in which its words stand at its place.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pydantic import JsonValue, ValidationError

from engine.agents.recording import recorded
from engine.agents.token_log import ROUND_BREAK
from engine.domain.claims import Claim
from engine.domain.events import Event, NodeFinished


@dataclass(frozen=True)
class ReadText:
    """source: the node that said it. number: of the texts of that node, from 1."""

    source: str
    number: int
    text: str
    claims: tuple[Claim, ...]


def read_texts(events: Sequence[Event]) -> list[ReadText]:
    """Return every text with claims, in the order in which they were read. A claim whose words are not in the log is left out."""
    said: dict[str, list[str]] = {}
    for (node, _), answer in recorded(events).answers.items():
        said.setdefault(node, []).append(answer.text)
    found: dict[tuple[str, str], tuple[Claim, ...]] = {}
    turns: dict[str, int] = {}
    for node, claims in _readings(events):
        turns[node] = turns.get(node, 0) + 1
        for source, group in groupby(claims, lambda claim: claim.source):
            own = tuple(group)
            if (text := _text(own, said.get(source, ()), turns[node])) is not None:
                found[source, text] = own  # what a continued run reads once more replaces what it read before
    numbers: dict[str, int] = {}
    texts = []
    for (source, text), own in found.items():
        numbers[source] = numbers.get(source, 0) + 1
        texts.append(ReadText(source, numbers[source], text, own))
    return texts


def _readings(events: Iterable[Event]) -> Iterator[tuple[str, tuple[Claim, ...]]]:
    """Yield the node and the claims of every end of a node: those of its own words, or those that grounding found in a debate."""
    for event in events:
        if isinstance(event.data, NodeFinished):
            yield event.node or "", event.data.claims or _listed((event.data.result or {}).get("claims"))


def _listed(rows: JsonValue) -> tuple[Claim, ...]:
    """Return claims out of plain JSON, none for anything else."""
    try:
        return tuple(Claim.model_validate(row) for row in rows) if isinstance(rows, list) else ()
    except ValidationError:  # the log of another version
        return ()


def _text(claims: Sequence[Claim], turns: Sequence[str], turn: int) -> str | None:
    """Return the text in which all claims stand where they say, or None. turn: of its speaker, tried first."""
    first = turns[turn - 1 : turn]
    for text in (*first, ROUND_BREAK.join(turns), *turns):
        for words in (text, text.strip()):
            if all(words[claim.start : claim.end] == claim.text for claim in claims):
                return words
    return None
