"""Step 0004: a list of runs shows the timeframe, the confidence and how many claims were false without reading the results. Those of runs
that have ended are taken out of their results, once."""

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import Column, Connection, Float, Integer, MetaData, String, Table, Text, select, update

if TYPE_CHECKING:
    from alembic.operations import Operations

_AT_ONCE = 50  # results are long
_RUNS = Table(
    "runs",
    MetaData(),
    Column("run_id", String(40), primary_key=True),
    Column("request", Text),
    Column("result", Text),
    Column("timeframe", String(8)),
    Column("confidence", Float),
    Column("claims", Integer),
    Column("false_claims", Integer),
)


def upgrade(connection: Connection, operations: "Operations") -> None:
    """Add the columns and fill them."""
    kinds: tuple[tuple[str, Any], ...] = (
        ("timeframe", String(8)),
        ("confidence", Float),
        ("claims", Integer),
        ("false_claims", Integer),
    )
    for name, kind in kinds:
        operations.add_column("runs", Column(name, kind))
    run_ids = list(connection.execute(select(_RUNS.c.run_id)).scalars())
    for start in range(0, len(run_ids), _AT_ONCE):
        some = _RUNS.c.run_id.in_(run_ids[start : start + _AT_ONCE])
        for row in connection.execute(select(_RUNS.c.run_id, _RUNS.c.request, _RUNS.c.result).where(some)).all():
            found = _figures(_fields(row.request), _fields(row.result))
            connection.execute(update(_RUNS).where(_RUNS.c.run_id == row.run_id).values(found))


def _figures(asked: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    timeframe = asked.get("timeframe", "1d" if asked.get("flow") == "fusion" else None)
    return {
        "timeframe": timeframe if isinstance(timeframe, str) else None,
        "confidence": _number(state.get("final_confidence")),
        "claims": _number(state.get("total_claims")),
        "false_claims": _number(state.get("false_claims")),
    }


def _number(value: object) -> int | float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _fields(text: str | None) -> dict[str, Any]:
    """Return a JSON object; {} for whatever else was written there."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
