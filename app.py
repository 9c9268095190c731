"""The frame: page configuration, the style sheet, navigation. No logic lives here."""

import streamlit as st
from pages.parts.dress import dress_page

st.set_page_config(page_title="Tribunal", page_icon="assets/logo.svg", layout="wide")
dress_page()
st.navigation([st.Page("pages/views/desk.py", title="Desk", icon=":material/gavel:", default=True)], position="top").run()
