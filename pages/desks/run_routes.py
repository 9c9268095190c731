"""What scripts of a run's page ask for beside Streamlit: a typed sentence, checked, and the run as a picture. Answers pages
that were drawn for somebody who may see the run, as the stream of its events does.

Every answer is JSON. Nothing that is asked is written anywhere: an address holds the id of a run only, and a text travels in the body.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Final

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from engine.domain.text.language import Language
from pages.frame.palette import Theme, UpDown
from pages.run.live_stream import is_visit
from pages.server.static_files import base_path

_MOST_BYTES: Final = 8_192
_TURNS: Final = asyncio.Semaphore(4)
_HEADERS: Final = {"cache-control": "no-store"}


class RouteRequest(BaseModel):
    """What a script sends."""

    model_config = ConfigDict(extra="forbid", strict=True)

    language: Language
    text: str = ""
    theme: Theme = "light"
    up_down: UpDown = "green-up"


def run_routes() -> list[BaseRoute]:
    """Return the routes, for `App(routes=...)`."""
    made = (("said", _checked), ("picture", _picture))
    return [Route(f"{base_path()}/of-run/{{run_id:str}}/{name}", partial(_answer, make), methods=["POST"]) for name, make in made]


async def _answer(make: Callable[[str, RouteRequest, float], Response], request: Request) -> Response:
    began = perf_counter()
    run_id, asked = request.path_params["run_id"], await _asked(request)
    if asked is None or not is_visit(request):
        return JSONResponse({}, 403, _HEADERS)
    async with _TURNS:
        return await asyncio.to_thread(make, run_id, asked, began)


async def _asked(request: Request) -> RouteRequest | None:
    """Return what a script sends; None for anything else, and for more than a sentence needs."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _MOST_BYTES:
            return None
    try:
        return RouteRequest.model_validate_json(body)
    except ValidationError:
        return None


def _checked(run_id: str, asked: RouteRequest, began: float) -> Response:
    """Check a typed sentence; an empty one only makes everything ready."""
    from engine.api import MOST_CHECKED  # noqa: PLC0415 - the application begins without the engine
    from engine.domain.errors import TribunalError  # noqa: PLC0415 - late, as above
    from pages.desks.desk_page import desk_page_of  # noqa: PLC0415 - late, as above
    from pages.desks.lie import lie_answer  # noqa: PLC0415 - late, as above
    from pages.frame.shared_engine import cached_engine  # noqa: PLC0415 - late, as above
    from pages.words.texts import page_text  # noqa: PLC0415 - late, as above

    try:
        engine, text = cached_engine(), asked.text.strip()[:MOST_CHECKED]
        checked = engine.check_text(run_id, text)
        show = desk_page_of(engine, run_id).show_still(engine, run_id, asked.language)
        answer: dict[str, JsonValue] = lie_answer(checked, text, show, _ms_since(began)) if text else {}
    except TribunalError as problem:
        return JSONResponse({"why": page_text(str(problem), asked.language)}, 409, _HEADERS)
    return JSONResponse(answer, headers={**_HEADERS, "server-timing": f"check;dur={_ms_since(began):.2f}"})


def _picture(run_id: str, asked: RouteRequest, began: float) -> Response:
    """Make the picture that is shown to others."""
    from engine.domain.errors import TribunalError  # noqa: PLC0415 - late, as above
    from pages.desks.desk_page import desk_page_of  # noqa: PLC0415 - late, as above
    from pages.frame.shared_engine import cached_engine  # noqa: PLC0415 - late, as above
    from pages.words.texts import page_text  # noqa: PLC0415 - late, as above

    try:
        engine = cached_engine()
        svg = desk_page_of(engine, run_id).picture(engine, run_id, asked.language, asked.theme, asked.up_down)
    except TribunalError as problem:
        return JSONResponse({"why": page_text(str(problem), asked.language)}, 409, _HEADERS)
    return JSONResponse({"svg": str(svg)}, headers={**_HEADERS, "server-timing": f"draw;dur={_ms_since(began):.2f}"})


def _ms_since(began: float) -> float:
    return (perf_counter() - began) * 1000
