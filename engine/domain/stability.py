"""Would it say so again? What the roles of a decision answered when they were asked again on the same inputs, and how far they agree. Pure.

A decision that is repeated is not among its own repetitions. A repetition without a usable answer counts as none: it is neither agreement
nor another answer.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from statistics import stdev
from typing import Any, Final, Literal, get_args

from pydantic import AwareDatetime, Field

from engine.domain.events import Event
from engine.domain.frozen_model import FrozenModel
from engine.domain.interval import wilson
from engine.domain.opinion import Usage
from engine.domain.text.reason import Said

RepeatFrom = Literal["judge", "executor", "analysts"]
"""The first role that is asked again; every role behind it is asked, too."""
REPEATED_FROM: Final[tuple[RepeatFrom, ...]] = get_args(RepeatFrom)
MOST_REPETITIONS: Final = 50


class RepeatedAnswer(FrozenModel):
    """What one repetition came to.

    action: in the words of its desk; None where no usable answer came, and then `lost` says why. confidence: 0-100, after the penalty.
    entry, stop, target: levels of a plan, quote units; None without one. atr: of the inputs, quote units. calls, tokens, cost: of what was
    asked again; cost is None where a model has no price.
    """

    action: str | None
    is_valid: bool = False
    confidence: float | None = None
    entry: float | None = None
    stop: float | None = None
    target: float | None = None
    atr: float | None = None
    lost: Said = ""
    calls: int = 0
    tokens: int = 0
    cost: float | None = 0.0

    @property
    def decided(self) -> dict[str, Any]:
        """What follows from its words alone: everything but what it cost."""
        return self.model_dump(mode="json", exclude={"calls", "tokens", "cost"})


class LoneAnswer(FrozenModel):
    """What one voice decides on the inputs of a decision, without everybody else. action: in the words of its desk."""

    action: str
    usage: Usage


class Repetition(FrozenModel):
    """One of the `k` times that a decision was asked for again. series: number of the request for them, from 1, of its run. n: from 1.
    events: what its roles said. ended_at, answer: None while it is not over."""

    series: int = Field(ge=1)
    n: int = Field(ge=1)
    k: int = Field(ge=1)
    start: RepeatFrom
    begun_at: AwareDatetime
    ended_at: AwareDatetime | None = None
    answer: RepeatedAnswer | None = None
    events: tuple[Event, ...] = ()


class Stability(FrozenModel):
    """How far the repetitions of a decision agree: the stamp.

    actions: action -> how many repetitions came to it. modal: the most frequent one, None where no answer came. share: of the answers, 0-1;
    low, high: its 95 % interval. spread_atr: standard deviation of `entry`, `stop`, `target` in ATR, over the plans of the most frequent
    action that has one; None with fewer than two plans. seconds: during which at least one repetition was being asked.
    """

    run_id: str
    k: int
    start: RepeatFrom
    actions: dict[str, int]
    modal: str | None
    share: float | None
    low: float | None
    high: float | None
    spread_atr: dict[str, float | None]
    calls: int
    tokens: int
    cost: float | None
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return the stamp as states and the shell have it."""
        return {"from" if name == "start" else name: value for name, value in self.model_dump(mode="json").items()}

    @staticmethod
    def read(written: Mapping[str, Any]) -> "Stability":
        """Return what `to_json` wrote. Raises ValueError for anything else."""
        return Stability.model_validate({"start" if name == "from" else name: value for name, value in written.items()})


def stability_of(run_id: str, own: str | None, repetitions: Sequence[Repetition]) -> Stability:
    """Return the stamp of a series. own: the action of the decision itself, which comes first of equally frequent ones. Raises ValueError
    for no repetition."""
    if not repetitions:
        raise ValueError(f"no repetition of run {run_id}")
    answers = [each.answer for each in repetitions if each.answer is not None]
    counted = Counter(each.action for each in answers if each.action is not None)
    ranked = sorted(counted, key=lambda action: (-counted[action], action != own, action))
    modal, n = ranked[0] if ranked else None, counted.total()
    low, high = wilson(counted[modal], n) if modal is not None else (None, None)
    costs = [each.cost for each in answers]
    return Stability(
        run_id=run_id,
        k=repetitions[0].k,
        start=repetitions[0].start,
        actions={action: counted[action] for action in ranked},
        modal=modal,
        share=counted[modal] / n if modal is not None else None,
        low=low,
        high=high,
        spread_atr=_spread(answers, ranked),
        calls=sum(each.calls for each in answers),
        tokens=sum(each.tokens for each in answers),
        cost=None if None in costs else round(sum(cost for cost in costs if cost is not None), 9),
        seconds=_seconds(repetitions),
    )


def _spread(answers: Sequence[RepeatedAnswer], ranked: Sequence[str]) -> dict[str, float | None]:
    planned = (action for action in ranked if any(each.action == action and each.stop is not None for each in answers))
    action = next(planned, None)
    plans = [each for each in answers if action is not None and each.action == action]
    return {name: _deviation([(getattr(each, name), each.atr) for each in plans]) for name in ("entry", "stop", "target")}


def _deviation(levels: Sequence[tuple[float | None, float | None]]) -> float | None:
    in_atr = [level / atr for level, atr in levels if level is not None and atr]
    return round(stdev(in_atr), 6) if len(in_atr) > 1 else None


def _seconds(repetitions: Sequence[Repetition]) -> float:
    total, until = timedelta(), None
    for begun, ended in sorted((each.begun_at, each.ended_at) for each in repetitions if each.ended_at is not None):
        since = begun if until is None else max(begun, until)
        total += max(timedelta(), ended - since)
        until = ended if until is None else max(until, ended)
    return round(total.total_seconds(), 3)


def decided_action(state: Mapping[str, Any]) -> str | None:
    """Return the action that a final state of any desk came to; None where it decides nothing."""
    action = state.get("final_action") or state.get("trader_action")
    return str(action) if action is not None else None


def agreement_pct(state: Mapping[str, Any]) -> float | None:
    """Return in how many percent of the repetitions a decision came to its own action again; None where it was never repeated. A repetition
    without an answer does not agree."""
    stamp = state.get("stability")
    if not stamp:
        return None
    return 100.0 * float(stamp["actions"].get(decided_action(state), 0)) / float(stamp["k"])
