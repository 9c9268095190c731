"""The frame: page configuration, the style sheet, the logo, who may come in, navigation, the kill switch. No logic lives here."""

import streamlit as st

from pages.chart.browser_files import prepare_chart
from pages.desks import DESKS
from pages.frame.page_frame import draw_frame, require_login, run_page
from pages.frame.page_style import inject_stylesheet
from pages.run_lists.at_hand import draw_runs_at_hand

SIDEBAR_PX = 232

st.set_page_config(page_icon="assets/icon.svg", layout="wide", initial_sidebar_state=SIDEBAR_PX)
st.logo("assets/logo.svg", icon_image="assets/icon.svg", size="medium")
inject_stylesheet()
engine, page = require_login(DESKS)
draw_frame(engine, page)
if page.url_path in ("", "equities", "approvals"):
    prepare_chart()  # before the page, so that the browser knows of it when the page is drawn
run_page(engine, page)
draw_runs_at_hand(engine)
