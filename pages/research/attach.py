"""What was found, handed to another desk: its next run gets the statements that were known at its clock."""

from urllib.parse import urlencode

import streamlit as st

from pages.frame.show import Show
from pages.run.attached import PARAMETER


def draw_attach(run_id: str, show: Show) -> None:
    """Draw the links to the desks that take evidence."""
    say = show.say
    with st.container(key="attach", width="content"):
        for key, page in (("rs_attach_desk", ""), ("rs_attach_equities", "equities")):
            query = urlencode({PARAMETER: run_id, "lang": show.language})
            st.link_button(say(key), f"./{page}?{query}", help=say("rs_attach_help"))
