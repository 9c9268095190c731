"""Watching over accounts: every few seconds what was left by a crash is found out, and positions keep their stops.

run_once        find the outcome of orders, mark what has expired, let brokers put things in order
run_forever     that, every `EVERY_S` where an exchange's account is in use; sooner while a position has no stop, with growing pauses
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from engine.approvals.alerts import Alerts
from engine.approvals.approval_service import ApprovalService
from engine.approvals.held_position import AccountStatus
from engine.approvals.holdings import Holdings, as_tribunal_error
from engine.approvals.order_dispatch import OrderDispatcher
from engine.domain.account_ref import AccountRef
from engine.domain.alert import Alert, AlertKind
from engine.domain.errors import StoreError, TribunalError
from engine.domain.position_record import PositionRecord
from engine.domain.proposal import Proposal
from engine.domain.text.reason import Reason
from engine.journal.private_files import write_whole
from engine.journal.store import Journal

EVERY_S: Final = 15.0
_PAPER_EVERY_S: Final = 60.0
_FIRST_PAUSE_S: Final = 1.0
_UNPROTECTED_PAUSE_S: Final = 5.0  # the longest between two rounds while a position has no stop
_log = logging.getLogger(__name__)


_Key = tuple[str, str, datetime, str | None]
_ALERTED: Final = TypeAdapter(tuple[datetime, set[_Key]])


class _AlertedEnds:
    """The ends of positions that were alerted, in a file of the home. A file that cannot be read or written counts as missing: ends that
    no process saw are not alerted then."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def of(self, ended: dict[_Key, PositionRecord], now: datetime) -> set[_Key]:
        """Return those of `ended` that were alerted, or ended before anything was to be; at the first time all."""
        try:
            since, alerted = _ALERTED.validate_json(self._path.read_bytes())
        except (OSError, ValueError):
            return set(ended)
        accounts = {account for account, *_ in alerted}  # one that could not be read then brings its past later
        return {key for key, each in ended.items() if key in alerted or (each.account not in accounts and (each.closed_at or now) < since)}

    def write(self, alerted: set[_Key], now: datetime) -> None:
        """Remember what was alerted."""
        with suppress(OSError):
            write_whole(self._path, _ALERTED.dump_json((now, alerted)).decode())

    def forget(self) -> None:
        """Let the next one be the first time."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


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
        alerted: Path,
    ) -> None:
        """alerted: a file of the home, which remembers the positions whose end was alerted."""
        self._dispatcher, self._holdings, self._approvals, self._journal = dispatcher, holdings, approvals, journal
        self._alerts, self._clock = alerts, clock
        self._tasks: set[asyncio.Task[object]] = set()
        self._trouble = ""
        self._alerted = _AlertedEnds(alerted)
        self._closed: set[_Key] | None = None  # None before anybody wanted to know

    @property
    def trouble(self) -> str:
        """Why the last round of `run_forever` failed; "" when it did not."""
        return self._trouble

    async def run_once(self, *, send: bool = True) -> list[Proposal]:
        """Write a halt and orders that were noted beside the journal into it, find out what a dead process left, mark what has expired, let
        the brokers put things in order.

        send: approved orders that have not left yet leave now. Returns the proposals that came to an end by it. Raises the first
        TribunalError after everything has had its turn.
        """
        acts = (self._take_in, lambda: self._dispatcher.recover(send=send), self._holdings.recover, self._holdings.reconcile)
        found, problems = await _in_turn(*acts, self._approvals.expire_due)
        if problems:
            raise as_tribunal_error(problems[0])
        return [each for each in found if isinstance(each, Proposal)]

    async def _take_in(self) -> None:
        await asyncio.to_thread(self._journal.audit.take_in)
        if taken := await asyncio.to_thread(self._journal.close_orders.take_in):
            _log.warning("%d orders were sent while the journal could not be written: they are in it now", taken)

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
                await self.tell_closed()
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

    async def tell_closed(self) -> None:
        """Alert positions that have ended since the call before, in this process or an earlier one, but for those of demos. Raises
        StoreError."""
        if not self._alerts.wants("closed"):
            self._closed = None
            await asyncio.to_thread(self._alerted.forget)
            return
        ended, before = {_key(each.record): each.record for each in await self._holdings.closed()}, self._closed
        alerted = before if before is not None else await asyncio.to_thread(self._alerted.of, ended, self._clock())
        for account, symbol, *_ in sorted(ended.keys() - alerted, key=lambda each: each[2]):
            if not AccountRef.of_account(account).starts_over:
                text = Reason("position_is_closed", symbol=symbol)
                self._alerts.send(Alert(kind="closed", account=account, symbol=symbol, at=self._clock(), text=text))
        self._closed = alerted | ended.keys()  # an account that could not be read this time keeps its own
        if self._closed != before:
            await asyncio.to_thread(self._alerted.write, self._closed, self._clock())

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
        acts = (self._take_in, lambda: self._dispatcher.recover(send=False), self._holdings.recover, self._holdings.reconcile)
        found, problems = await _in_turn(*acts)
        lines = [each for each in found if isinstance(each, str)]
        statuses = await self._holdings.account_statuses()
        if problems and not any(each.problem for each in statuses):
            lines.append(Reason("not_everything_was_checked", problem=as_tribunal_error(problems[0])))
        return lines, statuses

    async def close(self) -> None:
        """Cancel rounds that are under way; an order that a broker has begun ends when that broker is closed."""
        for task in tuple(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(tuple(self._tasks))


def _key(record: PositionRecord) -> _Key:
    return record.account, record.symbol, record.opened_at, record.opened_by


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
