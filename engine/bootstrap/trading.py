"""Brokers, and everything that answers for proposals."""

from dataclasses import dataclass

from engine.approvals.alerts import Alerts, LoggedAlerts
from engine.approvals.answers import Answers
from engine.approvals.delivery import Delivery
from engine.approvals.deps import Sources
from engine.approvals.filing import Rules
from engine.approvals.holdings import Holdings
from engine.approvals.maintenance import Watch
from engine.approvals.proposal_service import ProposalService
from engine.approvals.quotes import FeedQuotes
from engine.approvals.shadow import ShadowBook
from engine.bootstrap.live_gate import LiveGate
from engine.bootstrap.providers import ProviderFactory
from engine.domain.account_ref import Place
from engine.domain.errors import BadInput
from engine.journal.process import is_dead, this_process
from engine.journal.store import Journal
from engine.settings import Settings
from engine.trading.paper import PaperBroker
from engine.trading.protocol import Broker


class Brokers:
    """Made when a place names them, kept while they hold connections."""

    def __init__(self, settings: Settings, journal: Journal, providers: ProviderFactory, alerts: Alerts) -> None:
        self._settings, self._journal, self._providers, self._alerts = settings, journal, providers, alerts
        self._made: dict[str, Broker] = {}

    def broker(self, place: Place) -> Broker:
        """Return the broker of a place. Raises BadInput when it cannot be made."""
        if place.account not in self._made:
            self._made[place.account] = self._exchange(place) if place.broker == "exchange" else self._paper(place)
        return self._made[place.account]

    def _paper(self, place: Place) -> Broker:
        quotes = FeedQuotes(self._providers.feed(place), self._providers.clock)
        return PaperBroker(place.account, quotes, self._journal.spooling, self._providers.clock, self._settings.risk.equity)

    def _exchange(self, place: Place) -> Broker:
        if place.feed != "live":
            raise BadInput("an exchange's account is traded at its own prices: use --feed live with --broker exchange")
        from engine.bootstrap.exchange_account import make_exchange_broker  # noqa: PLC0415 - it brings ccxt

        return make_exchange_broker(self._settings, self._journal, place, self._providers.clock, self._alerts)

    async def wait_until_idle(self) -> None:
        """Wait until no order is under way any more."""
        for broker in tuple(self._made.values()):
            await broker.wait_until_idle()

    async def close(self) -> None:
        """Release every connection."""
        for broker in self._made.values():
            await broker.close()
        self._made.clear()


@dataclass(frozen=True)
class Settlement:
    """What answers for proposals in this process."""

    answers: Answers
    delivery: Delivery
    holdings: Holdings
    shadow: ShadowBook
    proposal_service: ProposalService
    gate: LiveGate
    brokers: Brokers
    watch: Watch

    async def close(self) -> None:
        """End looks that are under way, release the brokers' connections."""
        await self.watch.close()
        await self.brokers.close()


def make_settlement(settings: Settings, journal: Journal, providers: ProviderFactory, *, asks_live: bool) -> Settlement:
    """Return everything is made late but for its providers: no broker is asked anything here."""
    alerts = LoggedAlerts()
    gate, brokers = LiveGate(settings, asks=asks_live), Brokers(settings, journal, providers, alerts)
    sources = Sources(
        journal=journal,
        broker=brokers.broker,
        feed=providers.feed,
        may_send=gate.may_send,
        rules=Rules(settings.proposal_minutes * 60, settings.two_sign_above),
        clock=providers.clock,
        owner=this_process(),
        is_dead=is_dead,
        automatic=settings.approval == "automatic",
        ceiling=settings.risk,
    )
    delivery = Delivery(sources)
    answers = Answers(sources, delivery)
    places = (Place(broker="exchange", feed="live", exchange=settings.exchange),) if settings.broker == "exchange" else ()
    holdings = Holdings(sources, places)
    watch = Watch(delivery, holdings, answers, journal, alerts, providers.clock)
    return Settlement(answers, delivery, holdings, ShadowBook(sources), ProposalService(sources, answers), gate, brokers, watch)
