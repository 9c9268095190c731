"""Pages below the root, opened by their address.

Their HTML is Streamlit's own, with one line more that tells the browser where the server is. Without it the browser takes the page's
address for the server's, asks there first, is answered with 404 twice and asks again at the root after a pause. Answering there would be
worse: the browser would take the page for a server of its own, and every link of the navigation would lead below it.
"""

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route
from streamlit import config

_VIEWS: Final = Path(__file__).parents[1] / "views"
_AT_THE_ROOT: Final = "desk"
_BEFORE: Final = '<script type="module"'


def page_routes() -> list[BaseRoute]:
    """Return a route for every page that has an address of its own, for `App(routes=...)`; none where Streamlit's page is not as expected:
    then the browser finds out by itself, as ever."""
    if not page_html():
        return []
    names = sorted(path.stem for path in _VIEWS.glob("*.py") if path.stem not in {"__init__", _AT_THE_ROOT})
    return [Route(f"{base_path()}/{name}", _page) for name in names]


@cache
def page_html() -> str:
    """Return the HTML of a page below the root, "" where there is none of Streamlit that has scripts."""
    index = streamlit_html()
    if _BEFORE not in index:
        return ""
    where = f"window.__streamlit = {{ BACKEND_BASE_URL: new URL({json.dumps(base_path() + '/')}, window.location.origin).href }};"
    return index.replace(_BEFORE, "".join(("<script>", where, "</script>\n    ", _BEFORE)), 1)


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
