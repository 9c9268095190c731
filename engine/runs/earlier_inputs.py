"""Which inputs a run's words are about, where those are other than the ones it goes by.

A run that is made from another on fresh inputs takes over words that were said about the old ones, and so does everything that is made
from it: a further refresh, a fork, a replay. Such words are judged by the inputs they were about; a claim that is false of the new ones
has only moved, and no role lied. A run that another was made from is never pruned, so its inputs are always there.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from engine.agents.recording import recorded
from engine.domain.events import Event
from engine.domain.inputs import Inputs
from engine.domain.run import Origin, RunRecord
from engine.flows.protocol import Earlier, Flow
from engine.runs.recall import fork_at


class RunHistory(Protocol):
    """What is known of earlier runs; `Journal` implements it."""

    def run(self, run_id: str) -> RunRecord | None:
        """Return one run, or None if it is unknown."""
        ...

    def events(self, run_id: str, after: int = 0) -> list[Event]:
        """Return the events of a run with `seq` > after, in order."""
        ...

    def inputs(self, run_id: str) -> Mapping[str, Any] | None:
        """Return the inputs of a run as JSON, None when it has none."""
        ...


def earlier_by_node(history: RunHistory, flow: Flow, origin: Origin | None, inputs: Inputs) -> dict[str, Earlier]:
    """Return node -> the earlier inputs that its words are about, of a run with this origin; nodes whose words are about the run's own
    inputs are left out. inputs: the run's own. Blocks."""
    found = {}
    for node, run_id in _origins(history, flow, origin).items():
        earlier = history.inputs(run_id)
        if earlier is not None and (read := flow.read_inputs(earlier)).hash != inputs.hash:
            found[node] = Earlier(run_id, read)
    return found


def _origins(history: RunHistory, flow: Flow, origin: Origin | None) -> dict[str, str]:
    """Return node -> the id of the run on whose inputs it spoke, of all words that are taken over."""
    if origin is None:
        return {}
    record = history.run(origin.run_id)
    earlier = _origins_in_result(history, flow, record) if record is not None else {}
    fork = fork_at(flow, origin)
    nodes = {node for node, _ in recorded(history.events(origin.run_id)).answers if node not in fork.again and node not in fork.texts}
    return {node: earlier.get(node, origin.run_id) for node in nodes}


def _origins_in_result(history: RunHistory, flow: Flow, record: RunRecord) -> Mapping[str, str]:
    """Return the same of a run that has ended, from its result; worked out again where the result does not say it."""
    result = record.result or {}
    if "said_on" not in result:
        return _origins(history, flow, record.request.origin)
    return {node: entry["run_id"] for node, entry in (result["said_on"] or {}).items()}


def earlier_inputs(history: RunHistory, flow: Flow, record: RunRecord) -> dict[str, Inputs]:
    """Return hash -> inputs, of everything that the words of a finished run are about beside its own inputs. Blocks."""
    entries = ((record.result or {}).get("said_on") or {}).values()
    read = {flow.inputs_hash(entry): history.inputs(entry["run_id"]) for entry in entries}
    return {name: flow.read_inputs(data) for name, data in read.items() if data is not None}
