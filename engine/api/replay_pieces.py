"""The pieces of a replay, each on an engine and a home of its own: one stretch of time in one world, and the proof.

Pieces know nothing of each other, so that they can be played one after the other, or by several workers: what comes out is the same.
"""

import gc
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final

from engine.api.replay_engine import EngineProver, PlayedEngine, opened_past, opened_through, risk_of
from engine.bootstrap.models import SCRIPTED
from engine.domain.clock import use_clock, utc_now
from engine.domain.errors import TribunalError
from engine.domain.replay import PlayedPiece, Proof, ReplayReport, ReplayRequest
from engine.domain.text.reason import Reason
from engine.replay.clock import ReplayClock
from engine.replay.lens import Lens
from engine.replay.loop import Replayer
from engine.replay.names import key_of
from engine.replay.step_log import StepLog
from engine.settings import Settings

STEPS: Final = "steps.jsonl"
_COLLECT_EVERY: Final = 20
Progress = Callable[[int, int], None]


def play_piece(settings: Settings, home: Path, request: ReplayRequest, stop: Path, report: Progress) -> PlayedPiece:
    """Play one stretch of time, or go on with it. stop: a file that ends it as soon as it is there. Raises the TribunalError that ended it:
    it can be continued then.

    What was stopped or is over its budget leaves the outcomes as they are: followed before their time, they would teach the decisions that
    come once it goes on."""
    from engine.replay.past_lens import PastLens  # noqa: PLC0415 - it brings numpy, which no page need wait for
    from engine.replay.worlds import world_of  # noqa: PLC0415 - late, as above

    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with closing(StepLog(home / STEPS)) as log, opened_past(settings, home) as opened:
        desk, base = opened.desk(request.base.subject), request.base
        plan = opened.ask(desk.plan(base, request.begins, request.ends, request.every))
        if request.world != "real":
            real = opened.ask(desk.real_candles(base, plan.ends_at, plan.instants[0]))
            assert isinstance(opened.lens, PastLens)
            opened.lens.world = (base.subject, world_of(real, request.world, request.world_seed))
        played = PlayedEngine(opened, desk, base)
        before, began = len(log.steps), time.monotonic()
        ended = Replayer(key_of(request), request, plan.instants, played, opened.clock, log, report, stop.exists).run()
        rate = (len(log.steps) - before) / max(time.monotonic() - began, 1e-9)
        if not log.steps:
            began_with = risk_of(base).equity
            return PlayedPiece(steps=(), records=(), ends_at=plan.instants[0], equity=began_with, last_price=0.0, ended=ended)
        ends_at = plan.ends_at if ended == "done" else log.steps[-1].at
        opened.clock.move(ends_at)
        if ended == "done":
            played.follow_account()
            played.follow_outcomes()
        left = played.left(ends_at)
        market = opened.ask(desk.market(base, plan.instants[0], ends_at))
        return PlayedPiece(
            steps=tuple(log.steps),
            records=tuple(left.records),
            ends_at=ends_at,
            equity=left.equity,
            last_price=float(market.candles.close[-1]),
            ended=ended,
            decisions_per_s=rate,
        )


def report_of(settings: Settings, name: str, home: Path, request: ReplayRequest, pieces: list[PlayedPiece]) -> ReplayReport:
    """Return the report of pieces that follow one another in time. home: where the market is read from. Raises TribunalError where none has
    a step."""
    from engine.replay.past_lens import PastLens  # noqa: PLC0415 - late, as above
    from engine.replay.report import make_report  # noqa: PLC0415 - late, as above
    from engine.replay.worlds import world_of  # noqa: PLC0415 - late, as above

    begun = [piece for piece in pieces if piece.steps]
    if not begun:
        raise TribunalError(Reason("replay_has_no_step"))
    with opened_past(settings, home) as opened:
        desk, base = opened.desk(request.base.subject), request.base
        first, ends_at = begun[0].steps[0].at, begun[-1].ends_at
        if request.world != "real":
            plan = opened.ask(desk.plan(base, request.begins, request.ends, request.every))
            real = opened.ask(desk.real_candles(base, plan.ends_at, plan.instants[0]))
            assert isinstance(opened.lens, PastLens)
            opened.lens.world = (base.subject, world_of(real, request.world, request.world_seed))
        opened.clock.move(ends_at)
        market = opened.ask(desk.market(base, first, ends_at))
    return make_report(name, request, pieces, risk_of(base).equity, market)


