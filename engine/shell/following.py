"""Tells runs as they go, on stderr and in an events file, until they have ended."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from engine.shell.terminal import in_words, say, warn
from engine.shell.words import term

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.events import Event
    from engine.shell.events_file import EventsFile

POLL_S = 0.1


def follow(engine: "Engine", run_ids: Sequence[str], sink: "EventsFile | None") -> Iterator[str]:
    """Yield each run's id when it has ended. A run's id is printed first, once it has really begun; the nodes of several runs are not
    printed."""
    seen, said = dict.fromkeys(run_ids, 0), set[str]()
    while seen:
        wait_s = POLL_S
        for run_id in list(seen):
            ended = _has_ended(engine, run_id, wait_s)  # asked before the events are read, so that none comes after the last reading
            wait_s = 0.0  # once a round
            for event in engine.events(run_id, seen[run_id]):
                seen[run_id] = event.seq
                if sink is not None:
                    sink.write(event)
                _print(event, run_id, said, brief=len(run_ids) > 1)
            if ended:
                del seen[run_id]
                yield run_id


def _has_ended(engine: "Engine", run_id: str, wait_s: float) -> bool:
    from engine.domain.errors import TribunalError

    try:
        engine.wait(run_id, wait_s)
    except TimeoutError:
        return False
    except TribunalError:
        return True
    return True


def _print(event: "Event", run_id: str, said: set[str], *, brief: bool) -> None:
    """Print what happened. said: reasons that have been printed already, and are not printed again."""
    reason = in_words(getattr(event.data, "reason", None))
    why = say("same_reason") if event.kind == "node.failed" and reason in said else reason
    said.add(reason)
    node = term(event.node or "")
    line = {
        "run.started": say("run", id=run_id),
        "run.resumed": say("run", id=run_id),
        "node.retried": say("asked_again", node=node, reason=reason),
        "node.finished": say("node_done", node=node),
        "node.failed": say("node_failed", node=node, reason=why),
    }.get(event.kind)
    if line and not (brief and event.node is not None):
        warn(line)
