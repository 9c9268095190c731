"""The proof that no decision knows what comes later: at random instants everything after T is altered, and the decision must stay the same.

The model must be one that says the same of the same: of one that is sampled, two decisions differ without any knowledge of the future. Two
engines decide at the same instant under the same name; the only difference is the future. A third one, whose alteration begins one bar
earlier, is the test of the test: its inputs have to change.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

import numpy as np

from engine.domain.replay import Proof


class Prover(Protocol):
    """Decides at one instant, on an account without an order."""

    def decide(self, number: int, instant: datetime) -> Mapping[str, Any]:
        """Return the final state of the decision at an instant. number: names the run. Raises TribunalErrors."""
        ...


def prove(
    plain: Prover,
    altered: Prover,
    control: Prover,
    instants: Sequence[datetime],
    seed: int,
    is_stopped: Callable[[], bool],
    report: Callable[[int, int], None],
) -> Proof | None:
    """Compare decisions at instants; None where a person ended it. altered: sees another future from each instant on. control: from a bar
    before it. report: called with (instants that are done, all of them)."""
    differ, changed = [], 0
    for number, instant in enumerate(instants):
        if is_stopped():
            return None
        real = comparable(plain.decide(number, instant))
        if comparable(altered.decide(number, instant)) != real:
            differ.append(instant)
        changed += comparable(control.decide(number, instant)) != real
        report(number + 1, len(instants))
    return Proof(instants=tuple(instants), differ=tuple(differ), changed=changed, seed=seed)


def chosen(instants: Sequence[datetime], n: int, seed: int) -> list[datetime]:
    """Return n of the instants at random, each once, in the order of time; all of them where there are no more."""
    rng = np.random.default_rng([seed, n])
    places = sorted(rng.choice(len(instants), min(n, len(instants)), replace=False).tolist())
    return [instants[place] for place in places]


def comparable(state: Mapping[str, Any]) -> str:
    """Return a final state as text, without durations: names and times are the same for all three."""
    return json.dumps(_timeless(state), ensure_ascii=False, sort_keys=True, default=str)


def _timeless(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _timeless(each) for key, each in value.items() if not str(key).endswith("_ms")}
    return [_timeless(each) for each in value] if isinstance(value, list | tuple) else value
