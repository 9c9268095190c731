"""A year of a real company's prices with news and filings of our own, and copies of it in which everything after a moment is different."""

import csv
import gzip
import random
from datetime import date, timedelta
from pathlib import Path

from engine.domain.equity.trading_session import SessionMoment
from engine.equity.adjustment import day_ms
from engine.equity.sessions import calendar_of


class Year:
    """A recording of Apple with news and filings of our own, and its copies in which everything later is different."""

    def __init__(self, data: Path) -> None:
        with gzip.open(data / "equity" / "lean_AAPL_1d_raw.csv.gz", "rt") as lines:
            self.prices = list(csv.reader(lines))[-700:]
        self.factors = [line.split(",") for line in (data / "equity" / "lean_AAPL_factors.csv").read_text().split()][1:]
        days = [date(2020, 1, 1) + timedelta(days=offset) for offset in range(460)]
        self.news = [(f"{day}T{hour:02}:07:00Z", f"Story of {day}") for day in days for hour in (3, 13, 20, 22)]
        ends = [date(2019, 9, 28), date(2019, 12, 28), date(2020, 3, 28), date(2020, 6, 27), date(2020, 9, 26), date(2020, 12, 26)]
        self.filings = [(end, end + timedelta(days=33) if index % 2 else None, 20.5 + index) for index, end in enumerate(ends)]

    def files(
        self, after: date | None = None, session: SessionMoment = "post_close", dice: random.Random | None = None
    ) -> dict[str, list[str]]:
        """The folder's files; with `after`, whatever comes after that moment is altered, dropped or added to."""
        if after is None:
            return self._files(self.prices, self.factors, self.news, self.filings)
        assert dice is not None
        moment = calendar_of("XNYS").moment(after, session)
        last, known = day_ms(moment.last_session), moment.known_at.isoformat().replace("+00:00", "Z")
        prices = [
            row if int(row[0]) <= last else [row[0], *(f"{float(cell) * dice.uniform(1.02, 1.1):.2f}" for cell in row[1:])]
            for row in self.prices
        ]
        for row in prices:
            if int(row[0]) > last:
                numbers = sorted(map(float, row[1:5]))
                row[1:5] = [str(numbers[1]), str(numbers[3]), str(numbers[0]), str(numbers[2])]
        in_force = next(index for index, row in enumerate(self.factors) if row[0] >= f"{after:%Y%m%d}")
        factors = [row if index <= in_force else [row[0], "0.5", "0.125", "7"] for index, row in enumerate(self.factors)]
        news = [(at, title if at <= known else f"Altered {dice.random()}") for at, title in self.news]
        out = after if session == "post_close" else after - timedelta(days=1)
        filings = [(end, filed, value if (filed or end + timedelta(days=60)) <= out else value * 3) for end, filed, value in self.filings]
        return self._files(prices, factors, news, filings)

    def _files(
        self, prices: list[list[str]], factors: list[list[str]], news: list[tuple[str, str]], filings: list[tuple[date, date | None, float]]
    ) -> dict[str, list[str]]:
        return {
            "lean_AAPL_1d_raw.csv": ["timestamp,open,high,low,close,volume", *(",".join(row) for row in prices)],
            "lean_AAPL_factors.csv": ["date,price_factor,split_factor,reference_price", *(",".join(row) for row in factors)],
            "some_news.csv": ["published,symbol,source,title,url", *(f"{at},AAPL,Wire,{title},https://example.org" for at, title in news)],
            "some_fundamentals.csv": [
                "symbol,report_period,filed,period,price_to_earnings_ratio,gross_margin",
                *(f"AAPL,{end},{filed or ''},ttm,{value},0.38" for end, filed, value in filings),
            ],
        }
