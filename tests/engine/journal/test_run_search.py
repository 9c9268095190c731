"""Lists of runs: what people asked for is told from what a flow asked for."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from engine.domain.run import DecideRequest, Origin, RunRecord
from engine.domain.run_filter import RunFilter
from engine.journal.store import open_journal

NOW = datetime(2026, 5, 17, 9, tzinfo=UTC)


def test_what_another_flow_asked_for_is_not_what_a_person_asked_for(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path / "home", None)) as opened:
        asked = DecideRequest(symbol="BTC/USDT", feed="simulated")
        parent = RunRecord(run_id="parent", created_at=NOW, status="starting", request=asked)
        fork = parent.model_copy(
            update={"run_id": "fork", "request": asked.model_copy(update={"origin": Origin(run_id="parent", from_node="bull")})}
        )
        plan = parent.model_copy(update={"run_id": "plan", "request": asked.model_copy(update={"flow": "plan"})})
        opened.add_run(parent, "", NOW)
        opened.add_run(fork, "", NOW)
        opened.add_run(plan, "", NOW)
        opened.add_run(parent.model_copy(update={"run_id": "child"}), "", NOW, asked_by="plan")
        found = opened.run_search.find(RunFilter(asked_by_people=True), 10)
        assert {run.run_id for run in found.runs} == {"parent", "fork", "plan"}
        assert {run.run_id for run in opened.run_search.open_and_newest(10)} == {"parent", "fork", "plan"}
