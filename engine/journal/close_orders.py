"""Orders that take risk away at an exchange. They are sent even while the journal cannot be written.

Normally such an order is a row of the journal before it leaves. Where that fails, the order is noted in a file of its own beside the
journal, and one line of the log says so. `take_in` writes what was noted into the journal when that works again; the outcome of an order is
not noted, since the venue is asked for it (`Holdings.recover`). Without the note, the fill of such an order would later count as a
stranger's, and what a stranger holds in that market would be taken for ours. Blocking.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from pydantic import AwareDatetime, ValidationError

from engine.domain.errors import StoreError
from engine.domain.frozen_model import FrozenModel
from engine.domain.orders import Order, OrderReport
from engine.domain.text.reason import Reason
from engine.journal.private_files import make_whole, sync_folder
from engine.journal.proposal_store import ProposalStore
from engine.journal.spare_folder import file_to_write, files_to_read, usable_folders

_log = logging.getLogger(__name__)


class NotedOrder(FrozenModel):
    """An order that was sent without a row in the journal. at: when it was noted. who, account, subject: as for the row."""

    order: Order
    account: str
    subject: str
    who: str
    at: AwareDatetime


class CloseOrders:
    """Of one journal. home: where notes stand if they can. mark, journal_id: as for the halt flag. Safe to use from several processes."""

    def __init__(self, proposal_store: ProposalStore, home: Path, mark: str, journal_id: str, clock: Callable[[], datetime]) -> None:
        self._proposal_store, self._clock = proposal_store, clock
        self._home, self._name, self._journal_id = home, f"unrecorded{mark}", journal_id

    @property
    def has_notes(self) -> bool:
        """Whether an order was sent whose row is not in the journal yet."""
        return bool(self._notes())

    def noted(self, account: str, symbol: str) -> tuple[str, ...]:
        """Return the client ids of the noted orders of an account in a market. Raises StoreError if a note cannot be read."""
        found = []
        for file in self._notes():
            with suppress(FileNotFoundError):  # another process has taken it in
                noted = _read(file)
                if (noted.account, noted.order.symbol) == (account, symbol):
                    found.append(noted.order.client_id)
        return tuple(found)

    def write(self, order: Order, account: str, subject: str, who: str) -> bool:
        """Write an order down before it is sent; note it where the journal cannot be written.

        Returns False if another process has written or noted an order of that client id. Raises ValueError for an order that adds risk.
        """
        if not order.reduce_only:
            raise ValueError(f"order {order.client_id} adds risk: it is written into the journal or not sent")
        try:
            return self._proposal_store.write_order(order, account, subject, who)
        except StoreError as problem:
            return self._note(NotedOrder(order=order, account=account, subject=subject, who=who, at=self._clock()), problem)

    def report(self, report: OrderReport) -> None:
        """Write down the outcome of an order; where the journal cannot be written, the venue is asked for it later."""
        try:
            self._proposal_store.report(report)
        except StoreError as problem:
            _log.warning(
                "what became of order %s is not recorded yet: %s, %f filled (%s)", report.client_id, report.state, report.filled, problem
            )

    def take_in(self) -> int:
        """Write the noted orders into the journal and remove their notes. Returns how many there were. Raises StoreError, and then the
        rest stays noted. Done twice, it changes nothing more."""
        notes = self._notes()
        for file in notes:
            try:
                noted = _read(file)
                self._proposal_store.write_order(noted.order, noted.account, noted.subject, noted.who, noted.at)
                file.unlink(missing_ok=True)
                sync_folder(file.parent)
            except FileNotFoundError:  # another process was quicker
                continue
            except OSError as problem:
                raise StoreError(Reason("note_is_in_journal_and_cannot", file=file, strerror=problem.strerror)) from problem
        return len(notes)

    def _note(self, noted: NotedOrder, problem: StoreError) -> bool:
        name = f"{noted.order.client_id}.json"
        if any((folder / name).exists() for folder in files_to_read(self._home, self._name, self._journal_id)):
            return False
        for make in (False, True):  # the spare place is made only when it is needed
            for folder in usable_folders(self._home, make=make):
                notes = file_to_write(self._home, folder, self._name, self._journal_id)
                try:
                    notes.mkdir(mode=0o700, exist_ok=True)
                    make_whole(notes / name, noted.model_dump_json())
                except FileExistsError:
                    return False
                except OSError as trouble:
                    _log.warning("an order cannot be noted in %s: %s", notes, trouble.strerror)
                else:
                    _log.warning("%s: order %s is sent all the same, noted in %s", problem, noted.order.client_id, notes)
                    return True
        _log.critical("%s: NOT RECORDED ANYWHERE, sent all the same: %s", problem, noted.model_dump_json())
        return True

    def _notes(self) -> list[Path]:
        return [file for folder in files_to_read(self._home, self._name, self._journal_id) for file in sorted(folder.glob("*.json"))]


def _read(file: Path) -> NotedOrder:
    """Return a note. Raises FileNotFoundError if it is gone, StoreError if it cannot be read."""
    try:
        return NotedOrder.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        raise
    except (OSError, ValidationError) as problem:
        raise StoreError(Reason("note_of_order_cannot_be_read", file=file, problem=str(problem).splitlines()[0])) from problem
