"""The exchange broker of an installation: its keys from the settings, its memory from the journal."""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime

from engine.domain.errors import StoreError
from engine.domain.orders import OrderReport
from engine.domain.place import Place
from engine.journal.docket import WrittenOrder
from engine.journal.store import Journal
from engine.settings import Settings
from engine.settle.holdings import GONE, gone_subject
from engine.trading.exchange import ExchangeBroker
from engine.trading.exchange_memory import Memory, Points, Wanted
from engine.venue.keys import Keys

_log = logging.getLogger(__name__)


def make_exchange_broker(settings: Settings, journal: Journal, place: Place, clock: Callable[[], datetime]) -> ExchangeBroker:
    """The broker of a place. Real orders only with TRIBUNAL_LIVE=yes, the exchange's sandbox otherwise. Raises BadInput without keys."""
    exchange_id = place.exchange or settings.exchange
    sandbox = settings.live != "yes"
    keys = Keys(settings.api_key, settings.api_secret, settings.api_password)
    account = f"exchange:{exchange_id}" + (":sandbox" if sandbox else "")
    return ExchangeBroker(exchange_id, settings.exchange_url, keys, clock, sandbox=sandbox, memory=journal_memory(journal, account))


def journal_memory(journal: Journal, account: str) -> Memory:
    """What the journal knows of an account."""
    own = _Remembered(journal, account)
    return Memory(
        ours=own.ours,
        opened=own.opened,
        wanted=own.wanted,
        history=journal.equities.history,
        remember=journal.equities.remember,
        recent=own.recent,
    )


class _Remembered:
    """Answers out of the orders that were written down."""

    def __init__(self, journal: Journal, account: str) -> None:
        self._journal, self._docket, self._account = journal, journal.docket, account

    def ours(self, client_id: str) -> bool:
        """Whether an order was written down here. While the journal cannot be read, only what was written aside is known: the rest is left
        alone."""
        try:
            return self._docket.order(client_id) is not None or self._journal.spooling.order(client_id) is not None
        except StoreError as problem:
            _log.warning("whether order %s is ours is not known: %s", client_id, problem)
            return False

    def opened(self, symbol: str) -> datetime | None:
        """When the position of now was opened; None when nobody knows, and while the journal cannot be read."""
        try:
            found = self._opening(symbol)
        except StoreError as problem:
            _log.warning("when the position in %s was opened is not known: %s", symbol, problem)
            return None
        return found[1].at if found is not None else None

    def wanted(self, symbol: str) -> Wanted | None:
        """The levels that were signed last for the position of now."""
        first = self._opening(symbol)
        if first is None:
            return None
        since = [each for each in self._filled(symbol) if each.written_at >= first[0].written_at]
        levelled = [each.order for each in since if each.order.stop is not None or each.order.target is not None]
        if not levelled:
            return None
        stops = [order.stop for order in levelled if order.stop is not None]
        targets = [order.target for order in levelled if order.target is not None]
        return Wanted(levelled[-1].client_id, stops[-1] if stops else None, targets[-1] if targets else None)

    def recent(self, account: str, since: datetime) -> tuple[Sequence[datetime], Points]:
        """When orders left since an instant, and what those that closed something brought."""
        written = [each for each in self._docket.orders_of(account) if each.written_at >= since]
        return [each.written_at for each in written], [point for each in written if (point := _net(self._journal, each)) is not None]

    def _filled(self, symbol: str) -> list[WrittenOrder]:
        orders = self._docket.orders_of(self._account, symbol)
        return [each for each in orders if each.report is not None and each.report.state == "filled"]

    def _opening(self, symbol: str) -> tuple[WrittenOrder, OrderReport] | None:
        """The order that opened the position of now; None when it has been closed since, or never was ours."""
        ended = self._journal.audit.last(GONE, gone_subject(self._account, symbol))
        found = None
        for each in self._filled(symbol):
            if ended is not None and each.written_at <= ended.at:
                continue
            if not each.order.reduce_only:
                found = found or ((each, each.report) if each.report is not None else None)
            elif _closes(self._journal, each):
                found = None
        return found


def _closes(journal: Journal, each: WrittenOrder) -> bool:
    """Whether an order that makes a position smaller ended it."""
    if each.subject.startswith("close "):
        return True
    proposal = journal.docket.proposal(each.subject)
    return proposal is not None and proposal.basis.adjustment_pct is None


def _net(journal: Journal, each: WrittenOrder) -> tuple[datetime, float] | None:
    """What a closing order brought, where the position it closed is known."""
    proposal = journal.docket.proposal(each.subject)
    report, holding = each.report, proposal.basis.holding if proposal is not None else None
    if not each.order.reduce_only or report is None or report.price is None or holding is None:
        return None
    result = (float(report.price) - holding.entry_price) * float(report.filled) * holding.sign()
    return report.at, result - float(report.fee)
