"""Replays: a desk in a loop over history, each on a journal and a paper account of its own.

A replay is a folder of the home, `replays/ID`: what was asked, a journal like any other, the log of its steps, and its report. Nothing in
it counts elsewhere, and nothing elsewhere counts in it: neither the user's accounts nor earlier replays. Its process has the replay's
clock.
"""

import json
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial, reduce
from operator import add
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Final, Protocol

from pydantic import ValidationError

from engine.api.replay_engine import opened_past, settings_of
from engine.api.replay_files import REPORT, STOP, in_one_line, is_played, owned, read_file, write_file
from engine.api.replay_hands import Hands, OwnHands, ReplayPiece, Workers
from engine.api.replay_pieces import STEPS, proved, report_of
from engine.bootstrap.models import require_prices
from engine.domain.clock import utc_now
from engine.domain.errors import BadInput, StoreError, TribunalError
from engine.domain.replay import Ending, PlayedWorld, Proof, ReplayBudget, ReplayReport, ReplayRequest, ReplayStep, ReplaySummary, World
from engine.domain.run import RunRequest
from engine.domain.text.reason import Reason
from engine.replay.budget import part_of_rest
from engine.replay.names import key_of, key_of_run, new_name
from engine.replay.step_log import count_steps, read_steps
from engine.replay.windows import windows_of
from engine.settings import Settings, load_settings

if TYPE_CHECKING:
    from engine.replay.protocol import ReplayPlan

_START_S: Final = 60.0
_REQUEST, _PROOF, _WORLDS = "replay.json", "proof.json", "worlds.json"


class ReplayListener(Protocol):
    """Hears how a replay goes."""

    def begun(self, replay_id: str) -> None:
        """Hear that it has a name and will be played."""
        ...

    def progress(self, part: str, done: int, total: int) -> None:
        """Hear how far a part has come: `replay`, `prove` or `worlds`, in steps."""
        ...


@dataclass(frozen=True)
class Wanted:
    """A replay to be asked for. asked: fields of the desk's request. ends: None = as far as the market goes. prove: instants of the proof.
    worlds: how many worlds of that kind the real result is held against; 0 with another world than the real one: that world is replayed.
    windows: stretches with an account each."""

    symbol: str
    asked: Mapping[str, object]
    begins: datetime
    ends: datetime | None = None
    every: int = 1
    approve: str = "auto"
    budget: ReplayBudget = field(default_factory=ReplayBudget)
    world: World = "real"
    worlds: int = 0
    prove: int = 0
    windows: int = 1


