"""The store behind the journal. Blocking: callers on an event loop hand its calls to a thread.

Failure contract: raises StoreError with one clear line when the database cannot be reached, read or written. What a method reported as
written is on disk.
"""

import json
import logging
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from pydantic import JsonValue
from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from engine.domain.audit import AuditRow
from engine.domain.clock import utc_now
from engine.domain.ended import Ended, Memory
from engine.domain.errors import AlreadyKept, StoreError
from engine.domain.events import Event
from engine.domain.inputs import Inputs
from engine.domain.market.snapshot import Snapshot
from engine.domain.run import RunRecord, RunRequest, RunSummary
from engine.domain.text.reason import Reason, as_column, from_column
from engine.journal.account_slots import AccountSlots
from engine.journal.audit_log import AuditLog
from engine.journal.case_store import CaseStore
from engine.journal.chain import Chain
from engine.journal.checkpoint_store import CheckpointStore
from engine.journal.claim_sums import ClaimSums, add_claims
from engine.journal.close_orders import CloseOrders
from engine.journal.copying import Counts, begin_snapshot, copy_rows, count_rows
from engine.journal.database import Database, file_of
from engine.journal.equities import Equities
from engine.journal.halt_flag import HaltFlag
from engine.journal.leases import ACTIVE, Leases
from engine.journal.lesson_store import LessonStore
from engine.journal.outcome_store import OutcomeStore, add_row
from engine.journal.paper_ledger import PaperLedger
from engine.journal.private_files import locked, mark_of
from engine.journal.proposal_store import ProposalStore
from engine.journal.repetition_store import RepetitionStore, forget_repetitions
from engine.journal.run_search import RunSearch
from engine.journal.secret import signing_secret
from engine.journal.tables import CASES, EVENTS, INPUTS, MEMORIES, OUTCOMES, PROPOSALS, REPETITIONS, RUNS
from engine.journal.verification import PRUNED

_log = logging.getLogger(__name__)
_POSTGRESQL = ("postgres", "postgresql")
_FILE = "tribunal.db"
_OPENING_S = 10.0  # how long another process that opens it is waited for


_LONGEST_SUBJECT = 200


