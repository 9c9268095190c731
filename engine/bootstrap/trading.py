"""Brokers, and everything that answers for proposals."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

from engine.approvals.alerts import Alerts
from engine.approvals.approval_service import ApprovalService
from engine.approvals.deps import ApprovalDeps
from engine.approvals.filing import ApprovalRules
from engine.approvals.holdings import Holdings
from engine.approvals.maintenance import AccountMaintenance
from engine.approvals.order_dispatch import OrderDispatcher
from engine.approvals.practice import PracticeAccounts
from engine.approvals.proposal_service import ProposalService
from engine.approvals.protection_service import ProtectionService
from engine.bootstrap.alert_channels import AlertChannels
from engine.bootstrap.live_gate import LiveGate
from engine.bootstrap.providers import ProviderFactory
from engine.bootstrap.share_quotes import AccountQuotes, CompanyQuotes
from engine.brokers import BROKERS, require_broker
from engine.brokers.entry import BrokerServices
from engine.domain.account_ref import AccountRef
from engine.domain.alert import Alert
from engine.domain.broker_capabilities import capabilities_of
from engine.domain.errors import BadInput
from engine.domain.run import RunRecord
from engine.domain.text.reason import Reason
from engine.instruments.quotes import FeedQuotes
from engine.journal.process import is_dead, this_process
from engine.journal.store import Journal
from engine.settings import EnvironmentSettings, Settings
from engine.trading.protocol import Broker, ShareBroker, ShareQuotes


class Brokers:
    """Made when a place names them, kept while they hold connections. own: settings of every broker."""

    def __init__(
        self, settings: Settings, own: Mapping[str, EnvironmentSettings], journal: Journal, providers: ProviderFactory, alerts: Alerts
    ) -> None:
        self._providers, self.own = providers, own
        self._services = BrokerServices(settings, journal, self._quotes, providers.clock, alerts)
        self._made: dict[str, Broker] = {}
        self._earlier: list[Broker] = []
        self._share_quotes: dict[str, ShareQuotes] = {}

    def broker(self, account_ref: AccountRef) -> Broker:
        """Return the broker of a place. Raises BadInput when it cannot be made."""
        name, account = account_ref.broker, account_ref.account
        if account not in self._made:
            if not capabilities_of(name).any_feed and account_ref.feed != "live":
                raise BadInput(Reason("exchange_account_is_traded_at_its_own", broker=name))
            self._made[account] = BROKERS[name].make(account_ref, self.own[name], self._services)
        return self._made[account]

    def share_broker(self, account_ref: AccountRef) -> ShareBroker:
        """Return the broker of a place as one whose account holds shares. Raises BadInput for one that has none."""
        require_broker(account_ref.broker, shares=True)
        return cast(ShareBroker, self.broker(account_ref))

    def share_quotes(self, account_ref: AccountRef) -> ShareQuotes:
        """Return the prices of listed companies of a place. Raises BadInput when they cannot be made."""
        if account_ref.account not in self._share_quotes:
            ref = account_ref
            self._providers.equities(ref.feed, ref.data_dir, ref.seed)  # raises where it cannot be made
            self._share_quotes[ref.account] = CompanyQuotes(
                lambda: self._providers.equities(ref.feed, ref.data_dir, ref.seed), orders_wait=self._providers.orders_wait
            )
        return self._share_quotes[account_ref.account]

    def _quotes(self, account_ref: AccountRef) -> AccountQuotes:
        """Return the prices of an account's feed, of markets and of companies."""
        markets = FeedQuotes(lambda: self._providers.feed(account_ref), self._providers.clock)
        return AccountQuotes(lambda: markets, lambda: self.share_quotes(account_ref))

    def adopt(self, settings: Settings, own: Mapping[str, EnvironmentSettings]) -> None:
        """Make brokers by other settings from now on. An order that is in flight comes to its end where it was begun."""
        changed = {name for name, each in own.items() if each != self.own[name]}
        self._services, self.own = replace(self._services, settings=settings), own
        for account in [account for account in self._made if account.partition(":")[0] in changed]:
            self._earlier.append(self._made.pop(account))

    async def wait_until_idle(self) -> None:
        """Wait until no order is in flight any more."""
        for broker in (*self._earlier, *self._made.values()):
            await broker.wait_until_idle()

    async def close(self) -> None:
        """Release every connection."""
        for broker in (*self._earlier, *self._made.values()):
            await broker.close()
        self._earlier.clear()
        self._made.clear()
        self._share_quotes.clear()


