"""Which models an OpenAI-compatible server lists, and what it says of their context.

Reads only: `/v1/models`, and where a server of a known kind says more of itself elsewhere, that (Ollama, llama.cpp, LM Studio). What a
server answers is not trusted: it is bounded, checked for its shape, and without the key that it may have repeated.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import aiohttp

from engine.domain.connection import FoundServer, ListedModel, ServerState
from engine.domain.text.address import is_of_this_machine
from engine.domain.text.reason import Reason
from engine.domain.text.visible import one_line
from engine.llm.endpoint_errors import ErrorMessages, without_credentials

KNOWN_SERVERS: Final[Mapping[str, int]] = {"Ollama": 11434, "LM Studio": 1234, "llama.cpp": 8080, "vLLM": 8000}
"""Servers of models and the ports of this machine that they listen on unless they are told otherwise."""
_LOOK_S: Final = 2.0
_LIST_S: Final = 10.0
_LONGEST: Final = 2_000_000
_MOST_LISTED: Final = 500
_LONGEST_NAME: Final = 200
_CONTEXT_FIELDS: Final = ("max_model_len", "loaded_context_length", "context_length", "max_context_length", "context_window", "n_ctx")
_MUTE: Final = ("embed", "bge-", "rerank", "whisper", "tts", "dall-e", "moderation", "e5-", "gte-", "clip")
"""Parts of the names of models that do not write text."""


async def look_on_this_machine(ports: Mapping[str, int]) -> list[FoundServer]:
    """Return what answers on ports of loopback, in their order; each is given two seconds. ports: by the kind of server expected there."""
    return list(await asyncio.gather(*(list_models(f"http://127.0.0.1:{port}/v1", "", kind, _LOOK_S) for kind, port in ports.items())))


async def list_models(address: str, key: str, kind: str = "", within_s: float = _LIST_S) -> FoundServer:
    """Return what a server lists. address: with `/v1` at its end where the server wants it. kind: what it is expected to be."""
    shown = without_credentials(address)
    messages = ErrorMessages(kind or shown, address, key)

    def found(state: ServerState, words: str = "", models: tuple[ListedModel, ...] = ()) -> FoundServer:
        return FoundServer(kind=kind, address=address.rstrip("/"), state=state, words=messages.scrub(words), models=models)

    try:
        async with asyncio.timeout(within_s), _session(address, key) as session:
            status, body = await _get(session, f"{address.rstrip('/')}/models")
            if status in (401, 403):
                return found("key_refused", f"{status}")
            entries = _entries(body) if status == 200 else None
            if entries is None:
                return found("no_models", f"{status}" if status != 200 else "")
            said = await _contexts(session, address.rstrip("/").removesuffix("/v1"), kind)
    except TimeoutError:
        return found("not_reached", Reason("no_list_within_s", within_s=f"{within_s:g}"))
    except (aiohttp.ClientError, OSError, ValueError) as problem:
        return found("not_reached", type(problem).__name__)
    return found("answers", "", tuple(_models(entries, said)))


def _session(address: str, key: str) -> aiohttp.ClientSession:
    """Return a client that asks with the key, and through the usual proxy where the server is elsewhere."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return aiohttp.ClientSession(headers=headers, trust_env=not is_of_this_machine(address))


async def _get(session: aiohttp.ClientSession, url: str) -> tuple[int, Any]:
    """Return the status and the JSON of an answer, None for what is none. A redirect is not followed: the key would go with it."""
    async with session.get(url, allow_redirects=False) as answer:
        text = await answer.content.read(_LONGEST)
        try:
            return answer.status, json.loads(text)
        except (ValueError, RecursionError):
            return answer.status, None


def _entries(body: Any) -> Sequence[Mapping[str, Any]] | None:
    rows = body.get("data") if isinstance(body, dict) else body
    if not isinstance(rows, list):
        return None
    return [row for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str) and row["id"].strip()][:_MOST_LISTED]


def _models(entries: Sequence[Mapping[str, Any]], said: Mapping[str, int]) -> Iterator[ListedModel]:
    for entry in entries:
        name = one_line(str(entry["id"]))[:_LONGEST_NAME]
        context = said.get(name) or said.get("") or _context_in(entry) or _context_in(entry.get("meta"))
        yield ListedModel(name=name, context=context, speaks=not any(part in name.lower() for part in _MUTE))


def _context_in(entry: Any) -> int | None:
    if not isinstance(entry, dict):
        return None
    return next((value for field in _CONTEXT_FIELDS if isinstance(value := entry.get(field), int) and value > 0), None)


async def _contexts(session: aiohttp.ClientSession, root: str, kind: str) -> dict[str, int]:
    """Return how many tokens a server of this machine says it reads at once, by model; "" = every model. None of it is needed."""
    found: dict[str, int] = {}
    with suppress(aiohttp.ClientError, OSError, ValueError):
        if kind == "llama.cpp":
            _, body = await _get(session, f"{root}/props")
            settings = body.get("default_generation_settings") if isinstance(body, dict) else None
            if context := _context_in(settings):
                found[""] = context
        elif kind == "LM Studio":
            _, body = await _get(session, f"{root}/api/v0/models")
            found |= {str(row["id"]): context for row in _entries(body) or () if (context := _context_in(row))}
        elif kind == "Ollama":
            _, body = await _get(session, f"{root}/api/ps")
            rows = body.get("models") if isinstance(body, dict) else None
            found |= {str(row.get("name")): context for row in rows or () if isinstance(row, dict) and (context := _context_in(row))}
    return found
