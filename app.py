"""The application: the script of every page, who is answered, what every answer carries, what begins with it. No logic lives here."""

from starlette.middleware import Middleware
from streamlit.starlette import App

from pages.parts.guardian import watching
from pages.parts.headers import GuardedAnswers
from pages.parts.preload import Preloading
from pages.parts.served import file_routes
from pages.parts.visitors import OwnVisitors

app = App(
    "pages/main.py",
    lifespan=watching,
    routes=file_routes(),
    middleware=[Middleware(GuardedAnswers), Middleware(OwnVisitors), Middleware(Preloading)],
)
