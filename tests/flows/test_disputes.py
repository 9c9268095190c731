"""A struck claim that somebody disputes: kept with its run, carried by its bundle, listed as a labelled text, and nothing decided anew; and
any sentence, which is checked by the facts that the run was decided on."""

import hashlib
import json
import logging
import shutil
from pathlib import Path
from typing import Any

import pytest

from engine.api import MOST_CHECKED, Engine, verify_bundle
from engine.benchmark.labelled import read_case
from engine.benchmark.scorer import score
from engine.cli.main import main
from engine.domain.claims import Claim
from engine.domain.clock import utc_now
from engine.domain.errors import BadInput
from engine.runs.read_texts import read_texts
from tests.flows.answers import MakeEngine, write_candles
from tests.flows.conftest import HOLDING

AT = "2026-11-01T08:00:00Z"
RUNS: dict[str, dict[str, Any]] = {
    "a decision of two rounds": {"symbol": "BTC/USDT:USDT", "depth": 2, "lies": 0.4},
    "a position in Chinese": {"symbol": "BTC/USDT:USDT", "holding": HOLDING, "lies": 0.5, "language": "zh"},
    "a company": {"symbol": "AAPL", "trade_date": "2024-03-05", "depth": 2, "lies": 0.5},
}


def play(engine: Engine, asked: dict[str, Any]) -> str:
    """Plays a run to its end; returns its id."""
    symbol, rest = asked["symbol"], {name: value for name, value in asked.items() if name != "symbol"}
    request = engine.equities.request(symbol, **rest) if symbol == "AAPL" else engine.decisions.request(symbol, at=AT, seed=303, **rest)
    return engine.wait(engine.start(request), 60).run_id


def struck(engine: Engine, run_id: str) -> list[Claim]:
    return [claim for read in read_texts(engine.events(run_id)) for claim in read.claims if claim.is_struck]


@pytest.fixture
def played(make_engine: MakeEngine) -> tuple[Engine, str]:
    """A decision that waits for a signature and has false statements."""
    engine = make_engine()
    run_id = play(engine, {"symbol": "BTC/USDT:USDT", "lies": 0.35, "propose": True})
    assert len(struck(engine, run_id)) > 3
    return engine, run_id


@pytest.mark.full
@pytest.mark.parametrize("name", RUNS)
def test_disputed_texts_are_labelled_cases_that_the_reader_fails_until_it_learns(make_engine: MakeEngine, name: str) -> None:
    engine = make_engine()
    run_id = play(engine, RUNS[name])
    claims = struck(engine, run_id)
    for claim in claims[::2]:
        engine.disputes.dispute(run_id, claim.id, "ann")
    texts, lost = engine.disputes.texts()
    assert lost == []
    assert sum(len(text.disputes) for text in texts) == len(claims[::2])
    rows = [json.loads(json.dumps(text.case, allow_nan=False)) for text in texts]
    labels = [label for row in rows for label in row["claims"]]
    assert all(row["text"][label["start"] : label["end"]] == label["span"] for row in rows for label in row["claims"])
    assert sum(label["verdict"] == "unverifiable" for label in labels) >= len(claims[::2])
    assert {row["lang"] for row in rows} == {"zh" if "Chinese" in name else "en"}
    assert {row["path"] for row in rows} == {{"a position in Chinese": "position", "a company": "equity"}.get(name, "entry")}
    scored = score([read_case(row, {}) for row in rows])
    assert scored.counts["alarm"] >= len(claims[::2]), "each is a false alarm of the reader that struck it"
    assert scored.counts["missed"] == 0, "the facts are those that the others were judged by"


