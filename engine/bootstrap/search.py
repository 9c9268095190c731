"""The room of search: our sources as a server, the client that reaches it and others, what orders documents."""

import os
import sys
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from pydantic import SecretStr

import engine
from engine.domain.errors import BadInput
from engine.domain.text.reason import Reason
from engine.search.client import SearchClient
from engine.search.cross_encoder import CrossEncoderReranker
from engine.search.protocol import BOTH, Reranker, SearchRoom, ToolKind
from engine.search.rerank import BM25Reranker
from engine.search.servers import ServerSpec, read_servers
from engine.settings import RerankerName, Settings

if TYPE_CHECKING:
    from engine.search.library import Library
    from engine.search.sources.source import Source
    from engine.search.web_client import WebClient

REQUIRED: Final = frozenset({"wikipedia_search", "openalex_search", "semantic_scholar_search", "tavily_search", "library_search"})
_NAMES: Final[Mapping[ToolKind, str]] = {"search": "tribunal", "download": "tribunal-downloads"}
_ADDRESSES: Final = ("wikipedia_url", "openalex_url", "semantic_scholar_url", "tavily_url", "sec_edgar_url")
_KEYS: Final = ("tavily_api_key", "openalex_api_key", "semantic_scholar_api_key")
_GIVEN: Final[Mapping[ToolKind, tuple[str, ...]]] = {
    "search": ("contact", *_ADDRESSES, *_KEYS),
    "download": ("contact", "download_mb", *_ADDRESSES),
}
"""Which settings each of our processes gets: the one that reads strange files knows no key."""

_NETWORK: Final = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "ssl_cert_file", "ssl_cert_dir", "requests_ca_bundle")
_CALL_S: Final[Mapping[ToolKind, float]] = {"search": 45.0, "download": 120.0}
_AKSHARE_S: Final = 20.0
_ROOT: Final = Path(engine.__file__).parents[1]
FURTHER: Final = "mcp servers"
"""Under which a bad file of further servers is among the sources that have nothing."""
EXAMPLES: Final = _ROOT / "assets" / "library"
"""The library where none is configured."""


