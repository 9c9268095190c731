"""A journal on PostgreSQL: a run that one machine began is continued by another, which has nothing of the first one but the database and
the secret; and a journal that moved there from a file, and back, is the same."""

import shutil
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from sqlalchemy import text

from engine.domain.clock import utc_now
from engine.domain.errors import StoreError, TribunalError
from engine.domain.outcome import JournalFilter
from engine.journal.store import copy_journal, open_journal
from tests.flows.answers import MakeEngine, cast, role_of, state_of
from tests.flows.desk import Desk
from tests.flows.test_resume import Shell, begun, check_told_once, wait_until_asked
from tests.servers.llm import HANG, LLMServer

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.proposal import Proposal
    from tests.databases import Cluster


@pytest.fixture
def database(postgresql: "Cluster") -> str:
    return postgresql.create()


@pytest.mark.full
def test_a_run_whose_machine_died_goes_on_at_another_once_its_lease_has_run_out(
    make_engine: MakeEngine, candles: Path, tmp_path: Path, database: str
) -> None:
    """Nobody here can ask after a process of another machine: its name and its lease are all that is known of it."""
    with LLMServer(cast(bear=HANG)) as server:
        shell = Shell(tmp_path / "first", server)
        shell.environment["TRIBUNAL_DATABASE_URL"] = database
        killed, run_id = begun(shell, candles)
        wait_until_asked(server, "bear")
        killed.kill()
        killed.communicate()
        assert not list((tmp_path / "first").rglob("*.db"))

        (tmp_path / "second").mkdir()
        shutil.copy(tmp_path / "first" / "secret", tmp_path / "second" / "secret")
        server.answer = cast()
        server.requests.clear()
        second = make_engine(openai_base_url=server.base_url, openai_api_key="sk-test", database_url=database, home=tmp_path / "second")

        def held(until: datetime) -> None:
            with second._container.journal._talking("change") as connection:
                given = {"until": until.isoformat(), "run": run_id}
                connection.execute(text("UPDATE runs SET owner = 'elsewhere:7:7', lease_until = :until WHERE run_id = :run"), given)

        held(utc_now() + timedelta(hours=1))
        assert second.take_over() == [], "its owner may live"
        with pytest.raises(TribunalError, match="another process"):
            second.resume(run_id)
        held(utc_now())
        assert second.take_over() == [run_id]
        state = state_of(second, run_id)
        assert {role_of(request.body) for request in server.requests} == {"bear", "judge", "executor"}
        check_told_once(second.events(run_id), state)
        assert second.outcomes.catch_up() == {}
        found = second.outcomes.lines(JournalFilter(sort="r", text="btc", answer="none"))
        assert [line.run_id for line in found.lines] == [run_id], "the journal's table and sums are in the SQL of this database, too"
        assert (second.outcomes.summary("recorded").decisions, second.outcomes.person_groups("recorded")) == (1, [])
        assert (second.outcomes.lessons("recorded"), second.outcomes.honesty("live"), second.outcomes.calibration().n) == ([], [], 0)


@pytest.mark.full
def test_another_machine_proposes_signs_and_halts(
    make_engine: MakeEngine, candles: Path, tmp_path: Path, postgresql: "Cluster", database: str
) -> None:
    with LLMServer(cast()) as server:

        def machine(name: str) -> "Engine":
            given = {"openai_base_url": server.base_url, "openai_api_key": "sk-test", "model": "m", "data_dir": candles}
            return make_engine(**given, database_url=database, home=tmp_path / name)

        def proposed(engine: "Engine") -> "Proposal":
            state = state_of(engine, engine.start(engine.decisions.request("BTC/USDT:USDT", propose=True)))
            assert state["proposal_id"] is not None, state["errors"]
            return engine.trading.proposal(state["proposal_id"])

        first = machine("first")
        at_first = proposed(first)
        for folder in ("second", "stranger"):
            (tmp_path / folder).mkdir()
        shutil.copy(tmp_path / "first" / "secret", tmp_path / "second" / "secret")
        second = machine("second")
        second.trading.reject(at_first.id, "somebody", "not now")
        at_second = proposed(second)
        second.trading.approve(at_second.id, "somebody", at_second.hash)
        assert first.trading.proposal(at_second.id).state == "filled"
        assert first.trading.faults() == second.trading.faults() == []

        second.trading.halt("somebody", "the market is mad")
        assert first.trading.halted() is not None
        first.trading.unhalt("somebody", "calm again")
        with postgresql.out_of_reach(database):
            with pytest.raises(StoreError, match="this machine's home only"):
                second.trading.halt("somebody", "the database is gone")
            assert second.trading.halted() is not None
        assert first.trading.halted() is None, "which it was told"
        second.trading.recover()
        assert [each.trading.halted().why for each in (first, second)] == ["the database is gone"] * 2

        with pytest.raises(StoreError):  # no secret, no signature
            machine("stranger").trading.halt("nobody", "")
        assert first.trading.faults() == []


