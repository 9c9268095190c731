"""Which instrument trades a kind: the only list of them."""

from collections.abc import Mapping
from typing import Final

from engine.domain.holding import InstrumentKind
from engine.instruments.contracts import CONTRACTS
from engine.instruments.instrument import Instrument
from engine.instruments.shares import SHARES

INSTRUMENTS: Final[Mapping[InstrumentKind, Instrument]] = {"contract": CONTRACTS, "shares": SHARES}


def instrument_of(kind: InstrumentKind) -> Instrument:
    """Return the instrument of a kind."""
    return INSTRUMENTS[kind]
