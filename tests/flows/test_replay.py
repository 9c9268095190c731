"""Replays of whole desks: the same report every time, after kills too; nothing of the user's is touched; and a leak is found."""

import json
import os
import re
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from engine.api.replay_hands import OwnHands, ReplayPiece, Workers
from engine.api.replays import Replays, Wanted
from engine.api.sweeps import Sweeps, keys_of
from engine.cli.main import _parser, main
from engine.cli.replay import _wanted
from engine.domain.equity.filing import Filing
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.errors import StoreError
from engine.domain.replay import PlayedPiece, ReplayBudget, ReplayReport, ReplayStep
from engine.equity.adjustment import day_of
from engine.equity.sessions import calendar_of
from engine.market.window import window_at
from engine.replay.step_log import StepLog, read_steps
from engine.settings import Settings
from engine.shell.terminal import as_json
from tests.conftest import ROOT
from tests.engine.equity.altered_year import Year
from tests.engine.equity.worlds import write
from tests.flows.test_resume import DIES
from tests.processes import run_python
from tests.servers.llm import LLMServer

if TYPE_CHECKING:
    from engine.api import Engine

SYMBOL = "BTC/USDT:USDT"
SPAN = ("--from", "2026-05-15T00:00", "--to", "2026-05-17", "--every", "6", "--timeframe", "1h", "--seed", "3")
Replay = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIBUNAL_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def replay(candles: Path, capsys: pytest.CaptureFixture[str]) -> Replay:
    """Plays a replay on the recorded market: its report, with `stderr` beside it. code: how it should end."""

    def play(*options: str, code: int = 0) -> dict[str, Any]:
        given = options if "--resume" in options else (SYMBOL, "--data", str(candles), *SPAN, *options)
        ended = main(["replay", *given, "--json"])
        out, err = capsys.readouterr()
        assert ended == code, err
        return {**(json.loads(out) if out else {}), "stderr": err.splitlines()}

    return play


class Silent:
    """Hears nothing."""

    def begun(self, replay_id: str) -> None: ...

    def progress(self, part: str, done: int, total: int) -> None: ...


