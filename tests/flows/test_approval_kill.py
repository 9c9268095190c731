"""kill -9 at every line of an approval that writes: 0 or 1 order, and the next process finds out which.

The killed process is a real one. Where it dies is chosen by counting the writes to the journal: before and after each of them.
"""

import os
from pathlib import Path

import pytest

from engine.domain.proposal import Proposal
from tests.flows.desk import Desk, fills_in
from tests.processes import Completed, run_python

DIES = """
import os, signal, sys
from sqlalchemy import event
from sqlalchemy.engine import Engine as Database

point, commits = int(sys.argv[1]), 0


def die(*_):
    global commits
    commits += 1
    if commits == point // 2 + 1 and point % 2 == 0:
        os.kill(os.getpid(), signal.SIGKILL)


def begin_next(*_):
    if commits == point // 2 + 1 and point % 2 == 1:
        os.kill(os.getpid(), signal.SIGKILL)


from engine.cli.main import main
from engine.journal.chain import Chain

append, keep = Chain.append, Chain.keep_head
Chain.append = lambda *a, **k: (die(), append(*a, **k))[1]
Chain.keep_head = lambda *a, **k: (begin_next(), keep(*a, **k))[1]
sys.exit(main(["approve", sys.argv[2]]))
"""


def shell(home: Path, *arguments: str) -> Completed:
    return run_python(*arguments, environment={**os.environ, "TRIBUNAL_HOME": str(home)})


@pytest.mark.parametrize("point", range(14))
def test_killed_at_a_write(desk: Desk, point: int) -> None:
    """An approval writes: itself, its order, `sent`, the paper account, the report, the end. Before and after each, and once unharmed."""
    proposal = desk.propose()
    desk.engine.close()
    killed = shell(desk.home, "-c", DIES, str(point), proposal.id)
    assert killed.returncode in {-9, 0}
    found = recovered(desk, proposal.id)
    again = shell(desk.home, "-m", "engine", "approve", proposal.id, "--json")
    assert found.state in {"pending", "filled"}
    if found.state == "pending":
        assert killed.returncode == -9
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
