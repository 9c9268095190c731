"""The exchange broker of an installation: its keys from the settings, its memory from the journal."""

from collections.abc import Callable, Sequence
from datetime import datetime

from engine.domain.orders import OrderReport
from engine.domain.place import Place
from engine.journal.docket import WrittenOrder
from engine.journal.store import Journal
from engine.settings import Settings
from engine.trading.exchange import ExchangeBroker
from engine.trading.exchange_memory import Memory, Points, Wanted
from engine.venue.keys import Keys


def make_exchange_broker(settings: Settings, journal: Journal, place: Place, clock: Callable[[], datetime]) -> ExchangeBroker:
    """The broker of a place. Real orders only with TRIBUNAL_LIVE=yes, the exchange's sandbox otherwise. Raises BadInput without keys."""
    exchange_id = place.exchange or settings.exchange
    sandbox = settings.live != "yes"
    keys = Keys(settings.api_key, settings.api_secret, settings.api_password)
    account = f"exchange:{exchange_id}" + (":sandbox" if sandbox else "")
    return ExchangeBroker(exchange_id, settings.exchange_url, keys, clock, sandbox=sandbox, memory=journal_memory(journal, account))


def journal_memory(journal: Journal, account: str) -> Memory:
    """What the journal knows of an account."""
    docket = journal.docket

    def opening(symbol: str) -> tuple[WrittenOrder, OrderReport] | None:
        """The order that opened the position of now; None when it has been closed since, or never was ours."""
        found = None
        for each in docket.orders_of(account, symbol):
            if each.report is None or each.report.state != "filled":
                continue
            if not each.order.reduce_only:
                found = found or (each, each.report)
            elif _closes(journal, each):
                found = None
        return found

    def opened(symbol: str) -> datetime | None:
        found = opening(symbol)
        return found[1].at if found is not None else None

    def wanted(symbol: str) -> Wanted | None:
        first = opening(symbol)
        if first is None:
            return None
        since = [each for each in docket.orders_of(account, symbol) if each.written_at >= first[0].written_at]
        filled = [each.order for each in since if each.report is not None and each.report.state == "filled" and not each.order.reduce_only]
        stops = [order.stop for order in filled if order.stop is not None]
        targets = [order.target for order in filled if order.target is not None]
        return Wanted(filled[-1].client_id, stops[-1] if stops else None, targets[-1] if targets else None)

    def recent(name: str, since: datetime) -> tuple[Sequence[datetime], Points]:
        written = [each for each in docket.orders_of(name) if each.written_at >= since]
        return [each.written_at for each in written], [point for each in written if (point := _net(journal, each)) is not None]

    return Memory(
        ours=lambda client_id: docket.order(client_id) is not None,
        opened=opened,
        wanted=wanted,
        history=journal.equities.history,
        remember=journal.equities.remember,
        recent=recent,
    )


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