class Replays:
    """The replays of a home. settings: of the process; None = read now."""

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or load_settings()
        self.folder = self._settings.home / "replays"

    def play(self, wanted: Wanted, listener: ReplayListener, hands: Hands | None = None) -> ReplayReport:
        """Play a new replay to its end. hands: who plays it, None = this process. Blocks. Raises BadInput for what cannot be asked, and the
        TribunalError that ended it: it can be resumed then."""
        (replay_id,) = self.prepare([wanted])
        listener.begun(replay_id)
        return self._played(replay_id, listener, hands or OwnHands())

    def prepare(self, asked: Sequence[Wanted], *, in_sweep: bool = False) -> list[str]:
        """Write down what is to be replayed, all of it or nothing, and return the names. in_sweep: whether they are parts of one.
        Raises BadInput for what cannot be asked."""
        home, made = self.folder / f"{secrets.token_hex(6)}.new", dict[str, str]()
        try:
            with opened_past(self._settings, home) as opened:
                for wanted in asked:
                    desk = opened.desk(wanted.symbol)
                    base = desk.request(wanted.symbol, wanted.asked)
                    plan = opened.ask(desk.plan(base, wanted.begins, wanted.ends, wanted.every))
                    request = _request_of(wanted, base, plan)
                    _require_prices(self._settings, request)
                    more = {"worlds": wanted.worlds, "kind": wanted.world, "prove": wanted.prove, "total": len(plan.instants)}
                    name = new_name(key_of(request), utc_now())
                    made[name] = json.dumps({"request": request.model_dump(mode="json"), **more, "in_sweep": in_sweep})
        finally:
            shutil.rmtree(home, ignore_errors=True)
        for name, text in made.items():
            (self.folder / name).mkdir(mode=0o700)
            write_file(self.folder / name / _REQUEST, text)
        return list(made)

    def play_together(self, names: Sequence[str], stop: Path, hands: Hands, report: Callable[[int], None]) -> list[ReplayReport]:
        """Play prepared replays as one job, or go on with them, and return their reports; those that are done are not played again. stop: a
        file that ends all of them. report: is given how many decisions are done. Blocks. Raises as `play`."""
        found = {name: self.read(name) for name in names}
        done = {name: each.report for name, each in found.items() if each.report is not None and each.report.ended == "done"}
        before, left = sum(found[name].done for name in done), [name for name in names if name not in done]
        with ExitStack() as held:
            for name in left:
                held.enter_context(owned(self.folder / name, name))
            asked = [ReplayRequest.model_validate(read_file(self.folder / name / _REQUEST)["request"]) for name in left]
            pieces = [self._pieces(self.folder / name, request, stop) for name, request in zip(left, asked, strict=True)]
            played = iter(hands.play(self._settings, [each for of_one in pieces for each in of_one], lambda n: report(before + n)))
            for name, request, of_one in zip(left, asked, pieces, strict=True):
                own = [next(played) for _ in of_one]
                done[name] = report_of(self._settings, name, self.folder / name, request, own)
                write_file(self.folder / name / REPORT, done[name].model_dump_json())
        return [done[name] for name in names]

    def limit(self, replay_id: str, budget: ReplayBudget) -> None:
        """Give a replay another budget for all of it. Raises BadInput where it limits money and a model has no price."""
        written = read_file(self.folder / replay_id / _REQUEST)
        request = ReplayRequest.model_validate(written["request"]).model_copy(update={"budget": budget})
        _require_prices(self._settings, request)
        written["request"] = request.model_dump(mode="json")
        write_file(self.folder / replay_id / _REQUEST, json.dumps(written))

    def resume(
        self, replay_id: str, listener: ReplayListener, budget: ReplayBudget | None = None, hands: Hands | None = None
    ) -> ReplayReport:
        """Go on with a replay that was stopped or whose process ended; of a finished one, return the report. budget: another one for all of
        it, None = as it was. Raises as `play`."""
        found = self.read(replay_id)
        listener.begun(replay_id)
        if budget is not None and not found.running:
            self.limit(replay_id, budget)
        if found.report is not None and found.report.ended == "done":
            return found.report
        (self.folder / replay_id / STOP).unlink(missing_ok=True)
        return self._played(replay_id, listener, hands or OwnHands())

    def stop(self, replay_id: str) -> None:
        """Ask a replay to end after the decision it is at. It can be resumed. Raises BadInput for one that is not known."""
        self.read(replay_id)
        (self.folder / replay_id / STOP).touch()

    def newest(self, most: int) -> list[ReplaySummary]:
        """Return the newest replays, the newest first, without those of sweeps."""
        found = list[ReplaySummary]()
        for name in self._names():
            with suppress(TribunalError):  # one that another version wrote
                if len(found) < most and not read_file(self.folder / name / _REQUEST).get("in_sweep"):
                    found.append(self.read(name))
        return found

    def read(self, replay_id: str) -> ReplaySummary:
        """Return a replay. Raises BadInput for one that is not known, StoreError for one that cannot be read."""
        home = self._home(replay_id)
        written = read_file(home / _REQUEST)
        try:
            report = home / REPORT
            return ReplaySummary(
                replay_id=replay_id,
                request=ReplayRequest.model_validate(written["request"]),
                done=sum(count_steps(each / STEPS) for each in _rooms(home)),
                total=written["total"],
                running=is_played(home),
                report=ReplayReport.model_validate_json(report.read_bytes()) if report.exists() else None,
            )
        except (OSError, ValueError, KeyError) as problem:
            raise StoreError(Reason("replay_cannot_be_read", replay_id=replay_id, problem=in_one_line(problem))) from None

    def steps(self, replay_id: str) -> list[ReplayStep]:
        """Return what a replay has decided so far, in order. Raises as `read`."""
        return [step for each in _rooms(self._home(replay_id)) for step in read_steps(each / STEPS)]

    def launch(self, arguments: Sequence[str]) -> str:
        """Begin a replay in a process of its own, which outlives this one; returns its id. arguments: of the command `replay`. Blocks until
        it has begun. Raises BadInput with what it says where it does not."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        said = self.folder / f"{secrets.token_hex(6)}.starting"
        command = [sys.executable, "-m", "engine", "replay", "--background", *arguments]
        own = {**os.environ, "TRIBUNAL_HOME": str(self._settings.home)}
        try:
            with said.open("wb") as errors:
                process = subprocess.Popen(  # noqa: S603 - our own command, without a shell
                    command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, env=own, start_new_session=True
                )
            assert process.stdout is not None
            late = Timer(_START_S, process.kill)
            late.start()
            with process.stdout as output:
                begun = output.readline().decode().strip()  # its name, or its end
            late.cancel()
            if begun:
                return begun
            process.wait()
            lines = said.read_text(encoding="utf-8", errors="replace").splitlines()
            raise BadInput(lines[-1].removeprefix("error: ") if lines else Reason("replay_did_not_begin"))
        finally:
            said.unlink(missing_ok=True)

    def home_of(self, run_id: str, replay_id: str = "") -> Path | None:
        """Return the home that a replay's run is kept in, None for any other run. replay_id: of several replays of the same, which; "" =
        the newest."""
        if not (key := key_of_run(run_id)):  # one that was made from a run of that replay, or of none
            return self.folder / replay_id if replay_id in self._names() else None
        homes = [self.folder / name for name in self._names() if replay_id in ("", name)]
        rooms = ((home if home.name.startswith(key) else home / key) for home in homes)
        return next((room for room in rooms if (room / STEPS).exists()), None)

    def _names(self) -> list[str]:
        """Return the names of all replays, the newest first."""
        names = [each.name for each in self.folder.iterdir() if (each / _REQUEST).exists()] if self.folder.is_dir() else []
        return sorted((name for name in names if not name.endswith(".new")), key=lambda name: name.partition("-")[2], reverse=True)

    def settings_of(self, home: Path) -> Settings:
        """Return the settings of a replay's home."""
        return settings_of(self._settings, home)

    def _home(self, replay_id: str) -> Path:
        home = self.folder / replay_id
        if replay_id != Path(replay_id).name or not (home / _REQUEST).exists():
            raise BadInput(Reason("replay_is_not_known", replay_id=replay_id[:60]))
        return home

    def _played(self, replay_id: str, listener: ReplayListener, hands: Hands) -> ReplayReport:
        home = self._home(replay_id)
        with owned(home, replay_id):
            written = read_file(home / _REQUEST)
            request = ReplayRequest.model_validate(written["request"])
            proof = self._proof(home, request, written["prove"], listener) if written["prove"] else None
            report = self._reported(replay_id, home, request, hands, lambda done: listener.progress("replay", done, written["total"]))
            if proof is not None:
                report = _with_proof(report, proof)
            if written["worlds"] and report.ended == "done":
                ended, worlds = self._worlds(replay_id, home, request, written["kind"], written["worlds"], listener, hands)
                report = _with_worlds(report, home, written["kind"], written["worlds"], ended, worlds)
            write_file(home / REPORT, report.model_dump_json())
            return report

    def _pieces(self, home: Path, request: ReplayRequest, stop: Path) -> list[ReplayPiece]:
        """Return the windows of a replay in one world. Raises BadInput where its money is limited and a model has no price."""
        _require_prices(self._settings, request)
        if request.windows == 1:
            return [ReplayPiece(home, request, stop)]
        with opened_past(self._settings, home) as opened:
            desk, base = opened.desk(request.base.subject), request.base
            plan = opened.ask(desk.plan(base, request.begins, request.ends, request.every))
        cut = windows_of(plan.instants, plan.ends_at, request.windows, partial(desk.before, base))
        budget = request.budget.part(len(cut))
        own = [request.model_copy(update={"begins": first, "ends": last, "windows": 1, "budget": budget}) for first, last in cut]
        return [ReplayPiece(home / key_of(each), each, stop) for each in own]

    def _reported(self, name: str, home: Path, request: ReplayRequest, hands: Hands, on_step: Callable[[int], None]) -> ReplayReport:
        """Play a replay in one world and return its report."""
        played = hands.play(self._settings, self._pieces(home, request, home / STOP), on_step)
        return report_of(self._settings, name, home, request, played)

    def _worlds(
        self, name: str, home: Path, request: ReplayRequest, kind: World, n: int, listener: ReplayListener, hands: Hands
    ) -> tuple[Ending, dict[int, PlayedWorld]]:
        """Replay the same desk in worlds without an edge, and return why that ended and what those came to that were played to their end.
        Those are kept, and one that was cut off stays in its room: a resumed replay goes on from there. Each world may spend an equal part
        of what the real market has left of the budget."""
        kept = _kept_worlds(home / _WORLDS)
        budget = part_of_rest(request.budget, self.steps(name), n, request.windows)
        at_once = n if isinstance(hands, Workers) else 1
        ended: Ending = "done" if budget is not None or len(kept) == n else "budget"
        while ended == "done" and (left := [number for number in range(1, n + 1) if number not in kept]):
            listener.progress("worlds", len(kept), n)
            asked = {
                number: request.model_copy(update={"world": kind, "world_seed": number, "budget": budget}) for number in left[:at_once]
            }
            pieces = {number: self._pieces(home / f"world-{number}", each, home / STOP) for number, each in asked.items()}
            played = iter(hands.play(self._settings, [each for of_world in pieces.values() for each in of_world], lambda done: None))
            for number, each in asked.items():
                of_world, room = [next(played) for _ in pieces[number]], home / f"world-{number}"
                cut_off = next((piece.ended for piece in of_world if piece.ended != "done"), None)
                if cut_off is not None:
                    ended = cut_off
                    continue
                found = report_of(self._settings, name, room, each, of_world)
                kept[number] = PlayedWorld(return_pct=found.return_pct, spent=found.spent)
                write_file(home / _WORLDS, json.dumps({"worlds": {key: one.model_dump(mode="json") for key, one in kept.items()}}))
                shutil.rmtree(room, ignore_errors=True)
        listener.progress("worlds", len(kept), n)
        return ended, kept

    def _proof(self, home: Path, request: ReplayRequest, n: int, listener: ReplayListener) -> Proof | None:
        """Return the proof of a replay, made once; None where it was stopped."""
        if (home / _PROOF).exists():
            return Proof.model_validate(read_file(home / _PROOF))
        found = proved(self._settings, home / "proof", request, n, home / STOP, partial(listener.progress, "prove"))
        if found is not None:
            write_file(home / _PROOF, found.model_dump_json())
        return found


