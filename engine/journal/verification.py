"""Whether the journal still says what was written into it: the chain itself, and everything that the chain vouches for."""

import json
import zlib
from collections.abc import Iterator

from sqlalchemy import Connection, select

from engine.domain.audit import AuditRow, digest_of
from engine.domain.proposal import Proposal, context_hash
from engine.domain.snapshot import Snapshot
from engine.journal.chain import Chain, read_row
from engine.journal.tables import AUDIT, LEDGER, ORDERS, PROPOSALS, RUNS, SNAPSHOTS


def faults(connection: Connection, chain: Chain) -> Iterator[str]:
    """What does not agree, the first bad row first; nothing when everything does."""
    broken = list(chain.faults(connection))
    if broken:
        yield from broken
        return
    rows = [read_row(dict(stored)) for stored in connection.execute(select(AUDIT).order_by(AUDIT.c.seq)).mappings()]
    known = [row for row in rows if row is not None]
    yield from _proposals(connection, known)
    yield from _orders(connection, known)
    yield from _ledgers(connection, known)
    yield from _grounds(connection)


def _last(rows: list[AuditRow], prefix: str, but: tuple[str, ...] = ()) -> dict[str, AuditRow]:
    return {row.subject: row for row in rows if row.kind.startswith(prefix) and row.kind not in but and row.digest}


def _proposals(connection: Connection, rows: list[AuditRow]) -> Iterator[str]:
    vouched = _last(rows, "proposal.")
    stored = {row.id: row for row in connection.execute(select(PROPOSALS.c.id, PROPOSALS.c.state, PROPOSALS.c.body, PROPOSALS.c.run_id))}
    for proposal_id, row in vouched.items():
        found = stored.pop(proposal_id, None)
        place = f"audit row {row.seq} ({row.kind} of {proposal_id})"
        if found is None:
            yield f"{place}: the proposal is gone from the journal"
        elif _digest(found.body) != row.digest or found.state != row.data.get("state") or found.run_id != row.data.get("run_id"):
            yield f"{place}: the proposal was changed behind the chain's back"
    for proposal_id in stored:
        yield f"proposal {proposal_id} stands in the journal and not in the audit chain"


def _orders(connection: Connection, rows: list[AuditRow]) -> Iterator[str]:
    written = {row.subject: row for row in rows if row.kind == "order.written"}
    reported = _last(rows, "order.", ("order.written",))
    stored = {row.client_id: row for row in connection.execute(select(ORDERS))}
    for client_id, row in written.items():
        found = stored.pop(client_id, None)
        place = f"audit row {row.seq} ({row.kind} of {client_id})"
        if found is None:
            yield f"{place}: the order is gone from the journal"
            continue
        same = _digest(found.body) == row.digest and found.account == row.data.get("account") and found.subject == row.data.get("subject")
        told = reported.get(client_id)
        if not same or (_digest(found.report) if found.report else "") != (told.digest if told is not None else ""):
            yield f"{place}: the order was changed behind the chain's back"
    for client_id in stored:
        yield f"order {client_id} stands in the journal and not in the audit chain"


def _ledgers(connection: Connection, rows: list[AuditRow]) -> Iterator[str]:
    found: dict[str, dict[int, str]] = {}
    for line in connection.execute(select(LEDGER)):
        found.setdefault(line.account, {})[line.seq] = line.body
    for row in rows:
        if row.kind != "paper.entries":
            continue
        first, count = int(str(row.data.get("after", 0))) + 1, int(str(row.data.get("count", 0)))
        bodies = [found.get(row.subject, {}).pop(seq, None) for seq in range(first, first + count)]
        if None in bodies or digest_of([json.loads(body) for body in bodies if body]) != row.digest:
            yield f"audit row {row.seq} (entries {first} to {first + count - 1} of {row.subject}): the ledger was changed"
    for account, left in found.items():
        for seq in sorted(left):
            yield f"entry {seq} of {account} stands in the ledger and not in the audit chain"


def _grounds(connection: Connection) -> Iterator[str]:
    """What the proposals rest on: the decision of the run, and its snapshot. A run that was pruned is not missed."""
    query = select(PROPOSALS.c.body, RUNS.c.result, SNAPSHOTS.c.payload).join(RUNS, RUNS.c.run_id == PROPOSALS.c.run_id)
    for line in connection.execute(query.join(SNAPSHOTS, SNAPSHOTS.c.hash == RUNS.c.snapshot_hash, isouter=True)):
        proposal = Proposal.model_validate_json(line.body)
        basis = proposal.basis
        try:
            decided = json.loads(line.result or "{}")
            snapshot = Snapshot.from_json(json.loads(zlib.decompress(line.payload))).hash if line.payload else ""
        except (ValueError, KeyError, TypeError, zlib.error):
            decided, snapshot = {}, ""
        if snapshot != basis.snapshot_hash:
            yield f"proposal {proposal.id}: the snapshot of run {basis.run_id} was changed"
        elif context_hash(decided) != basis.context_hash or decided.get("final_action") != basis.action.value:
            yield f"proposal {proposal.id}: the decision of run {basis.run_id} was changed"


def _digest(body: str) -> str:
    try:
        return digest_of(json.loads(body))
    except ValueError:
        return "unreadable"