@pytest.mark.full
def test_a_journal_moves_to_postgresql_and_back(desk: Desk, tmp_path: Path, database: str) -> None:
    proposal = desk.propose()
    desk.trading.approve(proposal.id, "somebody", proposal.hash)
    desk.trading.halt("somebody", "the market is mad")
    before, chain = desk.fills(), desk.trading.chain_end()
    desk.engine.close()
    file = str(desk.home / "tribunal.db")

    counts = copy_journal(desk.home, file, database)
    moved = desk.another(database_url=database)
    assert moved.trading.faults() == []
    assert moved.trading.chain_end() == chain
    assert moved.trading.halted() is not None
    assert moved.trading.proposal(proposal.id).state == "filled"
    moved.close()

    back = tmp_path / "back.db"
    assert copy_journal(desk.home, database, str(back)) == counts
    returned = desk.another(database_url=f"sqlite:///{back}")
    assert returned.trading.faults() == []
    assert [position.position.size for position in returned.trading.positions()] == [proposal.plan.amount]
    entries = returned._container.journal.ledger.entries(proposal.basis.account, 0)
    assert before == [each.client_id for each in entries if each.kind == "fill"]


@pytest.mark.full
@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE audit SET who = 'another' WHERE seq = 1", "does not hold"),
        ("UPDATE runs SET status = 'running', lease_until = '2999-01-01T00:00:00+00:00'", "is being worked on"),
        ("UPDATE runs SET error = 'a' || char(0)", "cannot write a copy"),
        ("DELETE FROM audit_head", "lost the end"),
    ],
)
def test_what_cannot_be_copied_whole_is_not_copied(desk: Desk, database: str, statement: str, said: str) -> None:
    desk.propose()
    with desk.engine._container.journal._talking("change") as connection:
        connection.exec_driver_sql(statement)
    desk.engine.close()
    for _ in range(2):  # nothing was left by the first attempt
        with pytest.raises(StoreError, match=said):
            copy_journal(desk.home, str(desk.home / "tribunal.db"), database)


@pytest.mark.full
def test_a_journal_that_is_in_use_is_not_written_over(desk: Desk, tmp_path: Path) -> None:
    desk.propose()
    file, other = str(desk.home / "tribunal.db"), tmp_path / "other.db"
    copy_journal(desk.home, file, str(other))
    with pytest.raises(StoreError, match="not empty"):
        copy_journal(desk.home, file, str(other))
    with pytest.raises(StoreError, match="same journal"):
        copy_journal(desk.home, file, file)
    with pytest.raises(StoreError, match="no journal at"):
        copy_journal(desk.home, str(tmp_path / "none.db"), str(tmp_path / "third.db"))
    assert not (tmp_path / "none.db").exists()


@pytest.mark.full
def test_a_row_that_does_not_come_back_as_it_was_is_named(desk: Desk, tmp_path: Path) -> None:
    desk.propose()
    desk.engine.close()
    other = tmp_path / "other.db"
    journal = open_journal(desk.home, f"sqlite:///{other}")
    with journal._talking("change") as connection:  # a target that keeps something else than it is given
        connection.exec_driver_sql("CREATE TRIGGER t AFTER INSERT ON runs BEGIN UPDATE runs SET model = 'another'; END")
    journal.close()
    for _ in range(2):
        with pytest.raises(StoreError, match="differs in the table runs"):
            copy_journal(desk.home, str(desk.home / "tribunal.db"), str(other))


@pytest.mark.full
def test_a_journal_of_before_gets_its_outcomes_and_sums(tmp_path: Path, database: str) -> None:
    """The step is SQL of its own, which SQLite alone would not prove."""
    open_journal(tmp_path, database).close()
    asked = '{"flow":"decision","symbol":"X/Y","feed":"live","language":"zh","lies":%s,"seed":1,"chaos":null,"broker":"paper"}'
    result = '{"backtest_timestamp":"2026-02-20","executor_claims":[{"source":"executor","key":"ema_20","verdict":"false"}]}'
    kept = "run_id, created_at, status, flow, subject, headline, request, result"
    run = f"INSERT INTO runs ({kept}) VALUES (%s, %s, 'finished', 'decision', 'X/Y', 'signal_wait', %s, %s)"
    with psycopg.connect(database) as connection:
        for table in ("outcomes", "claim_sums", "lessons", "repetitions", "repeated_events", "comparisons", "cases"):
            connection.execute(f"DROP TABLE {table}")  # type: ignore[call-overload]
        for column in ("clock", "prompts_hash"):
            connection.execute(f"ALTER TABLE runs DROP COLUMN {column} CASCADE")  # type: ignore[call-overload]
        for run_id, lies in (("own", "0.0"), ("lied", "0.2")):
            connection.execute(run, (run_id, "2026-02-20T08:00:00+00:00", asked % lies, result))
        connection.execute("UPDATE alembic_version SET version_num = '0005'")
    with closing(open_journal(tmp_path, database)) as again, psycopg.connect(database) as connection:
        columns = "run_id, action, feed, language, plants_lies, is_edited"
        found = connection.execute(f"SELECT {columns} FROM outcomes ORDER BY run_id").fetchall()  # type: ignore[call-overload]
        assert found == [("lied", "signal_wait", "live", "zh", 1, 0), ("own", "signal_wait", "live", "zh", 0, 0)]
        assert again.claim_sums.counts("live")["role"] == {"executor": (1, 1)}, "planted lies are not counted"
        assert again.claim_sums.counts("simulated")["role"] == {}
