"""Brokers, and everything that answers for proposals."""

from dataclasses import dataclass

from engine.bootstrap.live_gate import LiveGate
from engine.bootstrap.wiring import Wiring
from engine.domain.errors import BadInput
from engine.domain.place import Place
from engine.journal.process import is_dead, this_process
from engine.journal.store import Journal
from engine.settings import Settings
from engine.settle.alerts import Alerts, LoggedAlerts
from engine.settle.answers import Answers
from engine.settle.clerk import Clerk
from engine.settle.delivery import Delivery
from engine.settle.filing import Rules
from engine.settle.holdings import Holdings
from engine.settle.quotes import FeedQuotes
from engine.settle.shadow import ShadowBook
from engine.settle.sources import Sources
from engine.settle.watch import Watch
from engine.trading.paper import PaperBroker
from engine.trading.protocol import Broker


class Brokers:
    """Made when a place names them, kept while they hold connections."""

    def __init__(self, settings: Settings, journal: Journal, wiring: Wiring, alerts: Alerts) -> None:
        self._settings, self._journal, self._wiring, self._alerts = settings, journal, wiring, alerts
        self._made: dict[str, Broker] = {}

    def broker(self, place: Place) -> Broker:
        """The broker of a place. Raises BadInput when it cannot be made."""
        if place.account not in self._made:
            self._made[place.account] = self._exchange(place) if place.broker == "exchange" else self._paper(place)
        return self._made[place.account]

    def _paper(self, place: Place) -> Broker:
        quotes = FeedQuotes(self._wiring.feed(place), self._wiring.clock)
        return PaperBroker(place.account, quotes, self._journal.spooling, self._wiring.clock, self._settings.risk.equity)

    def _exchange(self, place: Place) -> Broker:
        if place.feed != "live":
            raise BadInput("an exchange's account is traded at its own prices: use --feed live with --broker exchange")
        from engine.bootstrap.exchange_account import make_exchange_broker  # noqa: PLC0415 - it brings ccxt

        return make_exchange_broker(self._settings, self._journal, place, self._wiring.clock, self._alerts)

    async def settled(self) -> None:
        """Wait until no order is under way any more."""
        for broker in tuple(self._made.values()):
            await broker.settled()

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
    clerk: Clerk
    gate: LiveGate
    brokers: Brokers
    watch: Watch

    async def close(self) -> None:
        """End looks that are under way, release the brokers' connections."""
        await self.watch.close()
        await self.brokers.close()


def make_settlement(settings: Settings, journal: Journal, wiring: Wiring, *, asks_live: bool) -> Settlement:
    """Everything is made late but for its wiring: no broker is asked anything here."""
    alerts = LoggedAlerts()
    gate, brokers = LiveGate(settings, asks=asks_live), Brokers(settings, journal, wiring, alerts)
    sources = Sources(
        journal=journal,
        broker=brokers.broker,
        feed=wiring.feed,
        may_send=gate.may_send,
        rules=Rules(settings.proposal_minutes * 60, settings.two_sign_above),
        clock=wiring.clock,
        owner=this_process(),
        is_dead=is_dead,
        automatic=settings.approval == "automatic",
        ceiling=settings.risk,
    )
    delivery = Delivery(sources)
    answers = Answers(sources, delivery)
    places = (Place(broker="exchange", feed="live", exchange=settings.exchange),) if settings.broker == "exchange" else ()
    holdings = Holdings(sources, places)
    watch = Watch(delivery, holdings, answers, journal, alerts, wiring.clock)
    return Settlement(answers, delivery, holdings, ShadowBook(sources), Clerk(sources, answers), gate, brokers, watch)
