"""Account slots: of all approvals for one account, one is measured and ordered at a time.

Limits add up over an account (open positions, exposure, daily loss, orders an hour). They hold together only if nothing else is ordered
between the measuring and the order, in this process or another one. So a process that measures takes the account's slot first and gives it
back when the order's end is known. An order whose end is not known keeps the account busy by its state alone (`sent`, `unknown`), even
when the slot's holder has died. An order that rests in a paper account does not: the account keeps what it may still take. A venue's
account keeps nothing, so an order that is open there is under way until it has ended.

Blocking. Raises StoreError.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select, update

from engine.domain.account_ref import AccountRef
from engine.domain.broker_capabilities import capabilities_of
from engine.domain.orders import OrderReport
from engine.journal.chain import Chain
from engine.journal.tables import ACCOUNT_SLOTS, ORDERS, PROPOSALS

_ORDERED = ("sent", "unknown")


@dataclass(frozen=True)
class Slot:
    """One taking of an account's slot. token: names this taking, so that a holder who slept cannot mistake another's slot for its own."""

    account: str
    proposal_id: str
    owner: str
    token: str


@dataclass(frozen=True)
class Busy:
    """Why a slot cannot be had. proposal_id: whose turn it is. state: `unknown` when no one knows the outcome of its order, `sent` when its
    order is under way, `checking` while it is measured."""

    proposal_id: str
    state: str


class AccountSlots:
    """Over the journal's database. talking: opens a transaction (`Journal`)."""

    def __init__(self, talking: Callable[[str], AbstractContextManager[Connection]], chain: Chain, clock: Callable[[], datetime]) -> None:
        self._talking, self._chain, self._clock = talking, chain, clock

    def take(self, slot: Slot, is_left: Callable[[str, datetime], bool]) -> Busy | None:
        """Take an account's slot; None when it is taken. is_left: whether a holder (its process, since when) no longer works on it."""
        with self._talking("write an account's slot to") as connection:
            self._chain.lock(connection)
            ordered = select(PROPOSALS.c.id, PROPOSALS.c.state).where(
                PROPOSALS.c.account == slot.account, PROPOSALS.c.state.in_(_ORDERED), PROPOSALS.c.id != slot.proposal_id
            )
            keeps_room = capabilities_of(AccountRef.of_account(slot.account).broker).reserves_cash
            for other in connection.execute(ordered):
                if not (keeps_room and _rests(connection, other.id)):
                    return Busy(other.id, other.state)
            found = connection.execute(select(ACCOUNT_SLOTS).where(ACCOUNT_SLOTS.c.account == slot.account)).first()
            values = {"proposal_id": slot.proposal_id, "owner": slot.owner, "token": slot.token, "taken_at": self._clock().isoformat()}
            if found is None:
                connection.execute(insert(ACCOUNT_SLOTS).values(account=slot.account, **values))
            elif is_left(found.owner, datetime.fromisoformat(found.taken_at)):
                connection.execute(update(ACCOUNT_SLOTS).where(ACCOUNT_SLOTS.c.account == slot.account).values(**values))
            else:
                return Busy(found.proposal_id, "checking")
        return None

    def give_back(self, slot: Slot) -> None:
        """Give a slot back; one that someone else has taken over stays theirs."""
        with self._talking("write an account's slot to") as connection:
            connection.execute(delete(ACCOUNT_SLOTS).where(ACCOUNT_SLOTS.c.account == slot.account, ACCOUNT_SLOTS.c.token == slot.token))


def _rests(connection: Connection, proposal_id: str) -> bool:
    """Return whether the broker has reported every order of a proposal as resting: it is known, and waits for its price."""
    reports = list(connection.execute(select(ORDERS.c.report).where(ORDERS.c.subject == proposal_id)).scalars())
    return bool(reports) and all(report is not None and OrderReport.model_validate_json(report).state == "open" for report in reports)


def holds(connection: Connection, slot: Slot) -> bool:
    """Return whether a slot is still held, inside a transaction that no one else can come between."""
    found = connection.execute(select(ACCOUNT_SLOTS.c.token).where(ACCOUNT_SLOTS.c.account == slot.account)).scalar_one_or_none()
    return found == slot.token
