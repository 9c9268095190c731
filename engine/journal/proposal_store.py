"""The store of proposals and their orders. Everything that is written is a row of the audit chain too, in the same transaction: what
the chain does not know did not happen.

Blocking. Raises StoreError. A change of a proposal is conditional on the version it was made from, so that of two answers one wins.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final

from pydantic import JsonValue
from sqlalchemy import Connection, insert, select, update

from engine.domain.audit import AuditRow, digest_of
from engine.domain.errors import AlreadyKept
from engine.domain.orders import Order, OrderReport
from engine.domain.proposal import IN_FLIGHT, MAY_BECOME, WAITING, NewProposal, Proposal
from engine.domain.text.reason import Reason
from engine.journal.account_slots import Slot, holds
from engine.journal.chain import Chain
from engine.journal.log_seal import LogSeal, seal_of
from engine.journal.tables import AUDIT, ORDERS, PROPOSALS


@dataclass(frozen=True)
class WrittenOrder:
    """An order as it was written down. seq: number of the audit row that wrote it; orders are in this order, whatever a clock said.
    subject: what it was for (a proposal's id, `close SYMBOL`, `reduce SYMBOL`, `exit SYMBOL`). report: None while its outcome is not
    known."""

    seq: int
    subject: str
    written_at: datetime
    order: Order
    report: OrderReport | None


_AT_ONCE: Final = 8
"""Rows that are fetched at a time where the first ones are mostly enough."""


class ProposalStore:
    """Over the journal's database. talking: opens a transaction (`Journal`)."""

    def __init__(self, talking: Callable[[str], AbstractContextManager[Connection]], chain: Chain, clock: Callable[[], datetime]) -> None:
        self._talking, self._chain, self._clock = talking, chain, clock

    def add(self, proposal: Proposal, supersede: Sequence[Proposal] = ()) -> bool:
        """File a proposal of a person's, and mark those it supersedes. Returns False when there is one of its id already."""
        try:
            with self._talking("write a proposal to") as connection:
                self._chain.lock(connection)
                row = self._add(connection, NewProposal(proposal, tuple(supersede)), None)
        except AlreadyKept:
            return False
        self._chain.keep_head(row)
        return True

    def file(self, connection: Connection, filing: NewProposal) -> AuditRow | None:
        """File the proposal of a run in the transaction that writes its end, and mark those it supersedes. Its row holds the seal of the
        run's log as it is then. Returns the last row of the chain, of which `keep_head` is told after the commit; None where the run has a
        proposal already."""
        proposal = filing.proposal
        self._chain.lock(connection)
        if connection.execute(select(PROPOSALS.c.id).where(PROPOSALS.c.run_id == run_column(proposal))).first() is not None:
            return None
        return self._add(connection, filing, seal_of(connection, proposal.basis.run_id))

    def _add(self, connection: Connection, filing: NewProposal, log: LogSeal | None) -> AuditRow:
        proposal = filing.proposal
        connection.execute(
            insert(PROPOSALS).values(
                id=proposal.id,
                run_id=run_column(proposal),
                account=proposal.basis.account,
                symbol=proposal.basis.symbol,
                state=proposal.state,
                created_at=proposal.created_at.isoformat(),
                expires_at=proposal.expires_at.isoformat(),
                body=proposal.model_dump_json(),
                log=log.text if log is not None else None,
            )
        )
        row = self._note(connection, proposal, "filed", {"log": log.hash} if log is not None else {})
        for old in filing.supersede:
            update = {
                "why": Reason("came_after_it", proposal_id=proposal.id),
                "changed_by": proposal.changed_by,
                "changed_at": proposal.changed_at,
            }
            row = self._change(connection, old, old.model_copy(update={"state": "superseded", **update})) or row
        return row

    def change(
        self, seen: Proposal, changed: Proposal, *, order: Order | None = None, worked_by: str | None = None, kind: str | None = None
    ) -> bool:
        """Make of a proposal what an answer made of it, if it is still as it was seen. order: is written in the same transaction.

        worked_by: the process that carries it out from now on. False when someone else changed it in the meantime: nothing is written.
        """
        with self._talking("write a proposal to") as connection:
            self._chain.lock(connection)
            row = self._change(connection, seen, changed, worked_by, kind)
            if row is None:
                return False
            if order is not None:
                row = self._write_order(connection, order, changed.basis.account, changed.id, changed.changed_by)
        self._chain.keep_head(row)
        return True

    def send(self, seen: Proposal, sent: Proposal, slot: Slot) -> bool:
        """Mark an approved proposal as sent, under its account's slot: what was measured while holding it is still true. False when
        someone else changed the proposal or took the slot over in the meantime: nothing is written."""
        with self._talking("write a proposal to") as connection:
            self._chain.lock(connection)
            if not holds(connection, slot):
                return False
            row = self._change(connection, seen, sent, slot.owner)
            if row is None:
                return False
        self._chain.keep_head(row)
        return True

    def _change(
        self, connection: Connection, seen: Proposal, changed: Proposal, worked_by: str | None = None, kind: str | None = None
    ) -> AuditRow | None:
        if changed.state != seen.state and changed.state not in MAY_BECOME.get(seen.state, ()):
            raise ValueError(f"a proposal that is {seen.state} never becomes {changed.state}")
        body = connection.execute(select(PROPOSALS.c.body).where(PROPOSALS.c.id == seen.id)).scalar_one_or_none()
        if body is None or Proposal.model_validate_json(body) != seen:
            return None
        same = (PROPOSALS.c.id == seen.id, PROPOSALS.c.state == seen.state, PROPOSALS.c.body == body)
        values = {
            "state": changed.state,
            "body": changed.model_dump_json(),
            "expires_at": changed.expires_at.isoformat(),
            **({"worked_by": worked_by} if worked_by is not None else {}),
        }
        if connection.execute(update(PROPOSALS).where(*same).values(values)).rowcount == 0:
            return None
        return self._note(connection, changed, kind or changed.state)

    def _note(
        self, connection: Connection, proposal: Proposal, kind: str, more: Mapping[str, JsonValue] = MappingProxyType({})
    ) -> AuditRow:
        data: dict[str, JsonValue] = {"state": proposal.state, "hash": proposal.hash, "run_id": proposal.basis.run_id, **more}
        if proposal.is_edited:
            data["changed"] = _difference(proposal)
        digest = digest_of(json.loads(proposal.model_dump_json()))
        return self._chain.append(
            connection, self._clock(), proposal.changed_by, f"proposal.{kind}", proposal.id, why=proposal.why, data=data, digest=digest
        )

    def write_order(self, order: Order, account: str, subject: str, who: str, at: datetime | None = None) -> bool:
        """Write an order down before it is sent. False when one of that client id is there already. at: when it was, if that was before."""
        try:
            with self._talking("write an order to") as connection:
                self._chain.lock(connection)
                row = self._write_order(connection, order, account, subject, who, at)
        except AlreadyKept:
            return False
        self._chain.keep_head(row)
        return True

    def _write_order(
        self, connection: Connection, order: Order, account: str, subject: str, who: str, at: datetime | None = None
    ) -> AuditRow:
        now, body = self._clock(), order.model_dump_json()
        written_at = (at or now).isoformat()
        connection.execute(
            insert(ORDERS).values(client_id=order.client_id, account=account, subject=subject, written_at=written_at, body=body)
        )
        data: dict[str, JsonValue] = {"account": account, "subject": subject, "written_at": written_at}
        return self._chain.append(connection, now, who, "order.written", order.client_id, data=data, digest=digest_of(json.loads(body)))

    def report(self, report: OrderReport) -> None:
        """Write down the outcome of an order. One that is known to have ended stays as it is."""
        with self._talking("write an order to") as connection:
            self._chain.lock(connection)
            known = connection.execute(select(ORDERS.c.report).where(ORDERS.c.client_id == report.client_id)).scalar_one_or_none()
            if known is not None and OrderReport.model_validate_json(known).state != "open":
                return
            body = report.model_dump_json()
            if body == known:
                return
            connection.execute(update(ORDERS).where(ORDERS.c.client_id == report.client_id).values(report=body))
            digest = digest_of(json.loads(body))
            row = self._chain.append(
                connection, self._clock(), "broker", f"order.{report.state}", report.client_id, why=report.why or "", digest=digest
            )
        self._chain.keep_head(row)

    def proposal(self, proposal_id: str) -> Proposal | None:
        """Return one proposal, None if the id is unknown."""
        with self._talking("read a proposal from") as connection:
            body = connection.execute(select(PROPOSALS.c.body).where(PROPOSALS.c.id == proposal_id)).scalar_one_or_none()
        return Proposal.model_validate_json(body) if body is not None else None

    def of_run(self, run_id: str) -> Proposal | None:
        """Return the proposal of a run, None when it has none."""
        with self._talking("read a proposal from") as connection:
            body = connection.execute(select(PROPOSALS.c.body).where(PROPOSALS.c.run_id == run_id)).scalar_one_or_none()
        return Proposal.model_validate_json(body) if body is not None else None

    def of_runs(self, run_ids: Collection[str]) -> list[Proposal]:
        """Return the proposals of these runs, in no order."""
        if not run_ids:
            return []
        with self._talking("read proposals from") as connection:
            bodies = connection.execute(select(PROPOSALS.c.body).where(PROPOSALS.c.run_id.in_(run_ids))).scalars()
            return [Proposal.model_validate_json(body) for body in bodies]

    def proposals(self, limit: int = 200) -> list[Proposal]:
        """Return the newest proposals, newest first."""
        query = select(PROPOSALS.c.body).order_by(PROPOSALS.c.created_at.desc(), PROPOSALS.c.id.desc()).limit(limit)
        with self._talking("read proposals from") as connection:
            return [Proposal.model_validate_json(body) for body in connection.execute(query).scalars()]

    def waiting(self, account: str | None = None, symbol: str | None = None) -> list[Proposal]:
        """Return those that can still be answered, oldest first; of one market when it is named."""
        query = select(PROPOSALS.c.body).where(PROPOSALS.c.state.in_(WAITING)).order_by(PROPOSALS.c.created_at)
        if account is not None:
            query = query.where(PROPOSALS.c.account == account)
        if symbol is not None:
            query = query.where(PROPOSALS.c.symbol == symbol)
        with self._talking("read proposals from") as connection:
            return [Proposal.model_validate_json(body) for body in connection.execute(query).scalars()]

    def in_flight(self) -> list[tuple[Proposal, str]]:
        """Return those that were approved and whose end is not known, each with the process that carries it out."""
        query = select(PROPOSALS.c.body, PROPOSALS.c.worked_by).where(PROPOSALS.c.state.in_(IN_FLIGHT)).order_by(PROPOSALS.c.created_at)
        with self._talking("read proposals from") as connection:
            return [(Proposal.model_validate_json(body), owner or "") for body, owner in connection.execute(query)]

    def last_filled(self, account: str, symbol: str) -> Proposal | None:
        """Return the newest proposal of a market whose order was filled and opened a position."""
        said = (AUDIT.c.subject == PROPOSALS.c.id) & (AUDIT.c.kind == "proposal.filled")
        of_market = (PROPOSALS.c.account == account, PROPOSALS.c.symbol == symbol, PROPOSALS.c.state == "filled")
        query = select(PROPOSALS.c.body).join(AUDIT, said).where(*of_market).order_by(AUDIT.c.seq.desc())
        query = query.execution_options(yield_per=_AT_ONCE)
        with self._talking("read proposals from") as connection, closing(connection.execute(query).scalars()) as bodies:
            newest_first = (Proposal.model_validate_json(body) for body in bodies)
            return next((each for each in newest_first if each.basis.holding is None), None)

    def order(self, client_id: str) -> tuple[Order, OrderReport | None] | None:
        """Return an order and its report (None while nothing is known); None if the id is unknown."""
        with self._talking("read an order from") as connection:
            row = connection.execute(select(ORDERS.c.body, ORDERS.c.report).where(ORDERS.c.client_id == client_id)).first()
        if row is None:
            return None
        return Order.model_validate_json(row.body), OrderReport.model_validate_json(row.report) if row.report else None

    def accounts(self) -> list[str]:
        """Return every account that an order was written for."""
        with self._talking("read orders from") as connection:
            return list(connection.execute(select(ORDERS.c.account).distinct().order_by(ORDERS.c.account)).scalars())

    def orders_of(self, account: str, symbol: str | None = None) -> list[WrittenOrder]:
        """Return every order of an account, in the order of the audit rows that wrote them; of one market when it is named."""
        written = (AUDIT.c.subject == ORDERS.c.client_id) & (AUDIT.c.kind == "order.written")
        query = select(ORDERS, AUDIT.c.seq).join(AUDIT, written).where(ORDERS.c.account == account).order_by(AUDIT.c.seq)
        with self._talking("read orders from") as connection:
            rows = connection.execute(query).all()
        found = [
            WrittenOrder(
                row.seq,
                row.subject,
                datetime.fromisoformat(row.written_at),
                Order.model_validate_json(row.body),
                OrderReport.model_validate_json(row.report) if row.report else None,
            )
            for row in rows
        ]
        return [each for each in found if symbol in {None, each.order.symbol}]


def run_column(proposal: Proposal) -> str:
    """Return what is in the column of runs: the run whose decision it is, which has one proposal at most; its own id where it changes
    the levels of a position."""
    return proposal.basis.run_id if proposal.is_of_run else proposal.id


def _difference(proposal: Proposal) -> JsonValue:
    """Return what a person changed of the machine's plan: field -> [machine's, theirs]."""
    machine, plan = proposal.machine.model_dump(mode="json"), proposal.plan.model_dump(mode="json")
    return {name: [machine[name], plan[name]] for name in plan if machine[name] != plan[name]}
