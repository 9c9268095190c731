"""Which scripts the first page will need, named to the browser with the page itself.

Streamlit's browser side fetches the script of a kind of element when the first one comes, and what that one needs when it has read it: a
chain of small requests to a server that is busy with the page just then. Named beforehand, they come while the server still makes the page.
"""

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

ELEMENTS: Final = ("BidiComponent", "Button", "ButtonGroup", "Html", "NumberInput", "Radio", "Selectbox", "TextInput")
"""What the desk is made of, by the names of Streamlit's scripts."""
_INDEX = "index.html"


class Preloading:
    """ASGI middleware: pages name the scripts of their elements."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; add one header to pages."""

        async def naming(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                headers = list(message.get("headers", ()))
                is_page = any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in headers)
                if is_page and _links():
                    message["headers"] = [*headers, (b"link", _links())]
            await send(message)

        await self._app(scope, receive, naming if scope["type"] == "http" else send)


def script_files(folder: Path) -> list[str]:
    """Return the scripts of `ELEMENTS` and all they import, without those the page names itself, relative to the folder.

    folder: Streamlit's browser files, with the manifest that Vite wrote beside them. Empty where there is none that can be read: then
    the browser finds out by itself, as ever.
    """
    try:
        manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        own = _with_imports(manifest, manifest[_INDEX]["imports"])
        wanted = [key for key, chunk in manifest.items() if chunk.get("name") in ELEMENTS and chunk.get("isDynamicEntry")]
        return [manifest[key]["file"] for key in _with_imports(manifest, wanted) if key not in own]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def _with_imports(manifest: dict[str, Any], keys: list[str]) -> dict[str, None]:
    """Return the chunks and what they import, each once, in the order they are met."""
    found: dict[str, None] = {}
    waiting = list(reversed(keys))
    while waiting:
        key = waiting.pop()
        if key != _INDEX and key not in found:
            found[key] = None
            waiting.extend(reversed(manifest[key].get("imports", [])))
    return found


@cache
def _links() -> bytes:
    spec = find_spec("streamlit")
    folder = Path(str(spec.origin)).parent / "static" if spec else Path()
    return ", ".join(f"<./{file}>; rel=modulepreload; crossorigin" for file in script_files(folder)).encode()
