"""Splits and dividends out of a file of factors, as LEAN writes it.

A row's factors hold for its date and the days before it, down to the row above: what changes between a row and the next one happened in the
session after the row's date. price_factor carries dividends (one less the amount as a share of `reference_price`, the close before),
split_factor the splits. Both are products up to the end of the file, so that only quotients of neighbours say anything, and those say it of
one day only.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.domain.equity.share_events import Dividend, Split
from engine.domain.text.reason import Reason
from engine.equity.adjustment import split_ratio
from engine.files.table_file import Table, read_table

_COLUMNS = ("date", "price_factor", "split_factor", "reference_price")
_SAME = 1e-6  # factors have seven digits


@dataclass(frozen=True, eq=False)
class Factors:
    """The rows of one file, oldest first. days: the last date each row holds for."""

    path: Path
    days: tuple[date, ...]
    price: NDArray[np.float64]
    split: NDArray[np.float64]
    reference: NDArray[np.float64]


def read_factor_file(path: Path) -> Factors:
    """Read and check the file. Raises BadMarketData."""
    table = read_table(path, _COLUMNS)
    stamps, price, split, reference = (table.columns[name] for name in _COLUMNS)
    days = tuple(_day(table, index, stamp) for index, stamp in enumerate(stamps.tolist()))
    for index, (before, after) in enumerate(pairwise(days), start=1):
        if after <= before:
            same = after == before
            table.refuse(index, Reason("row_is_repeated", at=after) if same else Reason("rows_are_not_in_order", at=after, before=before))
    for index in range(len(table)):
        if price[index] <= 0 or split[index] <= 0 or reference[index] < 0:
            table.refuse(index, Reason("factors_are_not_above_zero"))
    return Factors(path, days, price, split, reference)


def share_events(
    factors: Factors, first: date, last: date, session_after: Callable[[date], date]
) -> tuple[tuple[Split, ...], tuple[Dividend, ...]]:
    """Return the splits and dividends in effect from `first` to `last`, oldest first. session_after: the session that follows a date."""
    splits, dividends = [], []
    for index, day in enumerate(factors.days[:-1]):
        if not first <= day < last:
            continue
        effective = session_after(day)
        if effective > last:
            continue
        ratio = float(factors.split[index + 1] / factors.split[index])
        kept = float(factors.price[index] / factors.price[index + 1])
        if abs(ratio - 1.0) > _SAME * 10:
            splits.append(Split(date=effective, ratio=split_ratio(ratio)))
        if kept < 1.0 - _SAME and factors.reference[index] > 0:
            amount = round(float(factors.reference[index]) * (1.0 - kept), 3)  # a tenth of a cent is what seven digits carry
            if amount > 0:
                dividends.append(Dividend(ex_date=effective, amount=amount))
    return tuple(splits), tuple(dividends)


def _day(table: Table, index: int, stamp: float) -> date:
    try:
        return datetime.strptime(f"{stamp:.0f}", "%Y%m%d").date()
    except ValueError:
        table.refuse(index, Reason("stamp_is_no_date", stamp=f"{stamp:.15g}"))
