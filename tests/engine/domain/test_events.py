"""What events tell: built strictly, read as far as it goes."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from engine.domain.events import (
    KINDS,
    Event,
    EventData,
    NodeFinished,
    NodeRetried,
    NodeTokens,
    data_of,
)
from engine.domain.opinion import Usage

AT = datetime(2026, 1, 1, tzinfo=UTC)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NAMES = sorted({name for of in EventData.of.values() for name in of.model_fields} | {"kind", "later"})


def row(kind: str, data: object) -> Event:
    return Event.model_validate({"seq": 1, "run_id": "r", "at": AT, "kind": kind, "node": "bull", "data": data})


@pytest.mark.full
@given(kind=st.sampled_from([*KINDS, "order.sent"]), data=st.dictionaries(st.sampled_from(NAMES), JSON, max_size=6))
def test_whatever_stands_in_a_log_is_read(kind: str, data: dict[str, object]) -> None:
    event = row(kind, data)
    assert Event.model_validate(event.to_json()).to_json() == event.to_json()


def test_what_is_told_reads_back_as_the_same_value() -> None:
    told = NodeFinished(attempt=2, usage=Usage(model="m", requests=1), result={"direction": "LONG"}, wanted="WAIT")
    assert set(told.to_json()) == {"attempt", "usage", "result", "wanted"}, "what was given"
    assert data_of(told.kind, json.loads(json.dumps(told.to_json()))) == told
    assert told.plus(errors=["no"]).to_json() == {**told.to_json(), "errors": ["no"]}


def test_a_value_of_another_type_is_refused_where_it_is_told_and_missing_where_it_is_read() -> None:
    with pytest.raises(ValidationError):
        NodeTokens(text=5)
    read = row("node.retried", {"attempt": -2, "reason": "cut off", "wait_s": True, "repair": 1, "later": []}).data
    assert isinstance(read, NodeRetried)
    assert (read.attempt, read.reason, read.wait_s, read.repair) == (None, "cut off", 0.0, False)
