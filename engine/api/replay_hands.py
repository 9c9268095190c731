"""Who plays the pieces of a replay: this process, one after the other, or workers of a Dask cluster."""

import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol, Self

from engine.api.replay_pieces import STEPS, play_elsewhere, play_piece
from engine.domain.errors import BadInput, TribunalError
from engine.domain.replay import PlayedPiece, ReplayRequest
from engine.domain.text.reason import Reason
from engine.replay.step_log import count_steps
from engine.settings import Settings

_RETRIES: Final = 5


@dataclass(frozen=True)
class ReplayPiece:
    """One stretch of time in one world. home: of its journal. stop: the file that ends it."""

    home: Path
    request: ReplayRequest
    stop: Path


class Hands(Protocol):
    """Plays pieces."""

    def play(self, settings: Settings, pieces: Sequence[ReplayPiece], report: Callable[[int], None]) -> list[PlayedPiece]:
        """Play pieces and return what they came to, in their order. report: is given how many steps are done, beginning
        with those of earlier processes. Raises the first TribunalError."""
        ...


class OwnHands:
    """This process, one piece after the other."""

    def play(self, settings: Settings, pieces: Sequence[ReplayPiece], report: Callable[[int], None]) -> list[PlayedPiece]:
        """See Hands."""
        found, counts = list[PlayedPiece](), _steps_before(pieces)
        report(sum(counts.values()))

        def in_piece(done: int, total: int) -> None:
            counts[len(found)] = done
            report(sum(counts.values()))

        for each in pieces:
            found.append(play_piece(settings, each.home, each.request, each.stop, in_piece))
        return found


class Workers:
    """Workers of a Dask cluster: `workers` processes of this machine, or those of a scheduler that runs already. A worker that is killed
    costs time: its piece goes on from its step log elsewhere. They read the same folders, the data and the replay's own."""

    def __init__(self, workers: int = 0, scheduler: str = "") -> None:
        """Take the package in. Raises BadInput where `distributed` is not installed."""
        try:
            import distributed  # noqa: PLC0415 - an optional package
        except ImportError:
            raise BadInput(Reason("replay_needs_distributed")) from None
        self._distributed: Any = distributed  # without types
        self._workers, self._scheduler = workers, scheduler
        self._cluster: Any = None
        self._client: Any = None

    def __enter__(self) -> Self:
        """Start the workers, or reach those of the scheduler. Raises TribunalError."""
        try:
            if not self._scheduler:
                # without an address the scheduler takes one fixed port, which a second replay finds in use
                own = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": "ERROR"}
                self._cluster = self._distributed.LocalCluster(n_workers=self._workers, threads_per_worker=1, processes=True, **own)
            self._client = self._distributed.Client(self._cluster or self._scheduler, timeout="20s")
        except (OSError, ValueError, RuntimeError) as problem:
            self.close()
            what = " ".join(str(problem).split())[:200]
            raise TribunalError(Reason("replay_workers_cannot_be_reached", scheduler=self._scheduler or "-", problem=what)) from None
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        """End the workers that were started here."""
        self.close()

    def close(self) -> None:
        """See `__exit__`."""
        for each in (self._client, self._cluster):
            if each is not None:
                each.close()

    def play(self, settings: Settings, pieces: Sequence[ReplayPiece], report: Callable[[int], None]) -> list[PlayedPiece]:
        """See Hands."""
        topic, done = f"replay-{secrets.token_hex(8)}", _steps_before(pieces)
        report(sum(done.values()))

        def on_step(event: tuple[float, tuple[int, int]]) -> None:
            number, steps = event[1]
            done[number] = steps
            report(sum(done.values()))

        self._client.subscribe_topic(topic, on_step)
        try:
            waiting = [
                self._client.submit(
                    play_elsewhere, settings, str(each.home.resolve()), each.request.model_dump_json(), str(each.stop.resolve()),
                    (topic, number), pure=False, retries=_RETRIES,
                )
                for number, each in enumerate(pieces)
            ]  # fmt: skip
            self._distributed.wait(waiting)
            return [_piece_of(future) for future in waiting]
        finally:
            self._client.unsubscribe_topic(topic)


def _steps_before(pieces: Sequence[ReplayPiece]) -> dict[int, int]:
    """Return piece number -> steps that earlier processes have played."""
    return {number: count_steps(each.home / STEPS) for number, each in enumerate(pieces)}


def _piece_of(future: Any) -> PlayedPiece:
    if (problem := future.exception()) is not None:
        what = f"{type(problem).__name__}: {' '.join(str(problem).split())[:200]}"
        raise TribunalError(Reason("replay_worker_failed", problem=what))
    text: str = future.result()
    if text.startswith('{"problem"'):
        answer = json.loads(text)
        raise (BadInput if answer["exit_code"] == BadInput.exit_code else TribunalError)(answer["problem"])
    return PlayedPiece.model_validate_json(text)
