"""A reason keeps its key and its values wherever it goes: in errors, models, JSON, copies and columns; in both languages."""

import copy
import json
import pickle
import string
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.errors import BadInput, StoreError
from engine.domain.events import Event, NodeFinished, ToolAnswered
from engine.domain.orders import OrderReport
from engine.domain.text.reason import (
    Reason,
    as_column,
    bounded,
    catalogue,
    from_column,
    holds,
    keyed,
    mapped,
    parts_of,
    printed,
    reasons_in,
    said_in,
    stored,
    with_reasons,
)

UNKNOWN = Reason("run_is_not_known", run_id="r-1")
WITHIN = Reason("nothing_was_ordered", why=UNKNOWN)


def test_it_is_its_text_and_can_be_said_in_the_other_language() -> None:
    assert UNKNOWN == "run r-1 is not known"
    assert UNKNOWN.said_in("zh") == "没有运行 r-1"
    assert WITHIN.said_in("zh") == "没有下单：没有运行 r-1"
    assert WITHIN.said_in("zh").said_in("en") == WITHIN
    assert said_in("somebody's own words", "zh") == "somebody's own words"
    assert (
        Reason("lock_position", then="flat", now=Reason("held", side="long", size="3")).said_in("zh")
        == "持仓与决策时不同：当时空仓，现在多头 3"
    )


def test_a_key_and_every_value_must_be_there() -> None:
    with pytest.raises(KeyError):
        Reason("no_such_key")
    with pytest.raises(KeyError):
        Reason("run_is_not_known")


def test_an_error_keeps_it() -> None:
    kept = str(StoreError(str(BadInput(UNKNOWN))))
    assert isinstance(kept, Reason)
    assert kept.key == "run_is_not_known"
    assert Reason("nothing_was_ordered", why=BadInput(UNKNOWN)).values["why"].key == "run_is_not_known"


def report_of(reason: Reason) -> OrderReport:
    return OrderReport(client_id="c", state="refused", at=datetime(2026, 11, 1, tzinfo=UTC), why=reason)


@pytest.mark.parametrize("reason", [UNKNOWN, WITHIN, WITHIN.said_in("zh"), Reason.listed([UNKNOWN, "and more", WITHIN])])
def test_it_survives_json_columns_copies_and_pickles(reason: Reason) -> None:
    for other in (
        Reason.read(json.loads(json.dumps(reason.to_json()))),
        from_column(as_column(reason)),
        copy.deepcopy(reason),
        pickle.loads(pickle.dumps(reason)),
        OrderReport.model_validate_json(
            OrderReport(client_id="c", state="refused", at=datetime(2026, 11, 1, tzinfo=UTC), why=reason).model_dump_json()
        ).why,
    ):
        assert isinstance(other, Reason)
        assert (other, other.key, other.values) == (reason, reason.key, reason.values)
        assert other.said_in("zh") == reason.said_in("zh")


def test_one_of_another_version_stays_as_it_was_written() -> None:
    other = Reason.read({"text": "it was so", "key": "gone_since", "values": {}})
    assert other.said_in("zh") == "it was so"
    assert from_column("plain words") == "plain words"
    assert from_column('{"text": "broken') == '{"text": "broken'


def test_a_state_has_texts_and_the_reasons_beside_them() -> None:
    kept = with_reasons({"errors": [WITHIN], "reports": {"bull": {"reason": UNKNOWN.to_json()}}, "n": 1})
    assert kept["errors"] == ["nothing was ordered: run r-1 is not known"]
    assert kept["reports"] == {"bull": {"reason": "run r-1 is not known"}}
    assert json.loads(json.dumps(kept)) == kept
    assert with_reasons(kept) == kept
    assert keyed(kept, kept["errors"][0]).said_in("zh") == "没有下单：没有运行 r-1"  # type: ignore[attr-defined]
    assert keyed(kept, "something else") == "something else"
    assert [each.key for each in reasons_in(stored([WITHIN, "text"]))] == ["nothing_was_ordered"]
    assert printed(stored([WITHIN])) == [WITHIN]


def test_words_within_it_can_be_hidden_and_cut() -> None:
    secret = Reason("connection_to_failed", endpoint="http://x", why=Reason("answer_cannot_be_read", problem="the key is s3cret"))
    hidden = mapped(secret, lambda words: words.replace("s3cret", "***"))
    assert "s3cret" not in json.dumps(stored(hidden))
    assert isinstance(hidden, Reason)
    long = bounded(Reason("answer_cannot_be_read", problem="x" * 500), 80)
    assert isinstance(long, Reason)
    assert len(long) <= 80
    assert holds(WITHIN, UNKNOWN.said_in("zh"))
    assert not holds(UNKNOWN, WITHIN)
    assert parts_of(Reason.listed([UNKNOWN, WITHIN])) == (UNKNOWN, WITHIN)
    assert parts_of("") == ()


def test_a_value_is_one_visible_line_without_a_password() -> None:
    shown = Reason("nothing_answers_at", endpoint="http://me:secret@host\nerror: \u202ereversed")
    assert "secret" not in shown
    assert "\n" not in shown
    assert "\u202e" not in shown.said_in("zh")


@given(st.sampled_from(sorted(catalogue())), st.text(max_size=30))
def test_every_one_can_be_said_with_whatever_is_quoted(key: str, text: str) -> None:
    names = {name for _, name, _, _ in string.Formatter().parse(catalogue()[key][0]) if name is not None}
    values = dict.fromkeys(names, text)
    reason = Reason(key, **values)
    assert Reason.read(json.loads(json.dumps(reason.to_json()))).said_in("zh") == reason.said_in("zh")


def test_an_event_keeps_it_wherever_it_stands() -> None:
    made = NodeFinished(errors=[UNKNOWN], result={"warnings": [WITHIN]}, missing={"news": UNKNOWN}, note=UNKNOWN)
    read = NodeFinished.read(json.loads(json.dumps(made.to_json())))
    assert sorted(each.key for each in reasons_in(read.to_json())) == ["nothing_was_ordered", *["run_is_not_known"] * 3]
    assert read.errors == (UNKNOWN,)
    assert ToolAnswered(content=UNKNOWN, error=UNKNOWN).to_json()["content"] == UNKNOWN, "a model is told the words"
    event = Event(seq=1, run_id="r-1", at=datetime(2026, 11, 1, tzinfo=UTC), kind="node.finished", data=made)
    assert event.to_json()["data"]["errors"] == [UNKNOWN]
    assert list(reasons_in(event.to_json())) == [], "an events file has texts alone"