class SearchRooms:
    """Makes what searches for documents, one for each folder of a library. Nothing is begun before a tool is asked for."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._made: dict[str | None, SearchClient] = {}
        self._reranker: Reranker | None = None

    def room(self, library: str | None = None) -> SearchRoom:
        """Return the room whose library is a folder, None = the configured one. A bad file of further servers is a reason why there are
        none; our own sources go on."""
        if library not in self._made:
            settings = self._settings
            further, missing = self._further(missing_sources(settings))
            folder = Path(library) if library is not None else settings.library_dir or EXAMPLES
            servers = (_own_server(settings, "search", folder), _own_server(settings, "download", folder), *further)
            self._made[library] = SearchClient(servers, missing, settings.home / "logs")
        self._reranker = self._reranker or chosen_reranker(self._settings.reranker)
        return SearchRoom(self._made[library], self._reranker, self._settings.rerank_threshold, self._settings.rerank_top_n)

    def _further(self, missing: dict[str, str]) -> tuple[tuple[ServerSpec, ...], dict[str, str]]:
        """Return the servers of the file, and what is missing."""
        if self._settings.mcp_servers is None:
            return (), missing
        try:
            return read_servers(self._settings.mcp_servers, frozenset(_NAMES.values())), missing
        except BadInput as fault:
            return (), {**missing, FURTHER: str(fault)}

    async def close(self) -> None:
        """End every server."""
        made, self._made, self._reranker = self._made, {}, None
        for client in made.values():
            await client.close()


def missing_sources(settings: Settings) -> dict[str, str]:
    """Return the sources that cannot be asked as the process is configured, and why."""
    missing: dict[str, str] = {}
    if not settings.tavily_api_key.get_secret_value():
        missing["tavily"] = Reason("source_needs_key", name="TAVILY_API_KEY")
    if find_spec("akshare") is None:
        missing["akshare"] = Reason("source_is_not_installed", name="akshare==1.19.5")
    return missing


def make_sources(settings: Settings, web: "WebClient", library: "Library", kinds: frozenset[ToolKind]) -> "list[Source]":
    """Return the sources that can be asked; those without a key too, where nothing is searched."""
    from engine.search.library import LocalLibrary  # noqa: PLC0415 - they bring aiohttp, which only the server needs
    from engine.search.sources.akshare import Akshare  # noqa: PLC0415 - see above
    from engine.search.sources.papers import OpenAlex, SemanticScholar  # noqa: PLC0415 - see above
    from engine.search.sources.sec_edgar import SecEdgar  # noqa: PLC0415 - see above
    from engine.search.sources.tavily import Tavily  # noqa: PLC0415 - see above
    from engine.search.sources.wikipedia import Wikipedia  # noqa: PLC0415 - see above

    made: list[Source] = [
        Wikipedia(web, settings.wikipedia_url),
        OpenAlex(web, settings.openalex_url, settings.openalex_api_key.get_secret_value(), settings.contact),
        SemanticScholar(web, settings.semantic_scholar_url, settings.semantic_scholar_api_key.get_secret_value()),
        Tavily(web, settings.tavily_url, settings.tavily_api_key.get_secret_value()),
        SecEdgar(web, settings.sec_edgar_url),
        Akshare(_akshare, _AKSHARE_S, time.monotonic),
        LocalLibrary(library),
    ]
    missing = missing_sources(settings) if "search" in kinds else {}
    return [source for source in made if source.name not in missing]


async def serve_tools(settings: Settings, kinds: frozenset[ToolKind] = BOTH) -> None:
    """Serve our sources on stdin and stdout until stdin ends."""
    from engine.search.download.fetch import DownloadLimits  # noqa: PLC0415 - it brings mcp, aiohttp and more
    from engine.search.library import Library  # noqa: PLC0415 - see above
    from engine.search.server import DownloadFolder, GivenAddresses, make_server  # noqa: PLC0415 - see above
    from engine.search.web_client import WebClient, user_agent  # noqa: PLC0415 - see above

    home = settings.home.absolute()
    given = GivenAddresses(home / "search" / "given.sqlite")
    library = Library(settings.library_dir or EXAMPLES, home / "search")
    limits = DownloadLimits(megabytes=settings.download_mb, user_agent=user_agent(settings.contact))
    downloads = DownloadFolder(home / "downloads", limits, configured_hosts(settings), library)
    web = WebClient(settings.contact)
    try:
        await make_server(make_sources(settings, web, library, kinds), kinds, given, downloads).run_stdio_async()
    finally:
        await web.close()


def configured_hosts(settings: Settings) -> frozenset[tuple[str, int]]:
    """Return host and port of every address of a source in the settings: those may be private."""
    parts = [urlsplit(address) for name in _ADDRESSES if (address := getattr(settings, name))]
    return frozenset((str(each.hostname), each.port or (443 if each.scheme == "https" else 80)) for each in parts)


def _akshare() -> Any:
    import akshare  # noqa: PLC0415 - optional and heavy

    return akshare


def _own_server(settings: Settings, kind: ToolKind, library: Path) -> ServerSpec:
    return ServerSpec(
        name=_NAMES[kind],
        command=sys.executable,
        args=("-m", "engine", "mcp", "--kind", kind, "--environment-only"),
        env=_environment(settings, kind) | {"TRIBUNAL_LIBRARY_DIR": str(library.expanduser().absolute())},
        cwd=_ROOT,
        required=REQUIRED - {f"{name}_search" for name in missing_sources(settings)} if kind == "search" else frozenset(),
        kinds=frozenset({kind}),
        call_s=_CALL_S[kind],
    )


def _environment(settings: Settings, kind: ToolKind) -> dict[str, str]:
    """Return what one of our processes gets: its home, its settings, and the way to the network."""
    given = {"TRIBUNAL_HOME": str(settings.home.absolute())}
    for name in _GIVEN[kind]:
        value = getattr(settings, name)
        text = value.get_secret_value() if isinstance(value, SecretStr) else str(value)
        if value is not None and text:
            given[str(Settings.model_fields[name].alias)] = text
    return given | {name: value for name, value in os.environ.items() if name.lower() in _NETWORK}


def chosen_reranker(name: RerankerName) -> Reranker:
    """Return the reranker of a name."""
    return CrossEncoderReranker() if name == "bge-reranker-large" else BM25Reranker()
