"""A poll presses no button, and a finished fragment is reported as finished though the next one starts at once."""

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pages.server.late_polls import EndedParts, without_presses

CUT, ENDED = ForwardMsg.FINISHED_EARLY_FOR_RERUN, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY


def asked(*, is_poll: bool) -> BackMsg:
    """What a browser sends while a press waits in it."""
    message = BackMsg()
    message.rerun_script.is_auto_rerun, message.rerun_script.fragment_id = is_poll, "signature"
    add = message.rerun_script.widget_states.widgets.add
    add(id="edit", trigger_value=True)
    add(id="amount", double_value=0.5)
    add(id="dragged", json_trigger_value="[1]")
    return message


def test_a_poll_presses_nothing_and_says_all_else() -> None:
    heard = BackMsg.FromString(without_presses(asked(is_poll=True).SerializeToString()))
    assert [widget.id for widget in heard.rerun_script.widget_states.widgets] == ["amount"]
    assert (heard.rerun_script.fragment_id, heard.rerun_script.is_auto_rerun) == ("signature", True)


@pytest.mark.parametrize("sent", [asked(is_poll=False).SerializeToString(), b"\xff\xff nothing of ours", b""])
def test_what_is_no_poll_is_heard_as_it_is(sent: bytes) -> None:
    assert without_presses(sent) == sent


def said(parts: list[str], finished: int | None = None) -> ForwardMsg:
    """The server's message about a run of these fragments, none for the whole page: that it starts, or how it finished."""
    message = ForwardMsg()
    message.metadata.run.fragment_ids.extend(parts)
    if finished is None:
        message.new_session.main_script_path = "main.py"
    else:
        message.script_finished = finished  # type: ignore[assignment]
    return message


@pytest.mark.parametrize(
    ("first", "finished", "second", "left"),
    [
        (["page"], CUT, ["signature"], ["page"]),
        (["page"], CUT, ["page"], []),
        ([], CUT, ["signature"], []),
        (["page"], ENDED, ["signature"], []),
    ],
)
def test_a_finished_fragment_is_reported_as_finished_before_the_next_starts(
    first: list[str], finished: int, second: list[str], left: list[str]
) -> None:
    ended = EndedParts()
    told = [
        word
        for message in (said(first), said(first, finished), said(second), said(second, ENDED))
        for word in ended.missing_before(message)
    ]
    assert [(word.script_finished, list(word.metadata.run.fragment_ids)) for word in told] == ([(ENDED, left)] if left else [])
