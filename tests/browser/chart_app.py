"""The chart's page with the files it loads, as an application of its own."""

from pathlib import Path

from streamlit.starlette import App

from pages.server.static_files import file_routes

app = App(Path(__file__).with_name("chart_page.py"), routes=file_routes())