class Journal:
    """Everything that is kept, in one database. Safe to use from several threads. home: where its signing secret is. degraded: it is there
    even with a database or a secret that cannot be used; what cannot be read or written raises StoreError when it is tried; orders that
    close something at an exchange are noted beside it (`close_orders`)."""

    def __init__(self, url: URL, home: Path, name: str = "", *, degraded: bool = False) -> None:
        database = self._database = Database(url)
        self._talking = database.talking
        with _alone(home):
            chain = self._chain = self._opened(home, name, degraded=degraded)
        self.leases = Leases(self._talking)
        self.run_search = RunSearch(self._talking)
        self.proposal_store = ProposalStore(self._talking, chain, utc_now)
        self.slots = AccountSlots(self._talking, chain, utc_now)
        self.ledger = PaperLedger(self._talking, chain, utc_now)
        self.equities = Equities(self._talking)
        self.outcomes = OutcomeStore(self._talking)
        self.cases = CaseStore(self._talking)
        self.claim_sums = ClaimSums(self._talking)
        self.lessons = LessonStore(self._talking)
        self.repetitions = RepetitionStore(self._talking)
        self.checkpoints = CheckpointStore(self._talking)
        mark, journal_id = mark_of(name), chain.journal_id
        self.audit = AuditLog(self._talking, chain, utc_now, HaltFlag(home, mark, journal_id), is_shared=url.get_backend_name() != "sqlite")
        self.close_orders = CloseOrders(self.proposal_store, home, mark, journal_id, utc_now)

    def _opened(self, home: Path, name: str, *, degraded: bool) -> Chain:
        """Return the chain, with everything made that is not there yet."""
        file, secret = self._database.file, None
        with _unless(degraded):
            is_gone = file is not None and not file.exists() and Chain(home, None, name).has_begun
            self._database.open(f"the journal {file} is gone: bring it back, or begin anew with a new TRIBUNAL_HOME" if is_gone else "")
        with _unless(degraded):
            secret = signing_secret(home)
        chain = Chain(home, secret, name)
        with _unless(degraded), self._talking("open") as connection:
            chain.begin(connection)
        return chain

    def trouble(self) -> str:
        """Return why nothing can be ordered at the moment, or what has not been written yet; "" while all is well."""
        try:
            with self._talking("read the audit chain from") as connection:
                why = self._chain.trouble(connection)
        except StoreError as problem:
            why = str(problem)
        return why or (
            "what was done while the journal could not be written has not been taken into it yet" if self.close_orders.has_notes else ""
        )

    def add_run(self, record: RunRecord, owner: str, lease_until: datetime, asked_by: str | None = None) -> None:
        """Write a new run. owner: the process that runs it, until `lease_until` without a word. asked_by: the run whose child it is."""
        origin = record.request.origin
        row = {
            "owner": owner,
            "lease_until": lease_until.isoformat(),
            "parent": origin.run_id if origin is not None else asked_by,
            "model": record.request.model,
            "run_id": record.run_id,
            "created_at": record.created_at.isoformat(),
            "status": record.status,
            "flow": record.request.flow,
            "subject": record.request.subject[:_LONGEST_SUBJECT],
            "timeframe": record.request.candles,
            "request": record.request.model_dump_json(),
        }
        with self._talking("write a run to") as connection:
            connection.execute(insert(RUNS).values(row))

    def end_run(self, record: RunRecord, owner: str | None = None, last: Sequence[Event] = ()) -> None:
        """Write how a run failed, stopped or was revised. owner: it must still be the run's, and the run must not have ended. last: the
        events that say so, in the same transaction. Raises StoreError when the run has ended, or was taken over by another."""
        with self._talking("write a run to") as connection:
            self._write_end(connection, record, {}, owner)
            _write_events(connection, last)

    def finish_run(self, record: RunRecord, end: Ended, owner: str, last: Sequence[Event] = ()) -> None:
        """Write how a run ended, and with it its last events, what it leaves for later runs and the proposal that follows from it: all of
        it or nothing. Raises StoreError when the run has ended, or was taken over by another."""
        figures = {
            "headline": end.headline[:_LONGEST_SUBJECT] if end.headline is not None else None,
            "is_valid": int(end.is_valid),
            "duration_ms": end.duration_ms,
            "tokens": end.tokens,
            "cost": end.cost,
            "confidence": end.confidence,
            "claims": end.claims,
            "false_claims": end.false_claims,
            "clock": end.at.astimezone(UTC).isoformat() if end.at is not None else None,
            "prompts_hash": end.state.get("prompts_hash"),
        }
        filed = None
        with self._talking("write a run to") as connection:
            self._write_end(connection, record, figures, owner)
            _write_events(connection, last)
            for memory in end.memories:
                row = {"run_id": record.run_id, "name": memory.name, "flow": memory.flow, "subject": memory.subject}
                written_at = (record.finished_at or utc_now()).isoformat()
                connection.execute(insert(MEMORIES).values(**row, written_at=written_at, body=_text(memory.body), dated=memory.dated))
            add_claims(connection, record, end)
            add_row(connection, record, end)
            if end.filing is not None:
                filed = self.proposal_store.file(connection, end.filing)
        if filed is not None:
            self._chain.keep_head(filed)

    def _write_end(self, connection: Connection, record: RunRecord, figures: Mapping[str, object], owner: str | None) -> None:
        result = record.result
        values = {
            "status": record.status,
            "finished_at": record.finished_at.isoformat() if record.finished_at else None,
            "result": json.dumps(result, allow_nan=False, ensure_ascii=False) if result is not None else None,
            "error": as_column(record.error),
            **figures,
        }
        mine = () if owner is None else (RUNS.c.owner == owner, RUNS.c.status.in_(ACTIVE))
        if connection.execute(update(RUNS).where(RUNS.c.run_id == record.run_id, *mine).values(values)).rowcount == 0:
            raise StoreError(Reason("run_has_ended", run_id=record.run_id))

    def remember(self, memory: Memory, by: str) -> None:
        """Keep a memory that is left by something other than a run, named `by`."""
        row = {"run_id": by, "written_at": utc_now().isoformat(), **memory.model_dump(), "body": _text(memory.body)}
        with self._talking("write a memory to") as connection:
            connection.execute(insert(MEMORIES).values(row))

    def newest_memory(self, flow: str, subject: str, name: str | None) -> Memory | None:
        """Return the memory of that name (None: of any) that was written last, or None."""
        query = select(MEMORIES.c.name, MEMORIES.c.body).where(MEMORIES.c.flow == flow, MEMORIES.c.subject == subject)
        if name is not None:
            query = query.where(MEMORIES.c.name == name)
        with self._talking("read a memory from") as connection:
            row = connection.execute(query.order_by(MEMORIES.c.written_at.desc()).limit(1)).one_or_none()
        return Memory(flow=flow, subject=subject, name=row.name, body=json.loads(row.body)) if row is not None else None

    def memories(self, flow: str, subject: str, name: str, *, until: str, limit: int) -> list[Memory]:
        """Return the newest memories of that name that knew nothing later than `until` (as `Memory.dated`), newest first; of two with one
        date the one that was written last comes first. Those without a date are not among them."""
        about = (MEMORIES.c.flow == flow, MEMORIES.c.subject == subject, MEMORIES.c.name == name)
        query = select(MEMORIES.c.body, MEMORIES.c.dated).where(*about, MEMORIES.c.dated <= until, MEMORIES.c.dated > "")
        with self._talking("read memories from") as connection:
            rows = connection.execute(query.order_by(MEMORIES.c.dated.desc(), MEMORIES.c.written_at.desc()).limit(limit)).all()
        return [Memory(flow=flow, subject=subject, name=name, body=json.loads(row.body), dated=row.dated) for row in rows]

    def add_inputs(self, run_id: str, inputs: Inputs) -> None:
        """Keep the inputs of a run under their hash, once, and name them in the run, which is running from now on unless it has ended
        meanwhile (in another process, while this one was suspended)."""
        payload = zlib.compress(json.dumps(inputs.to_json(), separators=(",", ":"), allow_nan=False).encode(), 1)
        try:
            with self._talking("write inputs to") as connection:
                connection.execute(insert(INPUTS).values(hash=inputs.hash, kind=inputs.kind, payload=payload))
        except AlreadyKept:  # the same content
            pass
        with self._talking("write a run to") as connection:
            open_one = (RUNS.c.run_id == run_id, RUNS.c.status.in_(ACTIVE))
            connection.execute(update(RUNS).where(*open_one).values(inputs_hash=inputs.hash, status="running"))

    def append(self, events: Sequence[Event]) -> None:
        """Append events, all or none of them."""
        with self._talking("write events to") as connection:
            _write_events(connection, events)

    def events(self, run_id: str, after: int = 0) -> list[Event]:
        """Return events of a run with `seq` > after, in order; empty for an unknown run."""
        query = select(EVENTS).where(EVENTS.c.run_id == run_id, EVENTS.c.seq > after).order_by(EVENTS.c.seq)
        with self._talking("read events from") as connection:
            rows = connection.execute(query).mappings().all()
        return [Event.model_validate({**row, "data": json.loads(row["data"])}) for row in rows]

    def run(self, run_id: str) -> RunRecord | None:
        """Return one run, None if the id is unknown."""
        with self._talking("read a run from") as connection:
            row = connection.execute(select(RUNS).where(RUNS.c.run_id == run_id)).mappings().first()
        if row is None:
            return None
        return RunRecord(
            run_id=row["run_id"],
            created_at=datetime.fromisoformat(row["created_at"]),
            finished_at=datetime.fromisoformat(row["finished_at"]) if row["finished_at"] else None,
            status=row["status"],
            request=_request(row["request"], row["run_id"]),
            result=json.loads(row["result"]) if row["result"] else None,
            error=from_column(row["error"]),
        )

    def askers(self, run_id: str) -> list[str]:
        """Return the run that a run is a child of, the one that this one is a child of, and so on; empty where no one asked."""
        found: list[str] = []
        with self._talking("read runs from") as connection:
            while (row := connection.execute(select(RUNS.c.parent, RUNS.c.request).where(RUNS.c.run_id == run_id)).first()) is not None:
                if row.parent is None or json.loads(row.request).get("origin") is not None:  # the parent of what was made from it
                    break
                run_id = row.parent
                found.append(run_id)
        return found

    def newest_of(self, subject: str, limit: int, *, flow: str | None = None) -> list[RunRecord]:
        """Return the newest finished runs about a subject, newest first, without their results. flow: None = of any."""
        about = [RUNS.c.subject == subject, RUNS.c.status == "finished", *([RUNS.c.flow == flow] if flow is not None else [])]
        query = select(RUNS.c.run_id, RUNS.c.created_at, RUNS.c.request).where(*about)
        with self._talking("read runs from") as connection:
            rows = connection.execute(query.order_by(RUNS.c.created_at.desc()).limit(limit)).all()
        return [
            RunRecord(
                run_id=row.run_id,
                created_at=datetime.fromisoformat(row.created_at),
                status="finished",
                request=_request(row.request, row.run_id),
            )
            for row in rows
        ]

    def runs(self, limit: int = 50) -> list[RunSummary]:
        """Return the newest runs, newest first, without their results."""
        return self.run_search.newest(limit)

    def spent_on(self, day: date) -> tuple[int, float]:
        """Return tokens and money of the finished runs and repetitions that began on a day (UTC)."""
        spent = [(RUNS, RUNS.c.created_at), (REPETITIONS, REPETITIONS.c.begun_at)]
        queries = [
            select(func.coalesce(func.sum(table.c.tokens), 0), func.coalesce(func.sum(table.c.cost), 0.0)).where(
                begun.startswith(day.isoformat())
            )
            for table, begun in spent
        ]
        with self._talking("read runs from") as connection:
            found = [connection.execute(query).one() for query in queries]
        return sum(int(tokens) for tokens, _ in found), sum(float(cost) for _, cost in found)

    def inputs(self, run_id: str) -> Mapping[str, Any] | None:
        """Return the inputs of a run as JSON, None when it has none yet."""
        found = self._inputs_of(run_id)
        return found[1] if found is not None else None

    def snapshot(self, run_id: str) -> Snapshot | None:
        """Return the snapshot of a run, None when it has none: not yet, or because it is not about a market."""
        found = self._inputs_of(run_id)
        return Snapshot.from_json(found[1]) if found is not None and found[0] == "market" else None

    def _inputs_of(self, run_id: str) -> tuple[str, dict[str, Any]] | None:
        """Return what the inputs of a run are, and their content."""
        query = select(INPUTS.c.kind, INPUTS.c.payload).join(RUNS, RUNS.c.inputs_hash == INPUTS.c.hash).where(RUNS.c.run_id == run_id)
        with self._talking("read inputs from") as connection:
            row = connection.execute(query).first()
        return (str(row.kind), json.loads(zlib.decompress(row.payload))) if row is not None else None

    def prune(self, before: datetime) -> int:
        """Forget the runs that ended before an instant, with their events, and the inputs no one names any more; gives how many.
        What they left for later runs stays, and what their decisions came to.

        A run that another was made from stays while that one does, and so does a case. Unfinished and stopped runs are never forgotten.
        """
        named = select(RUNS.c.parent).where(RUNS.c.parent.is_not(None))
        with self._talking("prune") as connection:
            old = RUNS.c.status.in_(("finished", "failed")) & (RUNS.c.finished_at < before.isoformat()) & RUNS.c.run_id.not_in(named)
            old &= RUNS.c.run_id.not_in(select(CASES.c.run_id))
            found = connection.execute(select(RUNS.c.run_id).where(old)).scalars().all()
            proposed = select(PROPOSALS.c.run_id).where(PROPOSALS.c.run_id.in_(found))
            row = self._note_pruned(connection, list(connection.execute(proposed).scalars()))
            for run_id in found:
                connection.execute(delete(EVENTS).where(EVENTS.c.run_id == run_id))
                forget_repetitions(connection, run_id)
                connection.execute(delete(RUNS).where(RUNS.c.run_id == run_id))
                connection.execute(delete(OUTCOMES).where(OUTCOMES.c.run_id == run_id, OUTCOMES.c.is_final == 0))
            used = select(RUNS.c.inputs_hash).where(RUNS.c.inputs_hash.is_not(None))
            connection.execute(delete(INPUTS).where(INPUTS.c.hash.not_in(used)))
        if row is not None:
            self._chain.keep_head(row)
        if found and self.sqlite_file is not None:
            with suppress(SQLAlchemyError):  # someone reads: the room is used again all the same
                self._database.vacuum()
        return len(found)

    def _note_pruned(self, connection: Connection, run_ids: list[str]) -> AuditRow | None:
        """Write into the chain that runs were forgotten which proposals rest on: else they would be missed. Returns the row, None when
        there are none."""
        if not run_ids:
            return None
        return self._chain.append(connection, utc_now(), "prune", PRUNED, "runs", data={"runs": list[JsonValue](run_ids)})

    def copy_to(self, other: "Journal") -> Counts:
        """Copy everything into a journal that is empty; return how many rows of each table.

        Raises:
            StoreError: the other one is not empty, runs are in flight here, something was written here meanwhile, or the copy is not equal.
                Nothing was copied.
        """
        if trouble := self.trouble():
            raise StoreError(trouble)
        with self._talking("copy") as rows:
            begin_snapshot(rows)
            with other._talking("write a copy to") as copies:
                counts = copy_rows(rows, copies, other._chain, utc_now())
                with self._talking("read") as later:
                    if count_rows(later) != counts:
                        raise StoreError(Reason("journal_was_written_while_copied"))
        row = next(iter(other.audit.history(limit=1)), None)
        if row is not None:
            other._chain.keep_head(row)
        return counts

    @property
    def sqlite_file(self) -> Path | None:
        """Where it is kept, when that is a file of SQLite's."""
        return self._database.file

    def close(self) -> None:
        """Release the connections."""
        self._database.close()


