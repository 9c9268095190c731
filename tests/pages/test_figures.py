"""Numbers as they are written: right, grouped, with a true minus, and readable back."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.text.language import Language
from pages.frame import numbers
from pages.frame.form_words import usual_up_down
from pages.frame.numbers import DASH, MINUS, THIN
from pages.frame.show import Show

finite = st.floats(-1e12, 1e12, allow_nan=False)


@given(finite, st.integers(0, 6))
def test_a_number_reads_back_to_what_it_was(value: float, decimals: int) -> None:
    text = numbers.number(value, decimals)
    assert float(text.replace(",", "").replace(MINUS, "-")) == pytest.approx(float(f"{value:.{decimals}f}"))
    assert "-" not in text
    assert not text.startswith(f"{MINUS}0") or any(digit in text for digit in "123456789"), "zero has no sign"
    whole = text.lstrip(MINUS).split(".")[0]
    assert [len(part) for part in whole.split(",")[1:]] == [3] * whole.count(",")


@given(finite)
def test_a_stated_number_keeps_what_was_stated(value: float) -> None:
    text = numbers.said(value, "index")
    assert float(text.replace(",", "").replace(MINUS, "-")) == pytest.approx(value, abs=1e-9)
    assert not ("." in text and text.endswith("0"))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (numbers.price(78034.2, 0.1), "78,034.2"),
        (numbers.price(0.00001234, None), "0.0000123400"),
        (numbers.signed_price(-851.5, 0.1), f"{MINUS}851.5"),
        (numbers.signed_percent(-0.004, 2), f"0.00{THIN}%"),
        (numbers.signed_percent(95.07, 1), f"+95.1{THIN}%"),
        (numbers.fact(0.004, "percent"), f"0.0040{THIN}%"),
        (numbers.fact(0.44, "ratio"), "0.44×"),
        (numbers.fact(None, "price"), DASH),
        (numbers.said(0.004, "percent"), f"0.004{THIN}%"),
        (numbers.seconds(0.008), f"8{THIN}ms"),
        (numbers.seconds(125.9), "2:05"),
        (numbers.number(float("nan")), DASH),
        (numbers.price(float("inf")), DASH),
        (numbers.bar_time(1779007500000), "2026-05-17 08:45 UTC"),
    ],
)
def test_figures_are_written_so(written: str, expected: str) -> None:
    assert written == expected


def test_times_are_utc_wherever_they_come_from() -> None:
    there = datetime(2026, 5, 17, 11, 0, tzinfo=timezone(timedelta(hours=2)))
    assert numbers.clock(there) == numbers.clock(datetime(2026, 5, 17, 9, 0, tzinfo=UTC)) == "05-17 09:00 UTC"


@pytest.mark.parametrize(
    ("value", "english", "chinese"),
    [
        (2.11e12, "2,110,000,000,000", "2.11万亿"),
        (1.02302e11, "102,302,000,000", "1,023.02亿"),
        (-123_456.0, "−123,456", "−12.35万"),
        (99_999.0, "99,999", "99,999"),
    ],
)
def test_chinese_counts_large_amounts_by_wan_and_yi(value: float | None, english: str, chinese: str) -> None:
    assert (numbers.large(value, "en"), numbers.large(value, "zh")) == (english, chinese)
    assert numbers.fact(value, "amount", None, "zh") == chinese


@pytest.mark.parametrize(
    ("at", "zone", "english", "chinese"),
    [
        ("2024-03-05T07:00Z", "Asia/Shanghai", "2024-03-05 15:00 Shanghai (07:00 UTC)", "2024-03-05 15:00 上海（07:00 UTC）"),
        ("2024-03-05T20:30Z", "Asia/Hong_Kong", "2024-03-06 04:30 Hong Kong (03-05 20:30 UTC)", "2024-03-06 04:30 香港（03-05 20:30 UTC）"),
        ("2024-03-05T07:00Z", "", "2024-03-05 07:00 UTC", "2024-03-05 07:00 UTC"),
    ],
)
def test_the_time_of_an_exchange_comes_before_utc(at: str, zone: str, english: str, chinese: str) -> None:
    instant = datetime.fromisoformat(at)
    assert numbers.stamp(instant, zone, "en") == english
    assert Show("zh", zone=zone).stamp(instant) == chinese
    assert Show("zh", zone=zone).clock(instant) == chinese.removeprefix("2024-")


@pytest.mark.parametrize(
    ("symbol", "language", "expected"),
    [
        ("600519.SH", "en", "red-up"),
        ("AAPL", "en", "green-up"),
        ("AAPL", "zh", "red-up"),
    ],
)
def test_red_is_up_where_that_is_usual(symbol: str, language: Language, expected: str) -> None:
    assert usual_up_down(language, symbol) == expected
