"""Lines of the journal as a file: CSV, Parquet or JSON, with the same columns. Times are ISO 8601 UTC in CSV and JSON."""

import csv
import io
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from engine.domain.outcome import ExportForm, JournalLine, PlanOutcome

_TEXTS: Final = ("run_id", "symbol", "desk", "model", "timeframe", "action", "answer", "followed", "exit_reason")
_TIMES: Final = ("created_at", "decided_at", "opened_at", "ended_at")
_COUNTS: Final = ("claims", "false_claims", "bars")
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def exported(lines: Sequence[JournalLine], form: ExportForm) -> bytes:
    """Return the lines as a file. At least one."""
    rows = [_row(line) for line in lines]
    if form == "parquet":
        return _parquet(rows)
    rows = [{name: value.isoformat() if isinstance(value, datetime) else value for name, value in row.items()} for row in rows]
    if form == "json":
        return json.dumps(rows, ensure_ascii=False, allow_nan=False, indent=1).encode()
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows({name: _harmless(value) for name, value in row.items()} for row in rows)
    return text.getvalue().encode()


def _row(line: JournalLine) -> dict[str, Any]:
    known, machine = line.known, line.known.machine if line.known is not None else None
    return {
        **line.model_dump(exclude={"known", "has_run"}),
        "edited": line.is_edited,
        "decided_at": known.decided_at if known is not None else None,
        "followed": known.followed if known is not None else None,
        **line.came.model_dump(),
        **{f"machine_{name}": getattr(machine or PlanOutcome(), name) for name in ("pnl_pct", "r")},
        "is_final": known is not None and known.is_final,
    }


def _harmless(value: object) -> object:
    """Return a value that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _parquet(rows: Sequence[dict[str, Any]]) -> bytes:
    import pyarrow as pa  # noqa: PLC0415 - few exports want it
    from pyarrow import parquet  # noqa: PLC0415 - as above

    kinds = {
        **dict.fromkeys(_TIMES, pa.timestamp("ms", tz="UTC")),
        **dict.fromkeys(("edited", "is_final"), pa.bool_()),
        **dict.fromkeys(_TEXTS, pa.string()),
        **dict.fromkeys(_COUNTS, pa.int64()),
    }
    schema = pa.schema([(name, kinds.get(name, pa.float64())) for name in rows[0]])
    sink = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(list(rows), schema=schema), sink)
    return sink.getvalue()
