"""What simulated companies pay: four times a year in New York, once a year in China, out of what they had reported by then."""

from datetime import date, timedelta

from engine.domain.equity.share_events import Dividend
from engine.equity.sessions import SessionCalendar
from engine.equity.simulation.filings import CompanyReports

_AMERICAN = ((2, 20), (5, 9), (8, 9), (11, 8))
_CHINESE = ((6, 20),)


def dividends_of(reports: CompanyReports, calendar: SessionCalendar, first: date, last: date) -> tuple[Dividend, ...]:
    """Return the dividends with an ex-date from `first` to `last`, oldest first, each in the shares of its ex-date."""
    company = reports.company
    if company.payout == 0:
        return ()
    times = _AMERICAN if "." not in company.symbol else _CHINESE
    found = []
    for year in range(first.year, last.year + 1):
        for month, day in times:
            number = year * 4 + (month - 1) // 3 - (1 if len(times) == 4 else 2)  # the quarter, or the year, before
            due = date(year, month, day)
            sessions = calendar.between(due, due + timedelta(days=14))
            if not sessions or not first <= sessions[0] <= last:
                continue
            earned = reports.filing(number, "quarterly" if len(times) == 4 else "annual", sessions[0]).values["eps"]
            amount = round(earned * company.payout, 3)
            if amount > 0:
                found.append(Dividend(ex_date=sessions[0], amount=amount))
    return tuple(found)
