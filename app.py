"""The frame: page configuration, the style sheet, the logo, navigation. No logic lives here."""

import streamlit as st

from pages.parts.chart_files import prepare_chart
from pages.parts.dress import dress_page

st.set_page_config(page_title="Tribunal", page_icon="assets/icon.svg", layout="wide")
st.logo("assets/logo.svg", icon_image="assets/icon.svg", size="medium")
dress_page()
desk = st.Page("pages/views/desk.py", title="Desk", default=True)
runs = st.Page("pages/views/runs.py", title="Runs", url_path="runs")
page = st.navigation([desk, runs], position="top")
if page == desk:
    prepare_chart()  # before the page, so that the browser knows of it when the page stands
page.run()
