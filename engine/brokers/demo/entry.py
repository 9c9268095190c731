"""The registry's entry of the demo's account: paper money in a book of its own, which begins anew with every demo.

Its orders are checked, filled and kept as those of every paper account. Nothing in it counts with another account's positions, limits or
results, because each account is measured by its own ledger alone.
"""

from dataclasses import replace
from typing import Final

from engine.brokers.entry import BrokerEntry, BrokerServices
from engine.brokers.paper.settings import CAPABILITIES as PAPER
from engine.brokers.paper.settings import PaperSettings
from engine.domain.account_ref import AccountRef
from engine.domain.broker_capabilities import DEMO_BROKER
from engine.trading.protocol import Broker


def _make(ref: AccountRef, _own: PaperSettings, services: BrokerServices) -> Broker:
    from engine.brokers.paper.broker import PaperBroker  # noqa: PLC0415 - made when an account is asked for

    return PaperBroker(ref.account, services.quotes(ref), services.journal.ledger, services.clock, services.settings.risk.equity, _DEMO)


_DEMO: Final = (DEMO_BROKER, replace(PAPER, starts_over=True))
DEMO: Final = BrokerEntry(*_DEMO, PaperSettings, _make)