def copy_journal(home: Path, source: str, target: str) -> Counts:
    """Copy one journal of this installation into another; see `Journal.copy_to`. source, target: addresses, or SQLite files."""
    addresses = [_address(home, each) for each in (source, target)]
    if addresses[0] == addresses[1]:
        raise StoreError(Reason("journal_to_copy_is_copied_to"))
    opened: list[Journal] = []
    try:
        for place, address in enumerate(addresses):
            if place == 0 and (file := _file_named(home, address)) is not None and not file.is_file():
                raise StoreError(Reason("journal_to_copy_is_missing", file=file))
            opened.append(_journal(home, address, degraded=False))
        return opened[0].copy_to(opened[1])
    finally:
        for journal in opened:
            journal.close()


def _address(home: Path, given: str) -> str | None:
    """Return an address as the settings have it: None for the file that a home has without one."""
    address = given if "://" in given else URL.create("sqlite", database=given).render_as_string()
    return None if _file_named(home, address) == (home / _FILE).absolute() else address


def _file_named(home: Path, address: str | None) -> Path | None:
    """Return the file of SQLite's that an address names."""
    if address is None:
        return home / _FILE
    with suppress(ArgumentError, ValueError):
        return file_of(make_url(address))
    return None


def open_journal(home: Path, database_url: str | None, *, degraded: bool = False) -> Journal:
    """Return the journal of this installation: `database_url`, or SQLite in `home`. Raises StoreError when it cannot be opened;
    `degraded`: only when it cannot be named."""
    journal = _journal(home, database_url, degraded=degraded)
    if not degraded:
        with suppress(StoreError):  # it waits on
            journal.close_orders.take_in()
    return journal


