"""Whether the journal still says what was written into it: the chain itself, and everything that the chain vouches for."""

import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, select

from engine.domain.audit import AuditRow, digest_of
from engine.domain.market.snapshot import Snapshot
from engine.domain.proposal import Proposal, context_hash
from engine.domain.text.reason import Reason, printed
from engine.journal.chain import Chain, read_row
from engine.journal.log_seal import log_fault
from engine.journal.proposal_store import run_column
from engine.journal.tables import AUDIT, INPUTS, LEDGER, ORDERS, PROPOSALS, RUNS

PRUNED = "runs.pruned"


def faults(connection: Connection, chain: Chain) -> Iterator[str]:
    """Yield what does not agree, the first bad row first; nothing when everything does."""
    broken = list(chain.faults(connection))
    if broken:
        yield from broken
        return
    rows = [read_row(dict(stored)) for stored in connection.execute(select(AUDIT).order_by(AUDIT.c.seq)).mappings()]
    known = [row for row in rows if row is not None]
    changed = list(_proposals(connection, known))
    yield from changed
    yield from _orders(connection, known)
    yield from _ledgers(connection, known)
    if not changed:  # what they rest on is asked of proposals that are what they were
        yield from _grounds(connection, known)
        yield from _logs(connection, known)


def _last(rows: list[AuditRow], prefix: str, but: tuple[str, ...] = ()) -> dict[str, AuditRow]:
    return {row.subject: row for row in rows if row.kind.startswith(prefix) and row.kind not in but and row.digest}


def _proposals(connection: Connection, rows: list[AuditRow]) -> Iterator[str]:
    vouched = _last(rows, "proposal.")
    stored = {row.id: row for row in connection.execute(select(PROPOSALS))}
    for proposal_id, row in vouched.items():
        found = stored.pop(proposal_id, None)
        if found is None:
            yield Reason("audited_proposal_is_gone", place=_row_label(row))
        elif _digest(found.body) != row.digest or not _columns_agree(dict(found._mapping)):
            yield Reason("audited_proposal_was_changed", place=_row_label(row))
    for proposal_id in stored:
        yield Reason("proposal_is_not_audited", proposal_id=proposal_id)


def _row_label(row: AuditRow) -> str:
    return Reason("audit_row", seq=row.seq, kind=row.kind, subject=row.subject)


def _columns_agree(stored: Mapping[str, Any]) -> bool:
    """Return whether what is searched by still is what the proposal says."""
    proposal = Proposal.model_validate_json(stored["body"])
    basis = proposal.basis
    columns = (proposal.id, run_column(proposal), basis.account, basis.symbol, proposal.state)
    times = (proposal.created_at.isoformat(), proposal.expires_at.isoformat())
    return columns + times == tuple(stored[name] for name in ("id", "run_id", "account", "symbol", "state", "created_at", "expires_at"))


def _orders(connection: Connection, rows: list[AuditRow]) -> Iterator[str]:
    written = {row.subject: row for row in rows if row.kind == "order.written"}
    reported = _last(rows, "order.", ("order.written",))
    stored = {row.client_id: row for row in connection.execute(select(ORDERS))}
    for client_id, row in written.items():
        found = stored.pop(client_id, None)
        if found is None:
            yield Reason("audited_order_is_gone", place=_row_label(row))
            continue
        same = _digest(found.body) == row.digest and all(
            row.data.get(name) == getattr(found, name) for name in ("account", "subject", "written_at")
        )
        reported_row = reported.get(client_id)
        if not same or (_digest(found.report) if found.report else "") != (reported_row.digest if reported_row is not None else ""):
            yield Reason("audited_order_was_changed", place=_row_label(row))
    for client_id in stored:
        yield Reason("order_is_not_audited", client_id=client_id)