@dataclass(frozen=True)
class ApprovalServices:
    """What answers for proposals in this process."""

    deps: ApprovalDeps
    approval_service: ApprovalService
    dispatcher: OrderDispatcher
    holdings: Holdings
    proposal_service: ProposalService
    gate: LiveGate
    brokers: Brokers
    maintenance: AccountMaintenance
    protection: ProtectionService
    practice: PracticeAccounts
    alerts: AlertChannels

    def adopt(self, settings: Settings, own: Mapping[str, EnvironmentSettings]) -> None:
        """Order by other settings from now on. own: the settings of every broker."""
        self.brokers.adopt(settings, own)
        self.alerts.adopt(settings)
        self.holdings.name_accounts(_named_accounts(settings))

    def tell_failed(self, record: RunRecord) -> None:
        """Alert a run that failed, except in a demo, whose viewer sees it."""
        ref = record.request.account_ref
        if ref is None or not ref.starts_over:
            text = Reason("run_has_failed", subject=record.request.subject, run_id=record.run_id)
            self.alerts.send(Alert(kind="failed", account="", at=self.deps.clock(), text=text))

    async def close(self) -> None:
        """Cancel maintenance that is under way, release the brokers' connections, let the alerts out."""
        await self.maintenance.close()
        await self.brokers.close()
        await asyncio.to_thread(self.alerts.close)


def make_approval_services(
    settings: Settings,
    own: Mapping[str, EnvironmentSettings],
    journal: Journal,
    providers: ProviderFactory,
    *,
    asks_live: bool,
    is_alone: bool,
) -> ApprovalServices:
    """Make everything that answers for proposals. Brokers and feeds are made at their first use: no one is asked anything here. own: the
    settings of every broker. is_alone: no other process uses this journal, so every other owner named in it has ended, whichever
    machine it ran on."""
    alerts = AlertChannels(settings)
    gate, brokers = LiveGate(settings, asks=asks_live), Brokers(settings, own, journal, providers, alerts)
    deps = ApprovalDeps(
        journal=journal,
        broker=brokers.broker,
        feed=providers.feed,
        may_send=gate.may_send,
        rules=ApprovalRules(settings.proposal_minutes * 60, settings.two_sign_above),
        clock=providers.clock,
        owner=this_process(),
        is_dead=this_process().__ne__ if is_alone else is_dead,
        automatic=settings.approval == "automatic",
        ceiling=settings.risk,
        share_quotes=brokers.share_quotes,
        share_broker=brokers.share_broker,
    )
    dispatcher = OrderDispatcher(deps)
    approval_service = ApprovalService(deps, dispatcher)
    holdings = Holdings(deps, _named_accounts(settings))
    alerted = settings.home / "alerted-ends.json"
    maintenance = AccountMaintenance(dispatcher, holdings, approval_service, journal, alerts, providers.clock, alerted)
    return ApprovalServices(
        deps=deps,
        approval_service=approval_service,
        dispatcher=dispatcher,
        holdings=holdings,
        proposal_service=ProposalService(deps, approval_service, alerts),
        gate=gate,
        brokers=brokers,
        maintenance=maintenance,
        protection=ProtectionService(deps, holdings),
        practice=PracticeAccounts(deps),
        alerts=alerts,
    )


def _named_accounts(settings: Settings) -> tuple[AccountRef, ...]:
    """Return the account at a venue that the settings name."""
    chosen = AccountRef(broker=settings.broker, feed="live", exchange=settings.exchange)
    return (chosen,) if capabilities_of(settings.broker).at_venue else ()
