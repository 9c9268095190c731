"""The application: the script of every page, and what every answer of the server carries. No logic lives here."""

from starlette.middleware import Middleware
from streamlit.starlette import App

from pages.parts.headers import GuardedAnswers
from pages.parts.preload import Preloading

app = App("pages/main.py", middleware=[Middleware(GuardedAnswers), Middleware(Preloading)])
