"""The registry's entry of the exchange broker."""

import asyncio
from typing import TYPE_CHECKING, Final

from engine.brokers.ccxt.settings import CAPABILITIES, NAME, ExchangeSettings
from engine.brokers.entry import BrokerEntry, BrokerServices, VenueChecks
from engine.domain.account_ref import AccountRef
from engine.domain.diagnostics.venue import KeyPermissions, VenueStatus
from engine.settings import Settings
from engine.trading.protocol import Broker

if TYPE_CHECKING:
    from engine.venue.signed import SignedWire

_REQUEST_S: Final = 5.0
_BACKOFF_S: Final = 0.2


def _make(ref: AccountRef, own: ExchangeSettings, services: BrokerServices) -> Broker:
    """Make the broker of an exchange: its keys from the settings, its memory from the journal. Raises BadInput without keys."""
    from engine.brokers.ccxt.broker import ExchangeBroker  # noqa: PLC0415 - it brings ccxt
    from engine.brokers.ccxt.journal_records import journal_records  # noqa: PLC0415 - late, as above

    settings = services.settings
    exchange_id = ref.exchange or settings.exchange
    sandbox = settings.live != "yes"
    account = f"{NAME}:{exchange_id}" + (":sandbox" if sandbox else "")
    records = journal_records(services.journal, account, services.clock, services.alerts)
    return ExchangeBroker(exchange_id, settings.exchange_url, own.keys, services.clock, sandbox=sandbox, records=records)


async def _status(settings: Settings, own: ExchangeSettings) -> VenueStatus:
    from engine.venue.status import venue_status  # noqa: PLC0415 - ccxt comes with it

    wire = await asyncio.to_thread(_signed_wire, settings, own)
    try:
        return await venue_status(wire)
    finally:
        await wire.close()


async def _permissions(settings: Settings, own: ExchangeSettings) -> KeyPermissions:
    from engine.brokers.ccxt.permissions import key_permissions  # noqa: PLC0415 - ccxt comes with it

    wire = await asyncio.to_thread(_signed_wire, settings, own)
    try:
        return await key_permissions(wire)
    finally:
        await wire.close()


def _signed_wire(settings: Settings, own: ExchangeSettings) -> "SignedWire":
    """Return a client with the account's keys, to the sandbox unless real orders are asked for. Raises BadInput without keys."""
    from engine.venue.signed import SignedWire  # noqa: PLC0415 - ccxt comes with it

    sandbox = settings.live != "yes"
    return SignedWire(settings.exchange, settings.exchange_url, own.keys, sandbox=sandbox, timeout_s=_REQUEST_S, backoff_s=_BACKOFF_S)


EXCHANGE: Final = BrokerEntry(NAME, CAPABILITIES, ExchangeSettings, _make, VenueChecks(_status, _permissions))
