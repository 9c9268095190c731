"""No run of the desk sees anything later: what comes after its moment is altered, and it ends in the same state."""

import random
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from engine.equity.sessions import calendar_of
from tests.flows.equities.later_altered import engine_on_account, final_state, later_is_other, recorded_pairs, sessions_of, simulated_pairs

SPLIT = date(2020, 8, 31)


@pytest.mark.full
def test_recorded_days_of_a_year_with_everything_later_altered(company_data: Path, tmp_path: Path) -> None:
    """The split, a filing, and days all over the year, on an account in which orders and memories add up.

    `replay --prove` compares decisions on an account without an order.
    """
    year = sessions_of(date(2020, 3, 30), date(2021, 3, 30))
    chosen = {*random.Random(5).sample(year, 3), (SPLIT, "pre_open"), (SPLIT, "post_close"), (date(2020, 10, 29), "post_close")}
    asked = sorted(chosen, key=lambda each: (each[0], each[1] == "post_close"))
    pairs = list(recorded_pairs(company_data, tmp_path, asked, random.Random(17)))
    assert [(pair.asked, pair.differing) for pair in pairs if pair.differing] == []
    assert len({pair.whole["inputs_hash"] for pair in pairs}) == len(pairs)
    assert any(pair.whole["execution_record"] for pair in pairs), "there are orders, fills and positions in it"
    assert any(pair.whole["portfolio_positions"] for pair in pairs)
    assert all({"news", "filings"}.isdisjoint(pair.whole["missing"]) for pair in pairs)


@pytest.mark.full
def test_what_comes_at_the_moment_itself_ends_in_another_state(company_data: Path, tmp_path: Path) -> None:
    """The test above could not fail if states did not show what their days brought."""
    day = date(2020, 10, 28)
    (pair,) = recorded_pairs(company_data, tmp_path, [(day, "post_close")], random.Random(1))
    assert pair.differing == []
    with closing(engine_on_account(tmp_path / "next")) as engine:
        folders = [str(tmp_path / name) for name in ("whole", "altered")]
        states = [final_state(engine, "AAPL", date(2020, 10, 29), "post_close", data_dir=folder) for folder in folders]
    assert states[0]["current_price"] != states[1]["current_price"]
    assert states[0]["inputs_hash"] != states[1]["inputs_hash"]


@pytest.mark.full
@pytest.mark.parametrize(("symbol", "calendar"), [("NVDA", "XNYS"), ("600028.SH", "XSHG")])
def test_simulated_days_with_everything_later_altered(tmp_path: Path, symbol: str, calendar: str) -> None:
    days = sessions_of(date(2024, 3, 4), date(2024, 3, 7), calendar)
    pairs = list(simulated_pairs(tmp_path, symbol, days))
    assert [(pair.asked, pair.differing) for pair in pairs if pair.differing] == []
    before, (next_day, session) = calendar_of(calendar).moment(*days[0]), days[2]
    with later_is_other(before), closing(engine_on_account(tmp_path / "other")) as engine:
        other = final_state(engine, symbol, next_day, session)
    assert other["current_price"] != pairs[2].whole["current_price"], "what is altered is what a later day sees"
