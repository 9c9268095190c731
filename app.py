"""The application: the script of every page, who is answered, what every answer carries, what begins with it. No logic lives here."""

from starlette.middleware import Middleware
from streamlit.starlette import App

from pages.frame.account_watch import watching
from pages.server.deep_links import page_routes
from pages.server.headers import GuardedAnswers
from pages.server.late_polls import LatePolls
from pages.server.origin_check import OwnVisitors
from pages.server.preload import Preloading
from pages.server.static_files import file_routes

app = App(
    "pages/main.py",
    lifespan=watching,
    routes=[*file_routes(), *page_routes()],
    middleware=[Middleware(GuardedAnswers), Middleware(OwnVisitors), Middleware(Preloading), Middleware(LatePolls)],
)