def _ledgers(connection: Connection, rows: list[AuditRow]) -> Iterator[str]:
    found: dict[str, dict[int, str]] = {}
    for line in connection.execute(select(LEDGER)):
        found.setdefault(line.account, {})[line.seq] = line.body
    for row in rows:
        if row.kind != "paper.entries":
            continue
        first, count = int(str(row.data.get("after", 0))) + 1, int(str(row.data.get("count", 0)))
        bodies = [found.get(row.subject, {}).pop(seq, None) for seq in range(first, first + count)]
        if None in bodies or _digest("[" + ",".join(body for body in bodies if body) + "]") != row.digest:
            yield Reason("audited_ledger_was_changed", seq=row.seq, first=first, last=first + count - 1, account=row.subject)
    for account, left in found.items():
        for seq in sorted(left):
            yield Reason("ledger_entry_is_not_audited", seq=seq, account=account)


def _grounds(connection: Connection, rows: list[AuditRow]) -> Iterator[str]:
    """Yield what the proposals rest on: the decision of the run, and its snapshot. A run that has not ended is not checked; one that
    is gone must have been forgotten on purpose."""
    forgotten = {str(name) for row in rows if row.kind == PRUNED for name in _names(row.data.get("runs"))}
    query = select(PROPOSALS.c.body, RUNS.c.run_id, RUNS.c.status, RUNS.c.result, INPUTS.c.payload)
    joined = query.join(RUNS, RUNS.c.run_id == PROPOSALS.c.run_id, isouter=True)
    for line in connection.execute(joined.join(INPUTS, INPUTS.c.hash == RUNS.c.inputs_hash, isouter=True)):
        proposal = Proposal.model_validate_json(line.body)
        basis = proposal.basis
        if not proposal.is_of_run:
            continue  # what its position was opened for is vouched for by the proposal of that run
        if line.run_id is None:
            if basis.run_id not in forgotten:
                yield Reason("run_of_proposal_is_gone", proposal_id=proposal.id, run_id=basis.run_id)
            continue
        if line.result is None and line.status != "finished":
            continue
        try:
            decided = json.loads(line.result or "{}")
            inputs = json.loads(zlib.decompress(line.payload)) if line.payload else None
            agrees = context_hash(decided) == basis.context_hash
            if basis.listing is not None:  # its inputs are those of a company
                snapshot = hash_of_inputs(inputs) if inputs is not None else ""
            else:
                snapshot = Snapshot.from_json(inputs).hash if inputs is not None else ""
                action = decided.get("final_action") if decided.get("is_valid") else decided["refused_decision"]["action"]
                agrees = agrees and action == basis.action.value
        except (ValueError, KeyError, TypeError, AttributeError, zlib.error):
            agrees, snapshot = False, ""
        if snapshot != basis.snapshot_hash:
            yield Reason("snapshot_of_proposal_was_changed", proposal_id=proposal.id, run_id=basis.run_id)
        elif not agrees:
            yield Reason("decision_of_proposal_was_changed", proposal_id=proposal.id, run_id=basis.run_id)


def _logs(connection: Connection, rows: list[AuditRow]) -> Iterator[str]:
    """Yield the events that are not as they were when a proposal was filed on their run."""
    sealed = {row.subject: str(row.data["log"]) for row in rows if row.kind == "proposal.filed" and "log" in row.data}
    query = select(PROPOSALS.c.id, PROPOSALS.c.log, RUNS.c.run_id).join(RUNS, RUNS.c.run_id == PROPOSALS.c.run_id)
    for line in connection.execute(query).all():
        if line.id in sealed and (fault := log_fault(connection, line.run_id, line.log or "", sealed[line.id])):
            yield Reason("log_of_proposal_was_changed", proposal_id=line.id, run_id=line.run_id, fault=fault)


def hash_of_inputs(inputs: Mapping[str, Any]) -> str:
    """Return the hash of the inputs of a run that orders shares: sha256 of their JSON with sorted keys and no spaces, hexadecimal."""
    return hashlib.sha256(json.dumps(printed(inputs), sort_keys=True, separators=(",", ":"), allow_nan=False).encode()).hexdigest()


def _names(given: object) -> list[object]:
    return given if isinstance(given, list) else []


def _digest(body: str) -> str:
    try:
        return digest_of(json.loads(body))
    except ValueError:
        return "unreadable"
