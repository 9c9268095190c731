"""Which market a run's words are about, where that is another than the one it decides on.

A run that is made from another on a fresh snapshot takes over words that were said about the old one, and so does everything that is made
from it: a further refresh, a fork, a replay. Such words are judged by the market they were about; what has changed since has moved, and
nobody lied. A run that another was made from is never pruned, so its snapshot is always there.
"""

from collections.abc import Callable, Mapping

from engine.domain.facts import FactSheet
from engine.domain.roles import Role, side_of
from engine.domain.run import Origin, RunRecord
from engine.domain.snapshot import Snapshot
from engine.flows.decision.analysts import ANALYSTS
from engine.flows.decision.context import Said
from engine.flows.decision.forking import asked_again
from engine.journal.store import Journal
from engine.runs.recording import recorded_answers


def spoken_anew(origin: Origin) -> frozenset[str]:
    """The sides that a run with this origin asks, where the others give their recorded answer."""
    return asked_again(origin.from_node, [analyst.key for analyst in ANALYSTS]) if origin.from_node is not None else frozenset()


def said_on(journal: Journal, origin: Origin | None, snapshot: Snapshot, measured: Callable[[Snapshot], FactSheet]) -> dict[Role, Said]:
    """Role -> the earlier market its words are about, of a run with this origin. snapshot: what it decides on. measured: gives the facts
    of a snapshot."""
    found = {}
    for role, run_id in _sources(journal, origin).items():
        earlier = journal.snapshot(run_id)
        if earlier is not None and earlier.hash != snapshot.hash:
            found[role] = Said(run_id, earlier.hash, earlier.at, measured(earlier))
    return found


def _sources(journal: Journal, origin: Origin | None) -> dict[Role, str]:
    """Role -> the run on whose snapshot it spoke, of all words that are taken over."""
    if origin is None:
        return {}
    record = journal.run(origin.run_id)
    told = _told(journal, record) if record is not None else {}
    anew = spoken_anew(origin) | origin.texts.keys()
    roles = {role for role, _ in recorded_answers(journal.events(origin.run_id)) if side_of(role) not in anew}
    return {role: told.get(role, origin.run_id) for role in roles}


def _told(journal: Journal, record: RunRecord) -> Mapping[Role, str]:
    """The same of a run that has ended; one of an earlier version did not write it down."""
    result = record.result or {}
    if "said_on" not in result:
        return _sources(journal, record.request.origin)
    return {role: said["run_id"] for role, said in (result["said_on"] or {}).items()}


def earlier_snapshots(journal: Journal, record: RunRecord) -> dict[str, Snapshot]:
    """Hash -> snapshot of every earlier market that the words of a finished run are about."""
    told = ((record.result or {}).get("said_on") or {}).values()
    read = {said["snapshot_hash"]: journal.snapshot(said["run_id"]) for said in told}
    return {name: snapshot for name, snapshot in read.items() if snapshot is not None}
