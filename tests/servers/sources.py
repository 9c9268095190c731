"""The services that research asks, on 127.0.0.1 in the shapes they document: MediaWiki, OpenAlex, Semantic Scholar, Tavily, SEC EDGAR;
and the pages and files they point at.

Every search finds the same few texts of our own. Faults are put in line with `fail` and used up one request at a time; `slow` lets requests
wait. Starts on a free port, in threads of its own; ends with the `with`.
"""

import json
import threading
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self
from urllib.parse import parse_qs, urlsplit

FaultKind = Literal["429", "500", "401", "html", "shape", "redirect", "large", "drop"]

PAPER = {
    "title": "Funding payments and crowded longs",
    "abstract": "When perpetual longs pay 0.05 % every eight hours, returns over the next week are lower.",
    "doi": "10.5555/funding.2024.1",
    "published": "2024-03-01",
    "authors": ["Ada Basis", "Lin Perp"],
}
ARTICLE = "In perpetual futures, a funding payment passes between longs and shorts, most often every eight hours."
CHINESE_ARTICLE = "资金费率是永续合约多空双方定期互相支付的费用，通常每八小时一次。"
PAGE = "Funding turned positive on Tuesday; open interest rose by 4 %."
_TYPES = {"json": "application/json", "html": "text/html; charset=utf-8"}


@dataclass
class Fault:
    """A fault that waits for `times` requests whose line holds `part`. retry_after: the header, "" = none."""

    part: str
    kind: FaultKind
    times: int
    retry_after: str


