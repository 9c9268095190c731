"""The registry's entry of the paper broker."""

from typing import Final

from engine.brokers.entry import BrokerEntry, BrokerServices
from engine.brokers.paper.settings import CAPABILITIES, NAME, PaperSettings
from engine.domain.account_ref import AccountRef
from engine.trading.protocol import Broker


def _make(ref: AccountRef, _own: PaperSettings, services: BrokerServices) -> Broker:
    from engine.brokers.paper.broker import PaperBroker  # noqa: PLC0415 - made when an account is asked for

    return PaperBroker(ref.account, services.quotes(ref), services.journal.ledger, services.clock, services.settings.risk.equity)


PAPER: Final = BrokerEntry(NAME, CAPABILITIES, PaperSettings, _make)
