"""Honesty: sums in the journal against a table worked out by hand, intervals against published values, and what is not counted."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

import engine.brokers  # noqa: F401 - which registers them
from engine.domain.broker_capabilities import DEMO_BROKER
from engine.domain.chaos import Chaos
from engine.domain.ended import Ended
from engine.domain.honesty import LEAST_FACTOR, ClaimTally, RoleHonesty
from engine.domain.run import DecideRequest, Origin, RunRecord
from engine.journal.store import Journal, open_journal
from engine.outcomes.honesty import honesty_json, honesty_of

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)  # ISO week 10
SUNDAY = datetime(2026, 3, 1, 9, tzinfo=UTC)  # ISO week 9


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = open_journal(tmp_path / "home", None)
    yield made
    made.close()


def finish(journal: Journal, run_id: str, at: datetime, *tallies: ClaimTally, market: datetime | None = None, **request: Any) -> None:
    asked = DecideRequest(**{"symbol": "BTC/USDT:USDT", "feed": "simulated", **request})
    record = RunRecord(run_id=run_id, created_at=at, status="starting", request=asked)
    journal.add_run(record, "here:1", at)
    state: dict[str, Any] = {"final_action": "signal_wait", "is_valid": True}
    ended = record.model_copy(update={"status": "finished", "finished_at": at, "result": state})
    end = Ended(state, "signal_wait", True, 1.0, 1, None, tallies=tallies, at=market or at)
    journal.finish_run(ended, end, "here:1")


def fill(journal: Journal) -> None:
    finish(journal, "r-1", MONDAY, ClaimTally("bull", "m", "rsi_14", 6, 3), ClaimTally("bear", "m", "rsi_14", 4, 0))
    finish(journal, "r-2", SUNDAY, ClaimTally("bull", "m", "ema_20", 4, 0), ClaimTally("judge", "n", "rsi_14", 6, 3), language="zh")


def test_the_table_is_the_one_worked_out_by_hand(journal: Journal) -> None:
    fill(journal)
    counts = journal.claim_sums.counts()
    assert counts == {
        "role": {"bull": (10, 3), "bear": (4, 0), "judge": (6, 3)},
        "model": {"m": (14, 3), "n": (6, 3)},
        "indicator": {"rsi_14": (16, 6), "ema_20": (4, 0)},
        "language": {"en": (10, 3), "zh": (10, 3)},
        "week": {"2026-W10": (10, 3), "2026-W09": (10, 3)},
    }
    rows = honesty_of(counts, {"role": {"bull": 2}})
    assert [row.name for row in rows if row.by == "role"] == ["judge", "bull", "bear"], "the worst first"
    assert [row.name for row in rows if row.by == "week"] == ["2026-W10", "2026-W09"], "the newest first"
    bull = next(row for row in rows if row.name == "bull")
    assert (bull.share, bull.disputed) == (0.3, 2)
    assert (bull.low, bull.high) == (pytest.approx(0.1078, abs=5e-5), pytest.approx(0.6032, abs=5e-5)), "Wilson's, of 3 in 10"
    printed = honesty_json(rows)
    assert {name: printed["bull"][name] for name in ("by", "claims", "false", "share")} == {
        "by": "role", "claims": 10, "false": 3, "share": 0.3,
    }  # fmt: skip


def test_repeated_answers_and_planted_lies_are_not_counted(journal: Journal) -> None:
    told = ClaimTally("bull", "m", "rsi_14", 5, 5)
    finish(journal, "r-1", MONDAY, told, origin=Origin(run_id="r-0"))
    assert journal.claim_sums.counts()["role"] == {}
    finish(journal, "r-2", MONDAY, told, ClaimTally("bear", "m", "rsi_14", 3, 1), chaos=Chaos(role="bull", kind="value"))
    finish(journal, "r-3", MONDAY, told, lies=0.2)
    finish(journal, "r-4", MONDAY, told, broker=DEMO_BROKER)
    assert journal.claim_sums.counts()["role"] == {}, "others repeat what was planted, and a demo is arranged"
    finish(journal, "r-5", MONDAY, told, origin=Origin(run_id="r-0", fresh=True))
    assert journal.claim_sums.counts()["role"]["bull"] == (5, 5), "on a fresh market it speaks anew"


def test_kinds_of_prices_are_apart(journal: Journal) -> None:
    finish(journal, "r-1", SUNDAY, ClaimTally("bull", "m", "rsi_14", 5, 5))
    finish(journal, "r-2", SUNDAY, ClaimTally("bull", "m", "rsi_14", 40, 4), feed="live")
    assert journal.claim_sums.counts()["role"] == {"bull": (45, 9)}
    assert journal.claim_sums.counts("live")["role"] == {"bull": (40, 4)}
    assert journal.claim_sums.of_roles({"bull": "m"}, "simulated", MONDAY.date()) == {"bull": (5, 5)}
    assert journal.claim_sums.said_by(("r-1", "r-2"), "live") == {
        "r-1": None, "r-2": {"model": "scripted", "week": "2026-W09", "language": "en"},
    }  # fmt: skip


def test_a_run_knows_of_earlier_days_only(journal: Journal) -> None:
    fill(journal)
    finish(journal, "r-9", MONDAY, ClaimTally("bull", "m", "rsi_14", 50, 50), market=datetime(2026, 5, 1, tzinfo=UTC))
    of = journal.claim_sums.of_roles
    assert of({"bull": "m"}, "simulated", date(2026, 3, 1)) == {}
    assert of({"bull": "m"}, "simulated", date(2026, 3, 2)) == {"bull": (4, 0)}, "the run of the day itself is not known"
    assert of({"bull": "m", "judge": "m"}, "simulated", date(2026, 3, 3)) == {"bull": (10, 3)}, "the judge spoke with another model"
    assert of({"bull": "m"}, "simulated", date(2026, 5, 2)) == {"bull": (60, 53)}


@pytest.mark.parametrize(
    ("claims", "false", "factor"), [(29, 29, 1.0), (30, 0, 1.0), (30, 3, 0.9), (40, 20, 0.5), (100, 100, LEAST_FACTOR)]
)
def test_no_analyst_is_silenced(claims: int, false: int, factor: float) -> None:
    assert RoleHonesty(role="trend", claims=claims, false=false).factor == pytest.approx(factor)
