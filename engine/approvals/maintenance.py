"""Watching over accounts: every few seconds what was left by a crash is found out, and positions keep their stops.

look      find out what became of orders, mark what has expired, let brokers put things in order
run       look for ever: every `EVERY_S` where an exchange's account is in use; sooner while a position stands without a stop, with
          growing pauses
"""

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime
from typing import Final

from engine.approvals.alerts import Alerts
from engine.approvals.answers import Answers
from engine.approvals.delivery import Delivery
from engine.approvals.holdings import AccountLook, Holdings, told
from engine.domain.alert import Alert, AlertKind
from engine.domain.errors import StoreError, TribunalError
from engine.domain.proposal import Proposal
from engine.journal.store import Journal

EVERY_S: Final = 15.0
_PAPER_EVERY_S: Final = 60.0
_FIRST_PAUSE_S: Final = 1.0
_BARE_PAUSE_S: Final = 5.0  # the longest between two looks while a position stands without a stop
_log = logging.getLogger(__name__)


class Watch:
    """On the engine's loop."""

    def __init__(
        self, delivery: Delivery, holdings: Holdings, answers: Answers, journal: Journal, alerts: Alerts, clock: Callable[[], datetime]
    ) -> None:
        self._delivery, self._holdings, self._answers, self._journal = delivery, holdings, answers, journal
        self._alerts, self._clock = alerts, clock
        self._looking: set[asyncio.Task[object]] = set()
        self._trouble = ""

    @property
    def trouble(self) -> str:
        """Why the last look of `run` failed; "" when it did not."""
        return self._trouble

    async def look(self, *, send: bool = True) -> list[Proposal]:
        """Take into the journal what was written aside, find out what a dead process left, mark what has expired, let the brokers put
        things in order.

        send: approved orders that have not left yet, leave now. Gives the proposals that came to an end by it. Raises the first
        TribunalError after everything has had its turn.
        """
        ended: list[Proposal] = []
        problems: list[BaseException] = []
        for act in (
            self._take_in,
            lambda: self._delivery.recover(send=send),
            self._holdings.recover,
            self._holdings.reconcile,
            self._answers.expire_due,
        ):
            (found,) = await asyncio.gather(act(), return_exceptions=True)  # whatever breaks in one, the others have their turn
            if isinstance(found, BaseException):
                problems.append(found)
            else:
                ended += [each for each in found or () if isinstance(each, Proposal)]
        if problems:
            raise told(problems[0])
        return ended

    async def _take_in(self) -> None:
        if taken := await asyncio.to_thread(self._journal.spooling.take_in):
            _log.warning("%d written aside while the journal could not be written: taken into it now", taken)

    async def look_within(self, seconds: float, *, send: bool) -> list[Proposal] | None:
        """Look, and give up waiting after so many seconds: None. The look goes on, and what it has begun comes to its end."""
        task = asyncio.ensure_future(self.look(send=send))
        self._looking.add(task)
        task.add_done_callback(self._looked)
        done, _ = await asyncio.wait((task,), timeout=seconds)
        return task.result() if done else None

    def _looked(self, task: "asyncio.Task[object]") -> None:
        self._looking.discard(task)
        if not task.cancelled():
            task.exception()

    async def run(self) -> None:
        """Look for ever, until cancelled."""
        pause = _FIRST_PAUSE_S
        if await self._usual() == _PAPER_EVERY_S:
            await asyncio.sleep(_FIRST_PAUSE_S)  # the page that asked for it is painted in peace
        while True:
            try:
                await self.look()
                self._told("")
            except TribunalError as problem:  # a venue that is away: the next look may succeed
                self._told(str(problem))
            if await self._is_bare():
                await asyncio.sleep(pause)
                pause = min(pause * 2, _BARE_PAUSE_S)
            else:
                pause = _FIRST_PAUSE_S
                await asyncio.sleep(await self._usual())

    async def _is_bare(self) -> bool:
        try:
            return bool(await self._holdings.naked())
        except StoreError:
            return False

    async def _usual(self) -> float:
        try:
            return EVERY_S if await self._holdings.uses_exchange() else _PAPER_EVERY_S
        except StoreError:
            return EVERY_S

    def _told(self, trouble: str) -> None:
        """The same trouble is told once, and so is its end."""
        if bool(trouble) != bool(self._trouble):
            kind: AlertKind = "unread" if trouble else "read"
            text = f"accounts cannot be looked after: {trouble}" if trouble else "accounts are looked after again"
            self._alerts.tell(Alert(kind=kind, account="", at=self._clock(), text=text))
        elif trouble != self._trouble:
            _log.warning("accounts cannot be looked after: %s", trouble)
        self._trouble = trouble

    async def guard(self) -> tuple[list[str], list[AccountLook]]:
        """Return one look at the exchange accounts: what was found, a line each, and how each account stands after it."""
        lines: list[str] = []
        problem = ""
        try:
            await self._take_in()
            await self._delivery.recover(send=False)
            await self._holdings.recover()
        except TribunalError as trouble:
            problem = str(trouble)
        try:
            lines = await self._holdings.reconcile()
        except TribunalError as trouble:
            problem = str(trouble)
        looks = await self._holdings.looked()
        if problem and not any(each.problem for each in looks):
            lines.append(f"not everything could be looked after: {problem}")
        return lines, looks

    async def close(self) -> None:
        """End looks that are under way; what a broker has begun comes to its end when that is closed."""
        for task in tuple(self._looking):
            task.cancel()
        if self._looking:
            await asyncio.wait(tuple(self._looking))
