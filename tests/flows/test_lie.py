"""Any sentence is checked as the words of a run were, by the facts that the run was decided on; nothing of it is kept."""

import hashlib
import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.api import MOST_CHECKED, Engine
from engine.domain.claims import Claim
from engine.domain.errors import BadInput
from engine.runs.read_texts import read_texts
from tests.flows.answers import write_candles
from tests.flows.test_disputes import RUNS, play

MakeEngine = Callable[..., Engine]
SECRET = "RSI is 3.14159 at the bank of Zanzibar"


def judged(claims: tuple[Claim, ...]) -> set[tuple[Any, ...]]:
    return {(claim.start, claim.end, claim.key, claim.relation, claim.claimed, claim.verdict, claim.actual) for claim in claims}


@pytest.mark.full
@pytest.mark.parametrize("name", RUNS)
def test_a_sentence_is_judged_as_it_was_in_the_run(make_engine: MakeEngine, name: str) -> None:
    engine = make_engine()
    run_id = play(engine, RUNS[name])
    found: list[Claim] = []
    for each in read_texts(engine.events(run_id)):
        begins = each.text[:MOST_CHECKED]
        whole = begins if begins == each.text else begins[: max(map(begins.rfind, ".。")) + 1]
        said = tuple(claim for claim in each.claims if claim.end <= len(whole))
        assert judged(said) <= judged(
            engine.check_text(run_id, whole, each.source).claims
        )  # a closing block is read here, and not in a run
        found += said
    assert {"true", "false"} <= {claim.verdict for claim in found}
    assert len(found) > 20


@pytest.mark.full
def test_nothing_is_kept_and_no_market_is_read(make_engine: MakeEngine, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    data, home = write_candles(tmp_path / "recorded"), tmp_path / "home"
    engine = make_engine()
    run_id = engine.wait(engine.start(engine.decisions.request("BTC/USDT:USDT", data_dir=str(data))), 60).run_id
    shutil.rmtree(data)  # what is not in the journal cannot be read any more
    before, events = _contents(home), engine.events(run_id)
    with caplog.at_level(logging.DEBUG):
        (claim,) = engine.check_text(run_id, SECRET).claims
    assert (claim.key, claim.claimed, claim.verdict) == ("rsi_14", 3.14159, "false")
    assert _contents(home) == before
    assert engine.events(run_id) == events
    assert not any(word in record.getMessage() for record in caplog.records for word in ("3.14159", "Zanzibar"))


def _contents(home: Path) -> dict[str, str]:
    """File -> digest, but for the memory that readers of a database share."""
    files = (path for path in sorted(home.rglob("*")) if path.is_file() and not path.name.endswith("-shm"))
    return {str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.full
def test_what_cannot_be_checked_is_refused_in_a_line(make_engine: MakeEngine) -> None:
    engine = make_engine()
    run_id = play(engine, RUNS["a company"])
    with pytest.raises(BadInput, match="is not known"):
        engine.check_text("20200101-000000-000000", "RSI is 28")
    with pytest.raises(BadInput, match=f"has {MOST_CHECKED} characters at most"):
        engine.check_text(run_id, "R" * (MOST_CHECKED + 1))
    assert engine.check_text(run_id, "").claims == engine.check_text(run_id, "<script>alert(28)</script>").claims == ()