def _rooms(home: Path) -> list[Path]:
    """Return the homes of a replay's windows in order; its own where it has none."""
    found = [each for each in home.glob("r????????????") if (each / STEPS).exists()]
    return sorted(found, key=lambda each: read_steps(each / STEPS)[0].at if count_steps(each / STEPS) else utc_now()) or [home]


def _request_of(wanted: Wanted, base: RunRequest, plan: "ReplayPlan") -> ReplayRequest:
    in_one = wanted.world if wanted.worlds == 0 else "real"
    try:
        return ReplayRequest(
            base=base,
            begins=wanted.begins,
            ends=plan.ends_at,
            every=wanted.every,
            approve=wanted.approve,
            budget=wanted.budget,
            world=in_one,
            world_seed=base.seed,
            windows=wanted.windows,
        )
    except ValidationError as problem:
        first = problem.errors(include_input=False, include_url=False)[0]
        raise BadInput(f"{' '.join(map(str, first['loc']))}: {first['msg']}") from None


def _require_prices(settings: Settings, request: ReplayRequest) -> None:
    if request.budget.money is not None:
        require_prices(settings, request.base)


def _kept_worlds(path: Path) -> dict[int, PlayedWorld]:
    written = read_file(path).get("worlds", {}) if path.exists() else {}
    return {int(number): PlayedWorld.model_validate(each) for number, each in written.items()}