def _journal(home: Path, database_url: str | None, *, degraded: bool) -> Journal:
    if database_url:
        try:
            url = make_url(database_url)
            if url.drivername in _POSTGRESQL:  # the driver that requirements.txt installs
                url = url.set(drivername="postgresql+psycopg")
            return Journal(url, home, url.render_as_string(hide_password=True), degraded=degraded)
        except (ArgumentError, ImportError, ValueError) as problem:  # the URL may hold a password: it is not repeated
            raise StoreError(Reason("tribunal_database_url_cannot_be_used", name=type(problem).__name__)) from None
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as problem:
        if not degraded:
            raise StoreError(Reason("tribunal_home_cannot_be_made", home=home, strerror=problem.strerror)) from problem
    return Journal(URL.create("sqlite", database=str(home / _FILE)), home, degraded=degraded)


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """One process at a time opens the journal of a home: its file, tables, secret and chain are made once. Where nothing can be held, or
    someone does not let go, it is opened all the same."""
    with ExitStack() as held:
        with suppress(OSError):
            home.mkdir(parents=True, exist_ok=True, mode=0o700)
            held.enter_context(locked(home / "lock", _OPENING_S))
        yield


@contextmanager
def _unless(degraded: bool) -> Iterator[None]:
    try:
        yield
    except StoreError as problem:
        if not degraded:
            raise
        _log.warning("%s", problem)


def _request(text: str, run_id: str) -> RunRequest:
    """Return what a run was asked with. Raises StoreError for a flow or fields that this version does not know."""
    try:
        return RunRequest.read(text)
    except ValueError as problem:
        raise StoreError(Reason("run_cannot_be_read", run_id=run_id, problem=str(problem).splitlines()[0])) from None


def _write_events(connection: Connection, events: Sequence[Event]) -> None:
    rows = [
        {"run_id": e.run_id, "seq": e.seq, "at": e.at.isoformat(), "kind": e.kind, "node": e.node, "data": _text(e.data.to_json())}
        for e in events
    ]
    if rows:
        connection.execute(insert(EVENTS), rows)


def _text(data: object) -> str:
    return json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
