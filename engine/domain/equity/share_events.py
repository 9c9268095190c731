"""What changes the meaning of a price without a trade: splits and dividends."""

from datetime import date

from pydantic import Field

from engine.domain.frozen_model import FrozenModel


class Split(FrozenModel):
    """date: the first session that trades in new shares. ratio: new shares for one old share (4.0 = 4:1, 0.1 = one for ten)."""

    date: date
    ratio: float = Field(gt=0)


class Dividend(FrozenModel):
    """ex_date: the first session without the right to it. amount: currency a share, in shares of the ex-date."""

    ex_date: date
    amount: float = Field(gt=0)
