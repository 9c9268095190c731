"""The application: the script of every page, the live text of runs, who is answered, what every answer carries, what begins with it.

No logic lives here.
"""

from starlette.middleware import Middleware
from streamlit.starlette import App

from pages.desks import page_of_flow
from pages.desks.run_routes import run_routes
from pages.frame.account_watch import watching
from pages.run.live_stream import live_routes
from pages.server.headers import GuardedAnswers
from pages.server.late_polls import LatePolls
from pages.server.origin_check import OwnVisitors
from pages.server.static_files import file_routes

app = App(
    "pages/main.py",
    lifespan=watching,
    routes=[*file_routes(), *live_routes(page_of_flow), *run_routes()],
    middleware=[Middleware(GuardedAnswers), Middleware(OwnVisitors), Middleware(LatePolls)],
)
