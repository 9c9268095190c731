"""Watching over accounts: every few seconds what was left by a crash is found out, and positions keep their stops.

run_once        find out what became of orders, mark what has expired, let brokers put things in order
run_forever     that, every `EVERY_S` where an exchange's account is in use; sooner while a position has no stop, with growing pauses
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from typing import Final

from engine.approvals.alerts import Alerts
from engine.approvals.approval_service import ApprovalService
from engine.approvals.held_position import AccountStatus
from engine.approvals.holdings import Holdings, as_tribunal_error
from engine.approvals.order_dispatch import OrderDispatcher
from engine.domain.alert import Alert, AlertKind
from engine.domain.errors import StoreError, TribunalError
from engine.domain.proposal import Proposal
from engine.journal.store import Journal

EVERY_S: Final = 15.0
_PAPER_EVERY_S: Final = 60.0
_FIRST_PAUSE_S: Final = 1.0
_UNPROTECTED_PAUSE_S: Final = 5.0  # the longest between two rounds while a position has no stop
_log = logging.getLogger(__name__)


class AccountMaintenance:
    """Keeps accounts in order: what a dead process left is found out, positions keep their stops. On the engine's loop."""

    def __init__(
        self,
        dispatcher: OrderDispatcher,
        holdings: Holdings,
        approvals: ApprovalService,
        journal: Journal,
        alerts: Alerts,
        clock: Callable[[], datetime],
    ) -> None:
        self._dispatcher, self._holdings, self._approvals, self._journal = dispatcher, holdings, approvals, journal
        self._alerts, self._clock = alerts, clock
        self._tasks: set[asyncio.Task[object]] = set()
        self._trouble = ""

    @property
    def trouble(self) -> str:
        """Why the last round of `run_forever` failed; "" when it did not."""
        return self._trouble

    async def run_once(self, *, send: bool = True) -> list[Proposal]:
        """Write what waits in the spool into the journal, find out what a dead process left, mark what has expired, let the brokers put
        things in order.

        send: approved orders that have not left yet leave now. Returns the proposals that came to an end by it. Raises the first
        TribunalError after everything has had its turn.
        """
        acts = (self._drain, lambda: self._dispatcher.recover(send=send), self._holdings.recover, self._holdings.reconcile)
        found, problems = await _in_turn(*acts, self._approvals.expire_due)
        if problems:
            raise as_tribunal_error(problems[0])
        return [each for each in found if isinstance(each, Proposal)]

    async def _drain(self) -> None:
        if taken := await asyncio.to_thread(self._journal.failover.drain):
            _log.warning("%d written aside while the journal could not be written: taken into it now", taken)

    async def run_within(self, seconds: float, *, send: bool) -> list[Proposal] | None:
        """Run once, and return None after so many seconds without an end; the round itself goes on and comes to its end."""
        task = asyncio.ensure_future(self.run_once(send=send))
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        done, _ = await asyncio.wait((task,), timeout=seconds)
        return task.result() if done else None

    def _forget(self, task: "asyncio.Task[object]") -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()

    async def run_forever(self) -> None:
        """Run until cancelled: every 15 s with an exchange account, every 60 s on paper, sooner while a position has no stop."""
        pause = _FIRST_PAUSE_S
        if await self._usual() == _PAPER_EVERY_S:
            await asyncio.sleep(_FIRST_PAUSE_S)  # the page that asked for it is painted in peace
        while True:
            try:
                await self.run_once()
                self._report_trouble("")
            except TribunalError as problem:  # a venue that is away: the next round may succeed
                self._report_trouble(str(problem))
            if await self._has_unprotected():
                await asyncio.sleep(pause)
                pause = min(pause * 2, _UNPROTECTED_PAUSE_S)
            else:
                pause = _FIRST_PAUSE_S
                await asyncio.sleep(await self._usual())

    async def _has_unprotected(self) -> bool:
        try:
            return bool(await self._holdings.unprotected())
        except StoreError:
            return False

    async def _usual(self) -> float:
        try:
            return EVERY_S if await self._holdings.uses_exchange() else _PAPER_EVERY_S
        except StoreError:
            return EVERY_S

    def _report_trouble(self, trouble: str) -> None:
        """Send an alert when rounds begin to fail and when they work again; log a change of the reason. trouble: "" for a round that
        worked."""
        if bool(trouble) != bool(self._trouble):
            kind: AlertKind = "unread" if trouble else "read"
            text = f"accounts cannot be checked: {trouble}" if trouble else "accounts can be checked again"
            self._alerts.send(Alert(kind=kind, account="", at=self._clock(), text=text))
        elif trouble != self._trouble:
            _log.warning("accounts cannot be checked: %s", trouble)
        self._trouble = trouble

    async def guard(self) -> tuple[list[str], list[AccountStatus]]:
        """Check the exchange accounts once. Returns what was put in order, a line each, and the status of each account after it."""
        acts = (self._drain, lambda: self._dispatcher.recover(send=False), self._holdings.recover, self._holdings.reconcile)
        found, problems = await _in_turn(*acts)
        lines = [each for each in found if isinstance(each, str)]
        statuses = await self._holdings.account_statuses()
        if problems and not any(each.problem for each in statuses):
            lines.append(f"not everything could be checked: {as_tribunal_error(problems[0])}")
        return lines, statuses

    async def close(self) -> None:
        """Cancel rounds that are under way; an order that a broker has begun ends when that broker is closed."""
        for task in tuple(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(tuple(self._tasks))


async def _in_turn(*acts: Callable[[], Awaitable[Iterable[object] | None]]) -> tuple[list[object], list[BaseException]]:
    """Do one after the other, whatever breaks in one of them. Returns what they found and what broke."""
    found: list[object] = []
    problems: list[BaseException] = []
    for act in acts:
        (outcome,) = await asyncio.gather(act(), return_exceptions=True)
        if isinstance(outcome, BaseException):
            problems.append(outcome)
        else:
            found += outcome or ()
    return found, problems
