"""What the roles of a run answered, read out of its events: to play it again without a model, to fork it, and so that a run that is
continued asks nobody twice. Pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from engine.agents.access import Recorded
from engine.agents.token_log import ROUND_BREAK
from engine.domain.events import Event
from engine.domain.opinion import Usage
from engine.domain.roles import Role, side_of
from engine.domain.run import Origin
from engine.llm.protocol import Planted

Answers = Mapping[tuple[Role, str], Recorded]
"""(role, what it had said in earlier rounds) -> its answer."""
Recall = Callable[[Role, str], Recorded | None]


@dataclass
class _Speech:
    """One role while its events are read. texts: by attempt, over all rounds. said, spent: in rounds that are over."""

    texts: dict[int, str] = field(default_factory=dict)
    said: str = ""
    spent: Usage | None = None
    planted: list[Planted] = field(default_factory=list)


def recorded_answers(events: Iterable[Event], *, told: bool = False) -> Answers:
    """Every answer, and every failure to answer, in the log of a run. told: the log is that of the run that recalls them."""
    found: dict[tuple[Role, str], Recorded] = {}
    speeches: dict[str, _Speech] = {}
    for event in events:
        speech = speeches.setdefault(event.node or "", _Speech())
        data = event.data
        match event.kind:
            case "node.started":
                speech.planted = []
            case "node.tokens":
                attempt = _count(data.get("attempt"))
                speech.texts[attempt] = speech.texts.get(attempt, "") + str(data.get("text", ""))
            case "model.planted":
                speech.planted.append(Planted(str(data["role"]), str(data["key"]), data["stated"], data["true"]))  # type: ignore[arg-type]
            case "node.finished" | "node.failed" if event.node and isinstance(data.get("usage"), dict):
                answer = _answer(event, speech)
                found[event.node, answer.said] = replace(answer, told=told)
    return found


def _answer(event: Event, speech: _Speech) -> Recorded:
    usage, attempt = Usage.model_validate(event.data["usage"]), _count(event.data.get("attempt"))
    if event.kind == "node.failed":
        return Recorded(speech.said, "", usage, attempt, lost=str(event.data.get("reason") or "no answer"))
    before, whole = speech.said, speech.texts.get(attempt, "")
    usage, speech.spent, speech.said = _of_this_round(usage, speech.spent), usage, whole
    text = whole[len(before) + len(ROUND_BREAK) :] if before else whole
    return Recorded(before, text, usage, attempt, planted=tuple(speech.planted))


def _of_this_round(usage: Usage, before: Usage | None) -> Usage:
    """What a role's event tells is the cost of all its rounds so far."""
    if before is None:
        return usage
    counts = ("requests", "failed", "repairs", "prompt_tokens", "completion_tokens", "duration_ms", "queued_ms")
    own: dict[str, float | None] = {name: getattr(usage, name) - getattr(before, name) for name in counts}
    own["cost"] = None if usage.cost is None or before.cost is None else round(usage.cost - before.cost, 9)
    return usage.model_copy(update=own)


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 1


def interrupted_attempts(events: Iterable[Event]) -> dict[str, int]:
    """Node -> the last attempt that wrote something, of nodes that began and did not end."""
    running: dict[str, int] = {}
    for event in events:
        if event.node is None:
            continue
        if event.kind == "node.started":
            running.setdefault(event.node, 0)
        elif event.kind in {"node.tokens", "node.retried"} and event.node in running:
            running[event.node] = max(running[event.node], _count(event.data.get("attempt")))
        elif event.kind in {"node.finished", "node.failed"}:
            running.pop(event.node, None)
    return running


def recall_of(origin: Origin, answers: Answers, again: frozenset[str]) -> Recall:
    """What a run made from another recalls. again: the sides that are asked anew."""

    def recall(role: Role, said: str) -> Recorded | None:
        side = side_of(role)
        if side in origin.texts:
            return Recorded(said, origin.texts[side], Usage(model="a person", cost=0.0))
        if side in again:
            return None
        missing = f"run {origin.run_id} holds no answer of {role} here"
        return answers.get((role, said)) or (
            Recorded(said, "", Usage(model="recorded", cost=0.0), lost=missing) if origin.from_node is None else None
        )

    return recall