def test_a_dispute_is_kept_with_the_run_and_changes_nothing_that_was_decided(played: tuple[Engine, str], make_engine: MakeEngine) -> None:
    engine, run_id = played
    claim, before = struck(engine, run_id)[0], (engine.record(run_id), engine.events(run_id), engine.trading.proposal_of(run_id))
    engine.disputes.dispute(run_id, claim.id, "ann", "it speaks of\n ETH \u202e")
    (kept,) = engine.disputes.of(run_id)
    assert (kept.claim, kept.who, kept.why) == (claim, "ann", "it speaks of ETH \ufffd")
    assert abs((utc_now() - kept.at).total_seconds()) < 60
    assert (engine.record(run_id), engine.events(run_id), engine.trading.proposal_of(run_id)) == before
    assert engine.trading.faults() == []
    again = make_engine()  # another process on the same home
    assert again.disputes.of(run_id) == (kept,)
    assert again.disputes.counts() == {run_id: 1}

    engine.disputes.dispute(run_id, claim.id, "bob", "a plan")
    assert [(each.who, each.why) for each in again.disputes.of(run_id)] == [("bob", "a plan")], "the newer word counts"
    engine.disputes.withdraw(run_id, claim.id, "ann")
    engine.disputes.withdraw(run_id, claim.id, "ann")
    assert again.disputes.of(run_id) == ()
    kinds = [row.kind for row in engine.trading.history(f"{run_id}/{claim.id}")]
    assert kinds == ["claim.dispute_withdrawn", "claim.disputed", "claim.dispute_withdrawn", "claim.disputed"], "who did what stays"
    assert engine.trading.faults() == []


@pytest.mark.full
def test_only_a_struck_claim_of_the_run_can_be_disputed(played: tuple[Engine, str]) -> None:
    engine, run_id = played
    other = play(engine, {"symbol": "BTC/USDT:USDT", "lies": 0.0})
    true = next(claim for read in read_texts(engine.events(run_id)) for claim in read.claims if claim.verdict == "true")
    end = engine.trading.chain_end()
    for run, name in ((run_id, true.id), (run_id, ""), (run_id, "%"), (other, struck(engine, run_id)[0].id), ("nosuch", true.id)):
        with pytest.raises(BadInput, match="has no struck claim"):
            engine.disputes.dispute(run, name, "ann")
        engine.disputes.withdraw(run, name, "ann")
    assert engine.trading.chain_end() == end


@pytest.mark.full
def test_a_bundle_carries_disputes_and_none_about_nothing(played: tuple[Engine, str]) -> None:
    engine, run_id = played
    claim = struck(engine, run_id)[0]
    engine.disputes.dispute(run_id, claim.id, "ann", "a plan")
    bundle = json.loads(json.dumps(engine.bundle(run_id), allow_nan=False))
    (row,) = bundle["disputes"]
    assert (row["who"], row["why"], Claim.model_validate(row["claim"])) == ("ann", "a plan", claim)
    assert verify_bundle(bundle) == []
    row["claim"]["start"] += 1
    assert any(line.startswith("disputes: ") for line in verify_bundle(bundle))


@pytest.mark.full
def test_the_shell_lists_disputes(played: tuple[Engine, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    engine, run_id = played
    claim = next(each for each in struck(engine, run_id) if each.source == "bull")
    monkeypatch.setenv("TRIBUNAL_HOME", str(engine.settings.home))
    engine.disputes.dispute(run_id, claim.id, "ann", "a plan")
    assert main(["disputes", "--json", "--run", run_id]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert [entry[name] for name in ("run_id", "by", "why", "role")] == [run_id, "ann", "a plan", "bull"]
    stated = claim.model_dump(mode="json", include={"key", "claimed", "actual", "start", "end"})
    assert {name: entry[name] for name in stated} == stated
    assert entry["text"][entry["start"] : entry["end"]] == claim.text
    assert main(["disputes"]) == 0
    assert [read_case(json.loads(line), {}).source for line in capsys.readouterr().out.splitlines()] == ["bull"]
    assert main(["disputes", "--run", "nosuch"]) == 2
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.full
def test_a_dispute_outlives_a_run_that_is_forgotten(make_engine: MakeEngine) -> None:
    engine = make_engine()
    run_id = play(engine, {"symbol": "BTC/USDT:USDT", "lies": 0.35})
    engine.disputes.dispute(run_id, struck(engine, run_id)[0].id, "ann")
    assert engine.prune(0) == 1
    assert engine.disputes.texts() == ([], [run_id])
    assert engine.trading.faults() == []


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
