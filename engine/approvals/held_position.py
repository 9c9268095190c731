"""An open position as it is measured, a position that is closed, and the status of an account: what pages and shell are handed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from engine.domain.alert import UnprotectedPosition
from engine.domain.holding import NATURES
from engine.domain.invalidation import InvalidationCheck, Thesis
from engine.domain.market.candles import Candle, Candles
from engine.domain.orders import Position
from engine.domain.position_record import PositionRecord


@dataclass(frozen=True)
class HeldPosition:
    """An open position, measured. price: the last one. facts: `profit_pct` and its kin, None where not known. thesis, checked: why it was
    entered and whether that still holds. why: what could not be measured. currency: of its prices, "" = its market's quote currency.

    record: what went into it and what it has cost so far, None where that is not known. break_even: the price at which all of it comes out
    even, after costs. stopped: what it brings from now on if it is stopped, after the costs of the way out, against its average entry,
    quote units; None where it has no stop or that is not known. candles: of its market from before its entry on, None where they cannot be
    read; forming: the open one; series: its indicators, key of a fact -> one value a candle. stands_still: its market has a clock of its
    own, which stays at `at` until it is read at a later instant (a decision about the past, the end of a recording): nothing moves
    meanwhile, its stop neither.

    ours: how much of it our orders made, base units; None where that is not known.
    """

    account: str
    position: Position
    price: Decimal | None
    at: datetime | None
    facts: dict[str, float | None]
    thesis: Thesis | None = None
    checked: tuple[InvalidationCheck, ...] = ()
    why: str = ""
    currency: str = ""
    record: PositionRecord | None = None
    break_even: Decimal | None = None
    stopped: Decimal | None = None
    candles: Candles | None = None
    forming: Candle | None = None
    series: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    stands_still: bool = False
    ours: Decimal | None = None

    @property
    def is_shared(self) -> bool:
        """Whether a part of it is not ours."""
        return self.ours is not None and self.ours < self.position.size

    @property
    def unrealised(self) -> Decimal | None:
        """Its gain or loss against its average entry, quote units, before costs; None where the price is not known."""
        held = self.position
        return (self.price - held.entry_price) * held.size * held.sign if self.price is not None else None

    @property
    def booked(self) -> Decimal | None:
        """What is realised of it: parts that were closed, fees, funding and dividends, quote units; None where that is not known."""
        return self.record.booked(self.position.size, self.position.entry_price) if self.record is not None else None

    @property
    def result(self) -> Decimal | None:
        """What it has come to by now after fees, funding and dividends, quote units: unrealised and booked; None where either is not
        known."""
        return self.unrealised + self.booked if self.unrealised is not None and self.booked is not None else None

    @property
    def at_stop(self) -> Decimal | None:
        """What all of it comes to if it is stopped, quote units: `stopped` and what is booked; None where either is not known."""
        return self.stopped + self.booked if self.stopped is not None and self.booked is not None else None

    @property
    def margin(self) -> Decimal:
        """What is set aside for it, quote units; of shares what they are worth."""
        held = self.position
        if NATURES[held.instrument].paid_in_full:
            return held.size * (self.price or held.entry_price)
        return held.size * held.entry_price / Decimal(str(held.leverage))

    @property
    def in_r(self) -> float | None:
        """The result in units of what was at risk when it was opened."""
        return self.record.in_r(self.result) if self.record is not None else None

    @property
    def money(self) -> str:
        """The currency of its prices and its result."""
        return self.currency or self.position.symbol.partition("/")[2].partition(":")[0]

    @property
    def is_protected(self) -> bool:
        """Whether a working stop closes all of it."""
        return self.position.stop is not None

    def to_json(self) -> dict[str, Any]:
        """Return a row of `positions --json`: numbers as numbers, percentages of the price without leverage."""
        held = self.position
        price = _float(self.price)
        levels = {name: _float(getattr(held, name)) for name in ("stop", "target", "liquidation_price")}
        return {
            "symbol": held.symbol,
            "side": held.side,
            "size": float(held.size),
            "ours": _float(self.ours),
            "entry_price": float(held.entry_price),
            "leverage": held.leverage,
            "instrument": held.instrument,
            "currency": self.money,
            "opened_at": held.opened_at.isoformat() if held.opened_at else None,
            "price": price,
            "at": self.at.isoformat() if self.at else None,
            "stands_still": self.stands_still,
            "result": _float(self.result),
            "unrealised": _float(self.unrealised),
            "booked": _float(self.booked),
            "r": self.in_r,
            "break_even": _float(self.break_even),
            **self.facts,
            **levels,
            "protected": self.is_protected,
            "account": self.account,
            "run_id": self.thesis.run_id if self.thesis else None,
            "invalidations": [each.model_dump(mode="json") for each in self.checked],
            "why": self.why or None,
        }


@dataclass(frozen=True)
class AccountStatus:
    """An exchange account as `guard` found it. problem: why it could not be read. unprotected: positions without a stop, since when and
    why."""

    account: str
    positions: tuple[Position, ...] = ()
    unprotected: tuple[UnprotectedPosition, ...] = ()
    problem: str = ""

    @property
    def is_safe(self) -> bool:
        """Whether it was read, and every position has its stop."""
        return not self.problem and all(position.stop is not None for position in self.positions)


@dataclass(frozen=True)
class ClosedPosition:
    """A position that is over, beside what was argued for it. run_id, thesis: of the decision that opened it, None and "" where that is not
    known here. closed_by: who asked for the order that closed it, or signed it, "" where the market did; by_hand: it was no decision.
    price_step: of its market, None where it is not known. currency: of its money. planned_r: what was to be won at the target for
    what was at risk, after costs, as it was signed; None where that is not known."""

    record: PositionRecord
    run_id: str | None = None
    thesis: str = ""
    closed_by: str = ""
    by_hand: bool = False
    price_step: float | None = None
    currency: str = ""
    planned_r: float | None = None


def _float(value: Decimal | None) -> float | None:
    return float(value) if value is not None else None
