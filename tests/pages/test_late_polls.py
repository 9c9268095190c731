"""What a poll of the browser may press: nothing."""

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from pages.server.late_polls import without_presses


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
