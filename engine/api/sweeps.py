"""Sweeps: replays of the same time that differ in a few settings (models, depths, limits, who signs), as one table.

A sweep is a folder beside those of its replays: which they are, and its report. Each replay has a journal and an account of its own like
any other, so workers may play them in any order.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Final

from engine.api.replay_files import REPORT, STOP, in_one_line, is_played, owned, read_file, write_file
from engine.api.replay_hands import Hands, OwnHands
from engine.api.replays import ReplayListener, Replays, Wanted
from engine.domain.clock import utc_now
from engine.domain.errors import BadInput, StoreError, TribunalError
from engine.domain.replay import ReplayBudget, SweepReport, SweepSummary
from engine.domain.risk import RiskConfig
from engine.domain.text.reason import Reason
from engine.replay.names import sweep_name

MOST: Final = 256
"""Replays in a sweep."""
SETTINGS: Final = ("model", "depth", "lies", "seed", "approve")
"""What a sweep may vary, beside the limits."""
_SWEEP: Final = "sweep.json"


def is_sweep(name: str) -> bool:
    """Return whether a name is that of a sweep."""
    return name.startswith("s")


def keys_of(asked: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return what `KEY=a,b,c` names, in its order. Raises BadInput for a key that cannot be varied, and for a value that is named twice."""
    found = dict[str, tuple[str, ...]]()
    for each in asked:
        key, _, text = each.partition("=")
        values = tuple(value.strip() for value in text.split(","))
        if key.strip() not in (*SETTINGS, *RiskConfig.model_fields) or not all(values):
            raise BadInput(Reason("sweep_cannot_vary", asked=each[:60], settings=", ".join(SETTINGS)))
        if key.strip() in found or len(set(values)) < len(values):
            raise BadInput(Reason("sweep_names_twice", asked=each[:60]))
        found[key.strip()] = values
    if (n := len(combinations_of(found))) > MOST:
        raise BadInput(Reason("sweep_is_too_large", n=n, most=MOST))
    return found


def combinations_of(keys: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    """Return every combination of values; the last key changes fastest."""
    return [dict(zip(keys, values, strict=True)) for values in product(*keys.values())]


class Sweeps:
    """The sweeps of a home."""

    def __init__(self, replays: Replays) -> None:
        self._replays, self._folder = replays, replays.folder

    def play(self, keys: Mapping[str, Sequence[str]], wanted: Wanted, listener: ReplayListener, hands: Hands | None = None) -> SweepReport:
        """Play a new sweep to its end. keys: as `keys_of` returns them. wanted: what all of it has in common; each replay may spend an
        equal part of its budget. Blocks. Raises BadInput for what cannot be asked, and the TribunalError that ended it: it can be resumed
        then."""
        if wanted.prove or wanted.worlds:
            raise BadInput(Reason("sweep_is_not_proved"))
        settings = combinations_of(keys)
        part = replace(wanted, budget=wanted.budget.part(len(settings)))
        names = self._replays.prepare([_with(part, each) for each in settings], in_sweep=True)
        name = sweep_name(names[0].partition("-")[0], utc_now())
        (self._folder / name).mkdir(mode=0o700)
        write_file(self._folder / name / _SWEEP, json.dumps({"keys": dict(keys), "settings": settings, "replays": names}))
        listener.begun(name)
        return self._played(name, listener, hands or OwnHands())

    def resume(self, name: str, listener: ReplayListener, budget: ReplayBudget | None = None, hands: Hands | None = None) -> SweepReport:
        """Go on with a sweep that was stopped or whose process ended; of a finished one, return the report. budget: another one for all of
        it, None = as it was. Raises as `play`."""
        found = self.read(name)
        listener.begun(name)
        if budget is not None and not found.running:
            for each in found.replays:
                self._replays.limit(each.replay_id, budget.part(len(found.replays)))
        if found.report is not None and found.report.ended == "done":
            return found.report
        (self._folder / name / STOP).unlink(missing_ok=True)
        return self._played(name, listener, hands or OwnHands())

    def stop(self, name: str) -> None:
        """Ask a sweep to end after the decisions it is at. It can be resumed. Raises BadInput for one that is not known."""
        self.read(name)
        (self._folder / name / STOP).touch()

    def read(self, name: str) -> SweepSummary:
        """Return a sweep. Raises BadInput for one that is not known, StoreError for one that cannot be read."""
        home = self._home(name)
        written = read_file(home / _SWEEP)
        try:
            return SweepSummary(
                replay_id=name,
                keys=written["keys"],
                settings=written["settings"],
                replays=tuple(self._replays.read(each) for each in written["replays"]),
                running=is_played(home),
                report=SweepReport.model_validate_json((home / REPORT).read_bytes()) if (home / REPORT).exists() else None,
            )
        except (OSError, ValueError, KeyError) as problem:
            raise StoreError(Reason("replay_cannot_be_read", replay_id=name, problem=in_one_line(problem))) from None

    def newest(self, most: int) -> list[SweepSummary]:
        """Return the newest sweeps, the newest first."""
        found = list[SweepSummary]()
        homes = (each for each in self._folder.glob("s*-*") if is_sweep(each.name) and (each / _SWEEP).exists())
        for home in sorted(homes, key=lambda each: each.name.partition("-")[2], reverse=True):
            with suppress(TribunalError):  # one whose replays were deleted
                if len(found) < most:
                    found.append(self.read(home.name))
        return found

    def _home(self, name: str) -> Path:
        home = self._folder / name
        if name != Path(name).name or not (home / _SWEEP).exists():
            raise BadInput(Reason("replay_is_not_known", replay_id=name[:60]))
        return home

    def _played(self, name: str, listener: ReplayListener, hands: Hands) -> SweepReport:
        from engine.replay.sweep import make_sweep_report  # noqa: PLC0415 - it brings numpy, which no page need wait for

        home, found = self._home(name), self.read(name)
        report: Callable[[int], None] = partial(_heard, listener, found.total)
        with owned(home, name):
            reports = self._replays.play_together([each.replay_id for each in found.replays], home / STOP, hands, report)
            made = make_sweep_report(name, found.keys, found.settings, reports)
            write_file(home / REPORT, made.model_dump_json())
            return made


def _heard(listener: ReplayListener, total: int, done: int) -> None:
    listener.progress("replay", done, total)


def _with(wanted: Wanted, setting: Mapping[str, str]) -> Wanted:
    """Return what is wanted with one combination of settings."""
    asked, risk = dict(wanted.asked), dict[str, object]()
    for key, value in setting.items():
        if key in RiskConfig.model_fields:
            risk[key] = _number(value)
        elif key != "approve":
            asked[key] = value if key == "model" else _number(value)
    if risk:
        own = asked.get("risk")
        asked["risk"] = {**(own if isinstance(own, Mapping) else {}), **risk}
    return replace(wanted, asked=asked, approve=setting.get("approve", wanted.approve))


def _number(text: str) -> object:
    """Return a number or true and false; a text that is none of them as it is, which the request refuses by name."""
    try:
        return json.loads(text)
    except ValueError:
        return text