class LoopbackSources:
    """All services at one address. requests: (line with its query or body, headers) of every request."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.released = threading.Event()
        self._faults: list[Fault] = []
        self._slow: list[tuple[str, float]] = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"sources": self}))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def settings(self) -> dict[str, Any]:
        names = ("wikipedia_url", "openalex_url", "semantic_scholar_url", "tavily_url", "sec_edgar_url")
        return {**dict.fromkeys(names, self.url), "tavily_api_key": "tvly-loopback-key"}

    def fail(self, part: str, kind: FaultKind, times: int = 1_000, retry_after: str = "") -> None:
        self._faults.append(Fault(part, kind, times, retry_after))

    def heal(self) -> None:
        self._faults.clear()
        self._slow.clear()

    def slow(self, part: str, seconds: float) -> None:
        self._slow.append((part, seconds))

    def asked(self, part: str) -> int:
        return sum(part in line for line, _ in self.requests)

    def meet(self, line: str, headers: dict[str, str]) -> tuple[Fault | None, float]:
        """Note a request; return the fault it meets, used up, and how long it waits."""
        with self._lock:
            self.requests.append((line, headers))
            fault = next((each for each in self._faults if each.part in line and each.times > 0), None)
            if fault is not None:
                fault.times -= 1
            return fault, sum(seconds for part, seconds in self._slow if part in line)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, str, bytes]:
        routes = {
            "/w/api.php": self._wikipedia,
            "/works": self._openalex,
            "/graph/v1/paper/search": self._semantic_scholar,
            "/search": self._tavily,
            "/files/company_tickers.json": self._tickers,
            "/submissions/CIK0000320193.json": self._submissions,
            "/LATEST/search-index": self._full_text,
        }
        if path in routes:
            return 200, "json", json.dumps(routes[path](query)).encode()
        if path.startswith(("/wiki/", "/page/", "/Archives/", "/copy/")):
            text = ARTICLE if path.startswith("/wiki/") else PAGE
            return 200, "html", f"<html><head><title>t</title></head><body><article><p>{text}</p></article></body></html>".encode()
        return 404, "json", b'{"error": "not found"}'

    def _wikipedia(self, query: dict[str, str]) -> Any:
        if query.get("list") == "search":
            return {"batchcomplete": True, "query": {"searchinfo": {"totalhits": 0}, "search": []}}
        if query["gsrsearch"].startswith("nothing"):
            return {"batchcomplete": True}
        chinese = any("\u4e00" <= each <= "\u9fff" for each in query["gsrsearch"])
        pages = [
            ("Perpetual futures", ARTICLE, 2),
            ("资金费率" if chinese else "Funding rate", CHINESE_ARTICLE if chinese else ARTICLE, 1),
        ]
        return {
            "batchcomplete": True,
            "query": {
                "pages": [
                    {
                        "pageid": 100 + index,
                        "ns": 0,
                        "title": title,
                        "index": index,
                        "extract": text,
                        "fullurl": f"{self.url}/wiki/{index}",
                        "revisions": [{"timestamp": f"2025-0{index}-04T10:00:00Z"}],
                    }
                    for title, text, index in pages
                ]
            },
        }

    def _openalex(self, query: dict[str, str]) -> Any:
        index: dict[str, list[int]] = {}
        for at, word in enumerate(str(PAPER["abstract"]).split()):
            index.setdefault(word, []).append(at)
        work = {
            "id": "https://openalex.org/W1",
            "doi": f"https://doi.org/{PAPER['doi']}",
            "display_name": PAPER["title"],
            "publication_date": PAPER["published"],
            "publication_year": 2024,
            "authorships": [{"author": {"id": "A1", "display_name": name}} for name in PAPER["authors"]],
            "abstract_inverted_index": index,
            "primary_location": {"landing_page_url": "https://journal.example/1", "pdf_url": None},
            "best_oa_location": {"landing_page_url": None, "pdf_url": f"{self.url}/copy/1"},
        }
        bare = {"id": "https://openalex.org/W2", "display_name": "No abstract", "publication_date": "2023-01-05", "authorships": []}
        return {"meta": {"count": 2, "page": 1, "per_page": 2}, "results": [work, bare], "group_by": []}

    def _semantic_scholar(self, query: dict[str, str]) -> Any:
        if query["query"].startswith("nothing"):
            return {"total": 0, "offset": 0}
        paper = {
            "paperId": "p1",
            "externalIds": {"DOI": PAPER["doi"], "CorpusId": 7},
            "url": "https://www.semanticscholar.org/paper/p1",
            "title": PAPER["title"],
            "abstract": None,
            "year": 2024,
            "publicationDate": None,
            "openAccessPdf": {"url": f"{self.url}/copy/1", "status": "GREEN"},
            "authors": [{"authorId": "1", "name": name} for name in PAPER["authors"]],
        }
        return {"total": 1, "offset": 0, "data": [paper]}

    def _tavily(self, query: dict[str, str]) -> Any:
        result = {"title": "Funding turns", "url": f"{self.url}/page/1", "content": PAGE, "score": 0.91, "raw_content": None}
        dated = {**result, "url": f"{self.url}/page/2", "published_date": "Tue, 04 Mar 2025 08:30:00 GMT"}
        return {"query": query.get("query"), "answer": None, "images": [], "results": [result, dated], "response_time": 0.4}

    def _tickers(self, query: dict[str, str]) -> Any:
        rows = [(320193, "AAPL", "Apple Inc."), (1318605, "TSLA", "Tesla, Inc."), (884394, "SPY", "SPDR S&P 500 ETF TRUST")]
        return {str(at): {"cik_str": cik, "ticker": ticker, "title": title} for at, (cik, ticker, title) in enumerate(rows)}

    def _submissions(self, query: dict[str, str]) -> Any:
        columns = {
            "accessionNumber": ["0000320193-24-000123", "0000320193-24-000100", "0000320193-23-000106"],
            "filingDate": ["2024-11-01", "2024-09-10", "2023-11-03"],
            "reportDate": ["2024-09-28", "", "2023-09-30"],
            "form": ["10-K", "4", "10-K"],
            "primaryDocument": ["aapl-20240928.htm", "form4.xml", "aapl-20230930.htm"],
            "primaryDocDescription": ["10-K", "FORM 4", "Annual report"],
        }
        about = {"name": "Apple Inc.", "tickers": ["AAPL"], "exchanges": ["Nasdaq"], "sicDescription": "Electronic Computers"}
        return {"cik": "0000320193", **about, "fiscalYearEnd": "0928", "stateOfIncorporation": "CA", "filings": {"recent": columns}}

    def _full_text(self, query: dict[str, str]) -> Any:
        source = {
            "ciks": ["0001234567"],
            "display_names": ["Example Miner Corp  (EXMN)  (CIK 0001234567)"],
            "file_date": "2025-02-20",
            "form": "8-K",
            "file_type": "EX-99.1",
            "file_description": "PRESS RELEASE",
            "period_ending": "2025-02-19",
            "adsh": "0001234567-25-000004",
        }
        hit = {"_index": "edgar_file", "_id": "0001234567-25-000004:ex99.htm", "_score": 9.1, "_source": source}
        return {"took": 3, "timed_out": False, "hits": {"total": {"value": 1, "relation": "eq"}, "max_score": 9.1, "hits": [hit]}}


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # of the usual 5 the sixth client at once waits a second until its system tries again


class _Handler(BaseHTTPRequestHandler):
    sources: LoopbackSources
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._do(parse_qs(urlsplit(self.path).query))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        self._do({key: [str(value)] for key, value in json.loads(body).items()}, body)

    def _do(self, query: dict[str, list[str]], body: str = "") -> None:
        with suppress(ConnectionError):
            fault, delay = self.sources.meet(f"{self.command} {self.path} {body}".strip(), dict(self.headers.items()))
            if delay:
                self.sources.released.wait(delay)
            if fault is not None:
                self._spoil(fault)
                return
            status, kind, content = self.sources.answer(urlsplit(self.path).path, {key: each[0] for key, each in query.items()})
            self._send(status, _TYPES[kind], content)

    def _spoil(self, fault: Fault) -> None:
        extra = {"Retry-After": fault.retry_after} if fault.retry_after else {}
        if fault.kind == "drop":
            self.close_connection = True
            return
        spoiled = {
            "429": (429, "application/json", b'{"message": "Too Many Requests", "code": "429"}'),
            "500": (500, "text/html", b"<html>nginx</html>"),
            "401": (401, "application/json", b'{"detail": {"error": "Unauthorized: missing or invalid API key."}}'),
            "html": (200, "text/html", b"<!doctype html><title>Sign in to the airport's network</title>"),
            "shape": (200, "application/json", b'{"rows": {"a": 1}}'),
            "redirect": (302, "text/plain", b""),
            "large": (200, "application/json", b"[" + b"1," * 4_500_000 + b"1]"),
        }
        status, kind, content = spoiled[fault.kind]
        if fault.kind == "redirect":
            extra["Location"] = "http://169.254.169.254/latest/meta-data"
        self._send(status, kind, content, extra)

    def _send(self, status: int, kind: str, content: bytes, extra: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(content)), **(extra or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
