"""The HTML of every page: Streamlit's own, with two lines more.

One keeps a page out of sight until its frame is drawn: Streamlit draws a narrow page without a sidebar first, and then moves everything.

The other tells the browser where the server is. Without it the browser takes the address of a page below the root for the server's, asks
there first, is answered with 404 twice and asks again at the root after a pause: a page is painted in 2.8 s instead of 2.0. Answering there
would be worse: the browser would take the page for a server of its own, and every link of the navigation would lead below it.
"""

import json
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route
from streamlit import config

_VIEWS: Final = Path(__file__).parents[1] / "views"
_BEFORE: Final = '<script type="module"'
_UNSEEN: Final = """<style>
      :root:not(.tb-settled, :has([data-testid="stForm"], [data-testid="stAlert"])) #root {
        visibility: hidden; animation: tb-come 0s 10s forwards;
      }
      @keyframes tb-come { to { visibility: visible; } }
    </style>
    """
"""`assets/frame/frame.js` sets the class; a page that it never reaches is seen after a while."""


def page_routes(desks: Sequence[str]) -> list[BaseRoute]:
    """Return a route for every page, for `App(routes=...)`; none where Streamlit's page is not as expected: then the browser finds out by
    itself, as ever. desks: those with pages; the first one is at the root."""
    if not page_html():
        return []
    names = ["", *desks[1:], *sorted(path.stem for path in _VIEWS.glob("[a-z]*.py"))]
    return [Route(f"{base_path()}/{name}", _page) for name in names]


@cache
def page_html() -> str:
    """Return the HTML of a page, "" where there is none of Streamlit that has scripts."""
    index = streamlit_html()
    if _BEFORE not in index:
        return ""
    where = f"window.__streamlit = {{ BACKEND_BASE_URL: new URL({json.dumps(base_path() + '/')}, window.location.origin).href }};"
    return index.replace(_BEFORE, "".join((_UNSEEN, "<script>", where, "</script>\n    ", _BEFORE)), 1)


def streamlit_html() -> str:
    """Return the HTML that Streamlit serves at the root, "" where it cannot be read."""
    spec = find_spec("streamlit")
    index = Path(str(spec.origin)).parent / "static" / "index.html" if spec else Path()
    return index.read_text(encoding="utf-8") if index.is_file() else ""


def base_path() -> str:
    """Return the path under which Streamlit serves, without a slash at its end; "" for the root."""
    base = str(config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}" if base else ""


async def _page(_request: Request) -> HTMLResponse:
    return HTMLResponse(page_html(), headers={"cache-control": "no-cache"})
