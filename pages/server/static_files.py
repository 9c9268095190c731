"""The browser files of the pages: routes beside Streamlit's own, and how a script of one is mounted in a page.

A `components.v2` component mounts once and stays in the page; its inline script only loads the file, so that the file is sent once and not
with every rerun. Plotly comes out of the installed package: no copy, no build.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal

import streamlit as st
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from streamlit import config

ASSETS: Final = Path(__file__).parents[2] / "assets"
PLOTLY: Final = "plotly.min.js"
_FOLDERS: Final = ("chart", "disputes", "frame", "guide", "live", "notifications", "preferences", "run")

LOADER: Final = """
export default function (component) {
  let over = false, stop = null;
  const address = new URL(component.data.script, window.location.origin);
  const again = () => { if (!over) setTimeout(load, 2000); };
  const load = () => import(address).then((file) => { if (!over) stop = file.show(component); }, again);
  load();
  return () => { over = true; if (stop) stop(); };
}
"""
"""`data.script`: the address of the file. It exports `show(component)`, and what that returns takes it away again."""


def base_path() -> str:
    """Return the path under which Streamlit serves, without a slash at its end; "" for the root."""
    base = str(config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}" if base else ""


def file_routes() -> list[BaseRoute]:
    """Return the routes of the files, for `App(routes=...)`."""
    folders = [Mount(f"{base_path()}/files/{name}", StaticFiles(directory=ASSETS / name)) for name in _FOLDERS]
    return [*folders, Route(f"{base_path()}/files/{PLOTLY}", _plotly)]


def mount(script: str, key: str, data: Mapping[str, object], height: int | Literal["content"] = 1, **heard: Callable[[], None]) -> None:
    """Mount a script, such as `frame/frame.js`, once a visit. heard: what is called for what the script says, by `on_NAME_change`."""
    component(Path(script).stem)(key=key, data={"script": address_of(script), **data}, height=height, **heard)


@cache
def component(name: str) -> Callable[..., Any]:
    """Return what mounts a script; name: of it."""
    return st.components.v2.component(f"tribunal_{name}", js=LOADER, isolate_styles=False)


def address_of(file: str) -> str:
    """Return the address of a file such as `chart/chart.js`, or of `PLOTLY`.

    It changes with the files of its folder, so that no browser keeps an old one. Raises FileNotFoundError.
    """
    found = plotly_file() if file == PLOTLY else ASSETS / file
    stamp = max(int(path.stat().st_mtime) for path in (found, *found.parent.glob("*.js")))
    return f"{base_path()}/files/{file}?v={stamp}"


@cache
def plotly_file() -> Path:
    """Return where the library is, without importing it. Raises FileNotFoundError when it is not installed."""
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("the chart needs the package plotly: pip install -r requirements.txt")
    return Path(spec.origin).parent / "package_data" / PLOTLY


async def _plotly(_request: Request) -> FileResponse:
    return FileResponse(plotly_file())