def proved(settings: Settings, rooms: Path, request: ReplayRequest, n: int, stop: Path, report: Progress) -> Proof | None:
    """Let the scripted model decide at random instants with and without another future: it is given what any model is given, and says the
    same of the same. None where it was stopped. rooms: a folder for the homes of it, gone afterwards. stop: as in `play_piece`."""
    from engine.replay.altered import AlteredLens  # noqa: PLC0415 - late, as above
    from engine.replay.prove import chosen, prove  # noqa: PLC0415 - late, as above

    shutil.rmtree(rooms, ignore_errors=True)
    base, seed, clock = request.base.model_copy(update={"model": SCRIPTED}), request.base.seed, ReplayClock(utc_now())
    open_room = partial(opened_through, settings.model_copy(update={"role_models": {}}))
    with (
        use_clock(clock),
        open_room(rooms / "plain", clock, Lens()) as plain,
        open_room(rooms / "altered", clock, AlteredLens(seed)) as altered,
        open_room(rooms / "control", clock, AlteredLens(seed)) as control,
    ):
        plan = plain.ask(plain.desk(base.subject).plan(base, request.begins, request.ends, request.every))
        step = plan.instants[1] - plan.instants[0] if len(plan.instants) > 1 else timedelta(days=7)
        real, later, earlier = (EngineProver(each, each.desk(base.subject), base) for each in (plain, altered, control))
        later.alters = lambda instant: instant
        earlier.alters = lambda instant: instant - step
        found = prove(real, later, earlier, chosen(plan.instants, n, seed), seed, stop.exists, report)
    shutil.rmtree(rooms, ignore_errors=True)
    return found


def play_elsewhere(settings: Settings, home: str, request: str, stop: str, place: tuple[str, int]) -> str:
    """Play a piece in a worker's process; JSON in, JSON out. A failure comes back as its text and exit code, so that no worker has to know
    how to send an exception. place: the topic that steps are told to, and the piece's number in it."""
    from distributed import get_worker  # noqa: PLC0415 - an optional package

    worker, (topic, number) = get_worker(), place
    try:
        asked = ReplayRequest.model_validate_json(request)
        _check_folders(worker.address, asked, Path(stop).parent)
        with collected_between() as collect:

            def report(done: int, total: int) -> None:
                collect(done)
                worker.log_event(topic, (number, done))

            return play_piece(settings, Path(home), asked, Path(stop), report).model_dump_json()
    except TribunalError as problem:
        return json.dumps({"problem": str.__str__(problem.args[0]), "exit_code": problem.exit_code})


@contextmanager
def collected_between() -> Iterator[Callable[[int], None]]:
    """Switch automatic garbage collection off for this block and collect every 20 steps instead. Yields a function to call with the number
    of each step. A Dask worker's profiler calls `sys._current_frames` 100 times a second; before Python 3.11.9 a collection during that
    call can deadlock (gh-106883). Newer versions of Python need none of this."""
    if sys.version_info >= (3, 11, 9) or not gc.isenabled():
        yield lambda step: None
        return

    def collect(step: int) -> None:
        if step % _COLLECT_EVERY == 0:
            gc.collect()

    gc.disable()
    try:
        yield collect
    finally:
        gc.enable()


def _check_folders(worker: str, request: ReplayRequest, replay: Path) -> None:
    """Raise TribunalError where this machine has not the folders of the one that asked: it would begin a journal of its own, unseen."""
    data = dict(request.base).get("data_dir")
    for folder in (replay, *((Path(data),) if data else ())):
        if not folder.is_dir():
            raise TribunalError(Reason("replay_worker_has_no_folder", worker=worker, folder=str(folder)[:200]))