def _with_proof(report: ReplayReport, proof: Proof) -> ReplayReport:
    shown = {"n": len(proof.instants), "differ": len(proof.differ), "seed": proof.seed}
    said = Reason("replay_point_in_time_proved" if proof.holds else "replay_point_in_time_broken", **shown)
    return report.model_copy(update={"proof": proof, "header": {**report.header, "point_in_time": said}})


def _with_worlds(report: ReplayReport, home: Path, kind: World, n: int, ended: Ending, worlds: Mapping[int, PlayedWorld]) -> ReplayReport:
    """Return a report with its worlds: without a rank where not all of them were played to their end. home: with the rooms of those that
    were cut off."""
    from engine.replay.worlds import rank_among  # noqa: PLC0415 - it brings numpy, which no page need wait for

    begun = [step.spent for world in home.glob("world-*") for room in _rooms(world) for step in read_steps(room / STEPS)]
    spent = reduce(add, [*(each.spent for each in worlds.values()), *begun], report.spent)
    if ended != "done":
        said = Reason("replay_worlds_are_missing", done=len(worlds), n=n, world=kind)
        return report.model_copy(update={"ended": ended, "spent": spent, "warnings": (*report.warnings, said)})
    rank = rank_among(kind, report.return_pct, [worlds[number].return_pct for number in sorted(worlds)])
    said = Reason("replay_is_beyond_worlds" if rank.is_beyond else "replay_is_within_worlds", n=n, world=kind, rank=f"{rank.rank:.2f}")
    return report.model_copy(update={"worlds": rank, "spent": spent, "warnings": (*report.warnings, said)})
