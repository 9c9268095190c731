"""A reason keeps its key and its values wherever it goes: in errors, models, JSON, copies and columns; in both languages."""

import json
import string
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from engine.domain.orders import OrderReport
from engine.domain.text.reason import (
    Reason,
    catalogue,
    keyed,
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


def report_of(reason: Reason) -> OrderReport:
    return OrderReport(client_id="c", state="refused", at=datetime(2026, 11, 1, tzinfo=UTC), why=reason)


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
