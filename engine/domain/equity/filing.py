"""What a company reported for one period, by the canonical keys of facts."""

from datetime import date, datetime, timedelta
from typing import Literal

from pydantic import AwareDatetime

from engine.domain.frozen_model import FrozenModel

FilingPeriod = Literal["ttm", "quarterly", "annual"]
UNDATED_DELAY = timedelta(days=60)
"""A report without a filing date counts as known so long after its period's end."""


class Filing(FrozenModel):
    """One report of one period.

    report_period: last day of the period. period: `ttm` = the twelve months that end then. filed: date of publication, None where no one
    says it. filed_at: its exact instant, where the source knows it. currency: ISO code. values: canonical key -> number in the unit
    of that key (`gross_margin_pct` 45.0 is 45 percent, `debt_to_equity` 1.5 is 150 percent, `market_cap` in currency).
    """

    report_period: date
    period: FilingPeriod
    filed: date | None = None
    filed_at: AwareDatetime | None = None
    currency: str
    values: dict[str, float]

    @property
    def known_from(self) -> date:
        """The filing date; where there is none, 60 days after the period's end."""
        return self.filed if self.filed is not None else self.report_period + UNDATED_DELAY

    def is_out(self, at: datetime, day: date, last_session: date) -> bool:
        """Return whether it was published by an instant. day: the date of then. last_session: the last one that had closed by then.

        A date alone does not say the hour, and most reports come out after the close: one of this day is not out before its session has
        closed.
        """
        return self.filed_at <= at if self.filed_at is not None else self.known_from < day or self.known_from <= last_session