@pytest.fixture(scope="module")
def whole(candles: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The report of the replay of `SPAN` in a home of its own."""
    options = _parser().parse_args(["replay", SYMBOL, "--data", str(candles), *SPAN])
    settings = Settings(_env_file=None, home=tmp_path_factory.mktemp("whole"))  # type: ignore[call-arg]
    report = Replays(settings).play(_wanted(options), Silent())
    return json.loads(as_json(report.model_dump(mode="json")))  # type: ignore[no-any-return]


def same(report: dict[str, Any]) -> str:
    """A report without the names of its replay and how quick it was."""
    kept = {key: value for key, value in report.items() if key not in ("stderr", "decisions_per_s")}
    return json.dumps(kept).replace(report["replay_id"], "ID")


def ledger(folder: Path, name: str) -> list[dict[str, Any]]:
    """The entries of a replay's paper account. folder: with the home."""
    with closing(sqlite3.connect(folder / "home" / "replays" / name / "tribunal.db")) as database:
        return [json.loads(body) for (body,) in database.execute("SELECT body FROM paper_ledger ORDER BY seq")]


@pytest.mark.full
def test_a_replay_has_an_account_of_its_own_and_touches_no_other(
    replay: Replay, whole: dict[str, Any], make_engine: "Callable[..., Engine]", candles: Path
) -> None:
    """The user's paper account of the same recording holds a position before and after; the same replay gives the same report elsewhere."""
    first = whole
    assert (first["decisions"], len(first["equity"]), first["equity"][0][1]) == (9, 9, 10_000.0)
    closed = [each for each in first["trades"] if each["closed_at"]]
    assert closed, "there are trades in it"
    with closing(make_engine(data_dir=str(candles), approval="automatic")) as engine:
        assert engine.runs() == []
        run_id = engine.start(engine.decisions.request(SYMBOL, propose=True, seed=3, timeframe="1h", timeframe_htf="4h"))
        engine.wait(run_id, 60)
        held = [each.position for each in engine.trading.positions()], engine.trading.curves()
        assert held[0], "there is a position of the user's"
        again = replay()
        assert again["stderr"][0] == f"replay {again['replay_id']}"
        assert "left" in again["stderr"][-1]
        assert same(again) == same(first)
        assert [run.run_id for run in engine.runs()] == [run_id]
        assert ([each.position for each in engine.trading.positions()], engine.trading.curves()) == held
    assert same(replay("--resume", again["replay_id"])) == same(first)


@pytest.mark.full
def test_a_run_of_a_replay_is_shown_by_its_name(replay: Replay, capsys: pytest.CaptureFixture[str]) -> None:
    (trade, *_) = replay()["trades"]
    assert main(["show", trade["run_id"], "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    state = shown["result"]
    assert shown["run_id"] == trade["run_id"]
    assert state["execution_record"]["order_id"]
    assert state["backtest_timestamp"][:16] == trade["opened_at"][:16]


@pytest.mark.full
@pytest.mark.timeout(400)
def test_killed_at_any_commit_it_goes_on_to_the_same_report(whole: dict[str, Any], candles: Path, tmp_path: Path) -> None:
    """Killed before a commit, continued and killed again, until it ends: what every kill leaves is what the last commit left. The runs that
    were cut off are another machine's, whose processes nobody here can ask after."""
    arguments, kills = ["replay", SYMBOL, "--data", str(candles), *SPAN], 0
    replay_id = ""
    for commits in (5, 41, 67, 3, 90, 12, 25, 33, 100_000):
        ended = run_python("-c", DIES, str(commits), *arguments, "--json", environment=dict(os.environ))
        replay_id = replay_id or ended.stderr.split()[1]
        arguments = ["replay", "--resume", replay_id]
        kills += ended.returncode == -9
        with closing(sqlite3.connect(tmp_path / "home" / "replays" / replay_id / "tribunal.db", isolation_level=None)) as database:
            database.execute("UPDATE runs SET owner = 'elsewhere:1:1' WHERE status = 'running'")
            database.execute("UPDATE proposals SET worked_by = 'elsewhere:1:1' WHERE worked_by IS NOT NULL")
            database.execute("UPDATE account_slots SET owner = 'elsewhere:1:1'")
    assert ended.returncode == 0, ended.stderr
    assert kills == 8
    assert same(json.loads(ended.stdout)) == same(whole)


@pytest.mark.full
def test_a_step_that_was_not_written_down_is_not_done_twice(
    replay: Replay, whole: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The disk is full between a decision's order and the line of its step, of which a part is written."""
    add = StepLog.add

    def full(log: StepLog, step: ReplayStep) -> None:
        if step.number == 5:
            log._file.write(step.model_dump_json().encode()[:40])
            raise StoreError("no space left")
        add(log, step)

    with monkeypatch.context() as patch:
        patch.setattr(StepLog, "add", full)
        cut = replay(code=1)
    replay_id = cut["stderr"][0].split()[1]
    assert "no space left" in cut["stderr"][-1]
    assert same(replay("--resume", replay_id)) == same(whole)
    with closing(sqlite3.connect(tmp_path / "home" / "replays" / replay_id / "tribunal.db")) as database:
        assert database.execute("SELECT count(*) FROM runs").fetchone() == (9,)


@pytest.mark.full
def test_a_budget_ends_it_before_it_is_exceeded_and_it_can_go_on(replay: Replay, whole: dict[str, Any]) -> None:
    a_decision = whole["spent"]["calls"] // whole["decisions"]
    part = replay("--budget-calls", str(4 * a_decision + 1))
    assert (part["ended"], part["decisions"], part["spent"]["calls"]) == ("budget", 4, 4 * a_decision)
    assert any("budget" in each for each in part["warnings"])
    assert part["equity"] == whole["equity"][:4]
    assert same(replay("--resume", part["replay_id"])) == same(part)
    Replays().resume(part["replay_id"], Silent(), ReplayBudget(calls=6 * a_decision))
    assert same(replay("--resume", part["replay_id"], "--budget-calls", "100000")) == same(whole)


@pytest.mark.full
def test_only_confident_entries_are_signed(replay: Replay, tmp_path: Path) -> None:
    none = replay("--approve", "confidence>=100")
    assert (none["trades"], none["return_pct"], none["exposure_pct"], none["hit_rate"]) == ([], 0.0, 0.0, None)
    steps = (tmp_path / "home" / "replays" / none["replay_id"] / "steps.jsonl").read_text().splitlines()
    refused = [step for step in map(json.loads, steps) if step["answer"] == "rejected"]
    best = max(refused, key=lambda step: step["confidence"])
    some = replay("--approve", f"confidence>={best['confidence']:g}")
    assert some["trades"]
    assert some["trades"][0]["opened_at"] in {step["at"] for step in refused if step["confidence"] >= best["confidence"]}
    bad = replay("--approve", "sometimes", code=2)
    assert "confidence>=X" in bad["stderr"][-1]


class StopsInWorld:
    """Hands that ask for the end of everything once a world has so many steps."""

    def __init__(self, world: int, steps: int) -> None:
        self._world, self._steps = f"world-{world}", steps

    def play(self, settings: Settings, pieces: Sequence[ReplayPiece], report: Callable[[int], None]) -> list[PlayedPiece]:
        def heard(done: int) -> None:
            report(done)
            if pieces[0].home.name == self._world and done == self._steps:
                pieces[0].stop.touch()

        return OwnHands().play(settings, pieces, heard)


@pytest.fixture(scope="module")
def wanted(candles: Path) -> Wanted:
    """A replay of seven decisions, held against three worlds."""
    options = ("replay", SYMBOL, "--data", str(candles), *SPAN, "--every", "8", "--world", "shuffled", "--worlds", "3")
    return _wanted(_parser().parse_args(options))


@pytest.fixture(scope="module")
def unbroken(wanted: Wanted, tmp_path_factory: pytest.TempPathFactory) -> ReplayReport:
    """The report of `wanted` in a home of its own."""
    settings = Settings(_env_file=None, home=tmp_path_factory.mktemp("unbroken"))  # type: ignore[call-arg]
    return Replays(settings).play(wanted, Silent())


def calls_of(replays: Replays, name: str, rooms: str) -> int:
    """The calls of the steps that are kept in the rooms of a replay."""
    return sum(step.calls for path in (replays.folder / name).glob(f"{rooms}steps.jsonl") for step in read_steps(path))


def as_same(report: ReplayReport) -> str:
    return same(json.loads(as_json(report.model_dump(mode="json"))))


@pytest.mark.full
@pytest.mark.parametrize(("world", "steps"), [(1, 3), (2, 0)], ids=["within a world", "before the next world's first step"])
def test_stopped_within_its_worlds_it_has_no_rank_and_goes_on_to_the_same_report(
    wanted: Wanted, unbroken: ReplayReport, world: int, steps: int
) -> None:
    assert unbroken.worlds is not None
    assert len(set(unbroken.worlds.returns)) > 1, "the worlds differ, so that one which was cut off would be seen"
    replays = Replays()
    cut = replays.play(wanted, Silent(), StopsInWorld(world, steps))
    assert (cut.ended, cut.worlds, cut.return_pct) == ("stopped", None, unbroken.return_pct)
    assert f"{world - 1} of 3 shuffled worlds were played to their end" in " ".join(cut.warnings)
    assert as_same(replays.resume(cut.replay_id, Silent())) == as_same(unbroken)


@pytest.mark.full
def test_the_worlds_share_what_the_real_market_has_left_of_the_budget(wanted: Wanted, unbroken: ReplayReport) -> None:
    """Enough for a third of each world, then for not one decision in each of them."""
    replays = Replays()
    real = replays.play(replace(wanted, worlds=0, world="real"), Silent()).spent.calls
    for budget, in_worlds in ((2 * real, True), (real + real // 7, False)):
        part = replays.play(replace(wanted, budget=ReplayBudget(calls=budget)), Silent())
        begun = calls_of(replays, part.replay_id, "world-*/")
        assert (part.ended, part.worlds, begun > 0) == ("budget", None, in_worlds)
        assert calls_of(replays, part.replay_id, "") == real
        assert part.spent.calls == real + begun <= budget
    assert as_same(replays.resume(part.replay_id, Silent(), ReplayBudget(calls=100_000))) == as_same(unbroken)


@pytest.mark.full
def test_nobody_is_alerted_of_what_is_replayed(replay: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    told = list[object]()
    monkeypatch.setenv("TRIBUNAL_ALERTS", "json://127.0.0.1:9/")
    monkeypatch.setattr("engine.bootstrap.alert_channels.AlertChannels._deliver", lambda *about: told.append(about))
    assert replay()["trades"]
    assert told == []


@pytest.mark.full
def test_money_cannot_be_limited_where_a_model_has_no_price(replay: Replay, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("TRIBUNAL_PRICES", '{"known": [1, 2]}')
    refused = replay("--model", "unknown", "--budget-money", "5", code=2)
    assert "no price for unknown" in refused["stderr"][-1]
    assert list(tmp_path.glob("home/replays/*")) == [], "nothing is left of it"


@pytest.mark.full
def test_a_model_that_never_says_the_same_twice_is_not_accused(replay: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = count()
    with LLMServer(lambda body: f"Answer {next(answers)} has no block.") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        report = replay("--model", "sampled", "--prove", "2", "--to", "2026-05-15T06:00", "--every", "6")
        assert len(server.requests) == report["spent"]["calls"] > 0, "the proof asks no model"
    assert (len(report["proof"]["instants"]), report["proof"]["differ"], report["proof"]["changed"]) == (2, [], 2)


def test_no_decision_of_the_desk_knows_the_future(replay: Replay) -> None:
    report = replay("--prove", "3", "--every", "12")
    proof = report["proof"]
    assert (len(proof["instants"]), proof["differ"], proof["changed"]) == (3, [], 3)
    assert "proved" in report["header"]["point_in_time"]


def test_a_feed_that_shows_one_candle_too_many_is_found(replay: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    def leaky(file: Any, timeframe: Any, at_ms: int, bars: int) -> Any:
        return window_at(file, timeframe, at_ms + timeframe.ms, bars) or window_at(file, timeframe, at_ms, bars)

    monkeypatch.setattr("engine.market.recorded.window_at", leaky)
    report = replay("--prove", "2", "--every", "12", "--to", "2026-05-16", code=1)
    assert len(report["proof"]["differ"]) == 2
    assert "broken" in report["header"]["point_in_time"]
    assert "2 of 2 decisions changed with what came later" in report["stderr"][-1]


@pytest.fixture
def company(company_data: Path, tmp_path: Path) -> tuple[str, ...]:
    """A replay of a company over five sessions around a split, with filings on their own dates."""
    write(tmp_path / "year", Year(company_data).files())
    return ("replay", "AAPL", "--data", str(tmp_path / "year"), "--from", "2020-08-26", "--to", "2020-09-01", "--seed", "4", "--json")


@pytest.mark.full
def test_a_company_is_replayed_and_proved(company: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*company, "--prove", "2"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["desk"], report["decisions"], report["proof"]["differ"], report["proof"]["changed"]) == ("fusion", 5, [], 2)
    assert report["baselines"]["buy_and_hold"] == pytest.approx((134.18 / (506.09 / 4) - 1) * 100, abs=1.0)  # 4 for 1 on 31 August
    assert report["equity"][0][1] == 10_000.0


@pytest.mark.full
@pytest.mark.parametrize("session", ["post_close", "pre_open"])
def test_orders_for_shares_wait_for_the_open_after_their_decision(
    company: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path, session: str
) -> None:
    """Nobody is filled at a close that is past, or before an open that is not known. Before a split, so that the file's prices are those of
    the day."""
    assert main([*company, "--from", "2020-06-01", "--to", "2020-06-30", "--session", session]) == 0
    name = json.loads(capsys.readouterr().out)["replay_id"]
    rows = [line.split(",") for line in (tmp_path / "year" / "lean_AAPL_1d_raw.csv").read_text().splitlines()[1:]]
    opened = {calendar_of("XNYS").session(day_of(int(row[0]))).open: Decimal(row[1]) for row in rows}
    entries = ledger(tmp_path, name)
    placed = {each["client_id"]: datetime.fromisoformat(each["at"]) for each in entries if each["kind"] == "accepted"}
    fills = [each for each in entries if each["kind"] == "fill" and each["reason"] == "order"]
    assert fills
    for fill in fills:
        at, worse = datetime.fromisoformat(fill["at"]), Decimal("1.0002") if fill["side"] == "buy" else Decimal("0.9998")
        assert at == next(each for each in sorted(opened) if each >= placed[fill["client_id"]])
        assert Decimal(fill["price"]) == pytest.approx(opened[at] * worse, abs=Decimal("0.01"))


@pytest.mark.full
def test_a_filing_before_its_date_is_found(
    company: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def leaky(filing: Filing, moment: TradingMoment) -> bool:
        return filing.report_period <= date(2021, 12, 31)

    monkeypatch.setattr("engine.equity.known.is_filed", leaky)
    assert main([*company, "--prove", "2"]) == 1
    assert "2 of 2 decisions changed with what came later" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.full
def test_workers_change_nothing_and_a_killed_one_costs_time_alone(replay: Replay, tmp_path: Path) -> None:
    """Three windows on this process, and on two workers of which one is killed as soon as it has decided something."""
    alone = replay("--windows", "3")
    assert len(alone["equity"]) > alone["decisions"]

    def workers() -> list[psutil.Process]:
        return [each for each in psutil.Process().children(recursive=True) if "spawn_main" in " ".join(each.cmdline())]

    with one_killed(tmp_path / "home" / "replays", alone["replay_id"], workers):
        together = replay("--windows", "3", "--workers", "2")
    assert same(together) == same(alone)


@contextmanager
def one_killed(homes: Path, but: str, workers: Callable[[], list[psutil.Process]]) -> Iterator[None]:
    """Kill the busiest of the workers once one of them has written a step. but: a replay that was played before."""
    killed = list[int]()

    def kill_one() -> None:
        while not any(path.stat().st_size for path in homes.glob("*-*/*/steps.jsonl") if but not in str(path)):
            time.sleep(0.02)
        busiest = max(workers(), key=lambda each: sum(each.cpu_times()[:2]))
        busiest.kill()
        killed.append(busiest.pid)

    killer = threading.Thread(target=kill_one, daemon=True)
    killer.start()
    yield
    killer.join(5)
    assert killed


class Machines:
    """A scheduler in a process of its own, and workers of it."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self._environment, self._folder, self.processes = environment, folder, list[subprocess.Popen[bytes]]()
        self.start("dask_scheduler", "--port", "0", "--scheduler-file", "scheduler.json", folder=folder)
        self.address = ""
        while not self.address:
            assert self.processes[0].poll() is None, "the scheduler has ended"
            with suppress(FileNotFoundError, ValueError):  # not there, or not whole yet
                self.address = str(json.loads((folder / "scheduler.json").read_text())["address"])
            time.sleep(0.05)

    def start(self, command: str, *options: str, folder: Path) -> None:
        own = ("--host", "127.0.0.1", "--no-dashboard")
        arguments = [sys.executable, "-m", f"distributed.cli.{command}", *options, *own]
        quiet = subprocess.DEVNULL
        self.processes.append(subprocess.Popen(arguments, env=self._environment, cwd=folder, stdout=quiet, stderr=quiet))

    def work(self, n: int, folder: Path) -> None:
        """Start workers that look at relative paths from a folder."""
        for number in range(n):
            place = ("--local-directory", str(self._folder / f"worker-{number}"))
            self.start("dask_worker", self.address, "--no-nanny", "--nthreads", "1", *place, folder=folder)

    def close(self) -> None:
        for each in reversed(self.processes):
            each.kill()
            each.wait()


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    with closing(Machines(environment, tmp_path)) as made:
        yield made


@pytest.mark.full
def test_workers_of_a_scheduler_elsewhere_change_nothing_and_one_of_them_may_die(
    replay: Replay, machines: Machines, tmp_path: Path
) -> None:
    alone = replay("--windows", "3")
    machines.work(2, tmp_path)

    def workers() -> list[psutil.Process]:
        return [psutil.Process(each.pid) for each in machines.processes[1:]]

    with one_killed(tmp_path / "home" / "replays", alone["replay_id"], workers):
        together = replay("--windows", "3", "--scheduler", machines.address)
    assert same(together) == same(alone)


@pytest.mark.full
def test_a_worker_without_the_folder_of_the_data_says_so(
    candles: Path, machines: Machines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A path that is relative leads elsewhere from where the worker was started."""
    (tmp_path / "recorded").symlink_to(candles)
    (tmp_path / "elsewhere").mkdir()
    machines.work(1, tmp_path / "elsewhere")
    asked = ("replay", SYMBOL, "--data", "recorded", *SPAN, "--scheduler", machines.address)
    assert main(list(asked)) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert re.fullmatch(r"error: the worker tcp://127\.0\.0\.1:\d+ has no folder recorded: .*", said)


SWEEP = ("--sweep", "depth=1,2", "--sweep", "min_confidence=50,100", "--every", "12")


def figures(sweep: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a sweep without the names of its replays."""
    return [{key: value for key, value in row.items() if key != "replay_id"} for row in sweep["rows"]]


@pytest.fixture(scope="module")
def swept(candles: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The report of `SWEEP` in a home of its own."""
    options = _parser().parse_args(["replay", SYMBOL, "--data", str(candles), *SPAN, *SWEEP])
    settings = Settings(_env_file=None, home=tmp_path_factory.mktemp("swept"))  # type: ignore[call-arg]
    report = Sweeps(Replays(settings)).play(keys_of(options.sweep), _wanted(options), Silent())
    return json.loads(as_json(report.model_dump(mode="json")))  # type: ignore[no-any-return]


@pytest.mark.full
def test_each_row_of_a_sweep_is_the_replay_of_its_settings(replay: Replay, swept: dict[str, Any], tmp_path: Path) -> None:
    rows = swept["rows"]
    assert [row["setting"] for row in rows] == [
        {"depth": depth, "min_confidence": least} for depth in ("1", "2") for least in ("50", "100")
    ]
    (tmp_path / "risk.json").write_text('{"min_confidence": 50}')
    alone = replay("--depth", "2", "--risk", str(tmp_path / "risk.json"), "--every", "12")
    row = rows[2]
    for name in ("decisions", "return_pct", "max_drawdown_pct", "sharpe", "expectancy_r", "false_claims", "total_claims"):
        assert row[name] == alone[name], name
    assert row["tokens"] == alone["spent"]["tokens"] > rows[0]["tokens"], "another round of debate"
    assert row["total_claims"] > rows[0]["total_claims"] > 0
    assert [row["trades"] for row in rows][1::2] == [0, 0], "nothing is that confident"
    assert rows[0]["trades"] > 0
    assert any("4 tries" in each for each in swept["warnings"])


@pytest.mark.full
@pytest.mark.timeout(400)
def test_a_sweep_that_is_killed_goes_on_to_the_same_table_and_workers_change_nothing(
    replay: Replay, swept: dict[str, Any], candles: Path
) -> None:
    asked = ["replay", SYMBOL, "--data", str(candles), *SPAN, *SWEEP]
    killed = run_python("-c", DIES, "60", *asked, environment=dict(os.environ))
    assert killed.returncode == -9, killed.stderr
    name = killed.stderr.split()[1]
    resumed = replay("--resume", name, "--workers", "2")
    assert figures(resumed) == figures(swept)
    assert (resumed["best"], resumed["deflated"], resumed["warnings"]) == (swept["best"], swept["deflated"], swept["warnings"])
    assert figures(replay("--resume", name)) == figures(swept)


@pytest.mark.full
def test_a_sweep_spends_no_more_than_its_budget_and_goes_on_within_another(replay: Replay, swept: dict[str, Any], tmp_path: Path) -> None:
    part = replay(*SWEEP, "--budget-calls", "100")
    spent = [json.loads(each) for path in tmp_path.glob("home/replays/*/steps.jsonl") for each in path.read_text().splitlines()]
    assert 0 < sum(step["calls"] for step in spent) <= 100
    assert {row["ended"] for row in part["rows"]} == {"budget"}
    assert "4 of 4 replays ended early" in " ".join(part["warnings"])
    assert figures(replay("--resume", part["replay_id"], "--budget-calls", "100000")) == figures(swept)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--sweep", "mood=good,bad"), "mood=good,bad cannot be varied"),
        (("--sweep", "depth=1,1"), "named twice"),
        (("--sweep", "depth=one,2"), "depth"),
        (("--sweep", "depth=1,2", "--prove", "3"), "choose a setting first"),
    ],
)
def test_what_cannot_be_swept_is_said_and_leaves_nothing(replay: Replay, tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    assert said in replay(*options, code=2)["stderr"][-1]
    assert list(tmp_path.glob("home/replays/*")) == []


@pytest.mark.full
def test_two_replays_have_workers_at_once() -> None:
    with Workers(1), Workers(1):
        pass
