"""kill -9 at every line of an approval that writes: 0 or 1 order, and the next process finds out which.

The killed process is a real one. Where it dies is chosen by counting the writes to the journal: before and after each of them.
"""

import os
from pathlib import Path

import pytest

from engine.domain.proposal import Proposal
from tests.flows.desk import Desk, fills_in
from tests.processes import Completed, run_python

pytestmark = pytest.mark.usefixtures("each_database")
DIES = """
import os, signal, sys

point, moment = int(sys.argv[1]), 0


def pass_by():
    global moment
    if moment == point:
        os.kill(os.getpid(), signal.SIGKILL)
    moment += 1


from engine.cli.main import main
from engine.journal.chain import Chain

append, keep = Chain.append, Chain.keep_head
Chain.append = lambda *a, **k: (pass_by(), append(*a, **k))[1]  # before a write
Chain.keep_head = lambda *a, **k: (pass_by(), keep(*a, **k))[1]  # after its transaction, before the copy of the chain's end
code = main(["approve", sys.argv[2]])
print(f"moments {moment}", file=sys.stderr)
sys.exit(code)
"""
MOMENTS = 11
"""Writes of an approval on paper, and the ends of their transactions: approved with its order, `sent`, paper account, report, end."""
IN_THE_GATE = (0, 1, 4, 7)
"""Before and after a write, early and late in an approval; the others are of the full tier."""


def shell(home: Path, *arguments: str) -> Completed:
    return run_python(*arguments, environment={**os.environ, "TRIBUNAL_HOME": str(home)})


def test_unharmed_it_passes_every_moment_once(desk: Desk) -> None:
    """So that none is left out below: a write more, and this says so."""
    proposal = desk.propose()
    desk.engine.close()
    unharmed = shell(desk.home, "-c", DIES, "1000", proposal.id)
    assert unharmed.returncode == 0, unharmed.stderr
    assert f"moments {MOMENTS}" in unharmed.stderr
    assert len(fills_in(desk.home)) == 1


@pytest.mark.parametrize(
    "point", [point if point in IN_THE_GATE else pytest.param(point, marks=pytest.mark.full) for point in range(MOMENTS)]
)
def test_killed_at_a_write(desk: Desk, point: int) -> None:
    proposal = desk.propose()
    desk.engine.close()
    killed = shell(desk.home, "-c", DIES, str(point), proposal.id)
    assert killed.returncode == -9, "it dies at each of them"
    found = recovered(desk, proposal.id)
    again = shell(desk.home, "-m", "engine", "approve", proposal.id, "--json")
    assert found.state in {"pending", "filled"}
    if found.state == "pending":
        assert again.returncode == 0, again.stderr
    else:
        assert again.returncode == 1
        assert found.order_ids[0] in again.stderr
    assert len(fills_in(desk.home)) == 1
    after = desk.another().trading
    assert after.faults() == []
    (held,) = after.positions()
    assert held.position.size == found.plan.amount


def recovered(desk: Desk, proposal_id: str) -> Proposal:
    """The proposal as the next process finds it, once it has looked after what was left."""
    following = desk.another()
    following.trading.recover()
    (found,) = following.trading.proposals()
    assert found.id == proposal_id
    following.close()
    return found
