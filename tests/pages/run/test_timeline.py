"""The timeline: every node's time is told without gaps, and what a provider made of it can be read from the bars."""

from datetime import timedelta
from itertools import pairwise

import pytest

from engine.domain.opinion import Usage
from pages.desks.decision.decision_view import DECISION
from pages.run.timeline import pieces
from pages.run.view import Retry, Turn
from tests.pages.event_log import START
from tests.pages.events import RUNS

LOGS = {name: make() for name, make in RUNS.items()}


@pytest.mark.parametrize("name", ["entry", "failed", "position"])
def test_a_nodes_time_is_told_whole_at_every_moment(name: str) -> None:
    for count in range(1, len(LOGS[name]) + 1):
        view = DECISION.reduce(LOGS[name][:count])
        for node in view.nodes.values():
            if node.started_at is None or view.last_at is None:
                continue
            told = pieces(node, view.last_at)
            end = node.ended_at or view.last_at
            assert all(at < to for _, at, to in told)
            assert all(one[2] == other[1] for one, other in pairwise(told)), "no gaps, no overlaps"
            assert sum((to - at).total_seconds() for _, at, to in told) == pytest.approx((end - node.started_at).total_seconds())


def test_queue_wait_writing_and_retries_are_told_apart() -> None:
    """Queued 2 s, first words at 3 s, broken off at 5 s, asked again 1 s later, words at 8 s, done at 10 s."""
    view = DECISION.reduce(
        event
        for event in LOGS["entry"]
        if event.kind == "run.started" or event.node == "bull"  # a retry after its first words
    )
    bull = view.nodes["bull"]
    kinds = [kind for kind, _, _ in pieces(bull, bull.ended_at)]  # type: ignore[arg-type]
    assert kinds.index("write") < kinds.index("pause") < len(kinds) - 1
    node = Turn(
        "bear",
        started_at=START,
        ended_at=START + timedelta(seconds=10),
        first_tokens={1: START + timedelta(seconds=3), 2: START + timedelta(seconds=8)},
        retries=(Retry(at=START + timedelta(seconds=5), attempt=2, reason="dropped", wait_s=1.0, repair=False),),
        attempt=2,
        usage=Usage(model="m", queued_ms=2000),
    )
    told = [(kind, (at - START).total_seconds(), (to - START).total_seconds()) for kind, at, to in pieces(node, START)]
    assert told == [("queue", 0, 2), ("wait", 2, 3), ("write", 3, 5), ("pause", 5, 6), ("wait", 6, 8), ("write", 8, 10)]
