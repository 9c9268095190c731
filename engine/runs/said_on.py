"""Which inputs a run's words are about, where those are other than the ones it goes by.

A run that is made from another on fresh inputs takes over words that were said about the old ones, and so does everything that is made
from it: a further refresh, a fork, a replay. Such words are judged by what they were about; what has changed since has moved, and nobody
lied. A run that another was made from is never pruned, so its inputs are always there.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from engine.agents.recording import recorded
from engine.domain.events import Event
from engine.domain.inputs import Inputs
from engine.domain.run import Origin, RunRecord
from engine.flows.protocol import Earlier, Flow
from engine.runs.recall import fork_at


class Past(Protocol):
    """What is known of earlier runs; `Journal` is one."""

    def run(self, run_id: str) -> RunRecord | None:
        """Return one run."""
        ...

    def events(self, run_id: str, after: int = 0) -> list[Event]:
        """Return the events of a run."""
        ...

    def inputs(self, run_id: str) -> Mapping[str, Any] | None:
        """Return the inputs of a run as JSON."""
        ...


def said_on(past: Past, flow: Flow, origin: Origin | None, inputs: Inputs) -> dict[str, Earlier]:
    """Return node -> what its words are about, of a run with this origin. inputs: what the run itself goes by. Blocks."""
    found = {}
    for node, run_id in _sources(past, flow, origin).items():
        earlier = past.inputs(run_id)
        if earlier is not None and (read := flow.read_inputs(earlier)).hash != inputs.hash:
            found[node] = Earlier(run_id, read)
    return found


def _sources(past: Past, flow: Flow, origin: Origin | None) -> dict[str, str]:
    """Node -> the run on whose inputs it spoke, of all words that are taken over."""
    if origin is None:
        return {}
    record = past.run(origin.run_id)
    told = _told(past, flow, record) if record is not None else {}
    fork = fork_at(flow, origin)
    nodes = {node for node, _ in recorded(past.events(origin.run_id)).answers if node not in fork.again and node not in fork.texts}
    return {node: told.get(node, origin.run_id) for node in nodes}


def _told(past: Past, flow: Flow, record: RunRecord) -> Mapping[str, str]:
    """Return the same of a run that has ended; one of an earlier version did not write it down."""
    result = record.result or {}
    if "said_on" not in result:
        return _sources(past, flow, record.request.origin)
    return {node: said["run_id"] for node, said in (result["said_on"] or {}).items()}


def earlier_inputs(past: Past, flow: Flow, record: RunRecord) -> dict[str, Inputs]:
    """Return hash -> inputs, of everything that the words of a finished run are about beside its own inputs. Blocks."""
    told = ((record.result or {}).get("said_on") or {}).values()
    read = {hash_in(said): past.inputs(said["run_id"]) for said in told}
    return {name: flow.read_inputs(data) for name, data in read.items() if data is not None}


def hash_in(said: Mapping[str, Any]) -> str:
    """Return the hash of the inputs that an entry of `said_on`, or a state, names: a decision's are its snapshot."""
    return str(said.get("snapshot_hash") or said.get("inputs_hash"))
