"""The frame: page configuration, the style sheet, the logo, who may come in, navigation, the kill switch. No logic lives here."""

import streamlit as st

from engine.domain.errors import TribunalError
from pages.parts.chart_files import prepare_chart
from pages.parts.dress import dress_page, say_error
from pages.parts.frame import come_in, draw_frame

st.set_page_config(page_title="Tribunal", page_icon="assets/icon.svg", layout="wide")
st.logo("assets/logo.svg", icon_image="assets/icon.svg", size="medium")
dress_page()
engine, page = come_in()
draw_frame(engine)
if page.url_path in ("", "approvals"):
    prepare_chart()  # before the page, so that the browser knows of it when the page stands
try:
    page.run()
except TribunalError as problem:  # a journal that cannot be read takes no page with it: the frame says what to do
    say_error(problem)
