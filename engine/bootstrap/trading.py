"""Brokers, and everything that answers for proposals."""

from dataclasses import dataclass

from engine.approvals.alerts import Alerts, LoggedAlerts
from engine.approvals.approval_service import ApprovalService
from engine.approvals.deps import ApprovalDeps
from engine.approvals.filing import ApprovalRules
from engine.approvals.holdings import Holdings
from engine.approvals.maintenance import AccountMaintenance
from engine.approvals.order_dispatch import OrderDispatcher
from engine.approvals.proposal_service import ProposalService
from engine.approvals.protection_service import ProtectionService
from engine.approvals.quotes import FeedQuotes
from engine.approvals.shadow_book import ShadowBook
from engine.bootstrap.live_gate import LiveGate
from engine.bootstrap.providers import ProviderFactory
from engine.bootstrap.share_quotes import AccountQuotes, CompanyQuotes
from engine.domain.account_ref import AccountRef
from engine.domain.errors import BadInput
from engine.journal.process import is_dead, this_process
from engine.journal.store import Journal
from engine.settings import Settings
from engine.trading.paper import PaperBroker
from engine.trading.protocol import Broker, ShareBroker, ShareQuotes


class Brokers:
    """Made when a place names them, kept while they hold connections."""

    def __init__(self, settings: Settings, journal: Journal, providers: ProviderFactory, alerts: Alerts) -> None:
        self._settings, self._journal, self._providers, self._alerts = settings, journal, providers, alerts
        self._made: dict[str, Broker] = {}
        self._share_quotes: dict[str, ShareQuotes] = {}

    def broker(self, account_ref: AccountRef) -> Broker:
        """Return the broker of a place. Raises BadInput when it cannot be made."""
        if account_ref.account not in self._made:
            self._made[account_ref.account] = self._exchange(account_ref) if account_ref.broker == "exchange" else self._paper(account_ref)
        return self._made[account_ref.account]

    def _paper(self, account_ref: AccountRef) -> Broker:
        quotes = AccountQuotes(
            lambda: FeedQuotes(lambda: self._providers.feed(account_ref), self._providers.clock), lambda: self.share_quotes(account_ref)
        )
        return PaperBroker(account_ref.account, quotes, self._journal.failover, self._providers.clock, self._settings.risk.equity)

    def share_broker(self, account_ref: AccountRef) -> ShareBroker:
        """Return the paper broker of a place. Raises BadInput for an exchange, which has no shares."""
        broker = self.broker(account_ref)
        if not isinstance(broker, PaperBroker):
            raise BadInput("shares are ordered on paper only: leave --broker exchange out")
        return broker

    def share_quotes(self, account_ref: AccountRef) -> ShareQuotes:
        """Return the prices of listed companies of a place. Raises BadInput when they cannot be made."""
        if account_ref.account not in self._share_quotes:
            ref = account_ref
            self._providers.equities(ref.feed, ref.data_dir, ref.seed)  # raises where it cannot be made
            self._share_quotes[ref.account] = CompanyQuotes(lambda: self._providers.equities(ref.feed, ref.data_dir, ref.seed))
        return self._share_quotes[account_ref.account]

    def _exchange(self, account_ref: AccountRef) -> Broker:
        if account_ref.feed != "live":
            raise BadInput("an exchange's account is traded at its own prices: use --feed live with --broker exchange")
        from engine.bootstrap.exchange_account import make_exchange_broker  # noqa: PLC0415 - it brings ccxt

        return make_exchange_broker(self._settings, self._journal, account_ref, self._providers.clock, self._alerts)

    async def wait_until_idle(self) -> None:
        """Wait until no order is in flight any more."""
        for broker in tuple(self._made.values()):
            await broker.wait_until_idle()

    async def close(self) -> None:
        """Release every connection."""
        for broker in self._made.values():
            await broker.close()
        self._made.clear()
        self._share_quotes.clear()


@dataclass(frozen=True)
class ApprovalServices:
    """What answers for proposals in this process."""

    approval_service: ApprovalService
    dispatcher: OrderDispatcher
    holdings: Holdings
    shadow: ShadowBook
    proposal_service: ProposalService
    gate: LiveGate
    brokers: Brokers
    maintenance: AccountMaintenance
    protection: ProtectionService

    async def close(self) -> None:
        """Cancel maintenance that is under way, release the brokers' connections."""
        await self.maintenance.close()
        await self.brokers.close()


def make_approval_services(settings: Settings, journal: Journal, providers: ProviderFactory, *, asks_live: bool) -> ApprovalServices:
    """Make everything that answers for proposals. Brokers and feeds are made at their first use: nobody is asked anything here."""
    alerts = LoggedAlerts()
    gate, brokers = LiveGate(settings, asks=asks_live), Brokers(settings, journal, providers, alerts)
    deps = ApprovalDeps(
        journal=journal,
        broker=brokers.broker,
        feed=providers.feed,
        may_send=gate.may_send,
        rules=ApprovalRules(settings.proposal_minutes * 60, settings.two_sign_above),
        clock=providers.clock,
        owner=this_process(),
        is_dead=is_dead,
        automatic=settings.approval == "automatic",
        ceiling=settings.risk,
        share_quotes=brokers.share_quotes,
        share_broker=brokers.share_broker,
    )
    dispatcher = OrderDispatcher(deps)
    approval_service = ApprovalService(deps, dispatcher)
    account_refs = (AccountRef(broker="exchange", feed="live", exchange=settings.exchange),) if settings.broker == "exchange" else ()
    holdings = Holdings(deps, account_refs)
    maintenance = AccountMaintenance(dispatcher, holdings, approval_service, journal, alerts, providers.clock)
    return ApprovalServices(
        approval_service=approval_service,
        dispatcher=dispatcher,
        holdings=holdings,
        shadow=ShadowBook(deps),
        proposal_service=ProposalService(deps, approval_service),
        gate=gate,
        brokers=brokers,
        maintenance=maintenance,
        protection=ProtectionService(deps, holdings),
    )
