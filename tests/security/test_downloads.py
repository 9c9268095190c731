"""Attack: a document of the web that is no document. Every case is a real socket, a real file or a real process."""

import gzip
import hashlib
import itertools
import random
import socket
import stat
import subprocess
import time
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from engine.domain.errors import SearchError
from engine.search.download.extract import read_file, text_of
from engine.search.download.fetch import DownloadLimits, fetch, refusal
from tests.servers.files import Body, FileServer, redirect

PLAIN = Body(b"Funding was paid every eight hours.\n" * 40)
MEGABYTE = b"x" * 1_000_000
SMALL = DownloadLimits(megabytes=2, deadline_s=20)


@pytest.fixture
def server() -> Iterator[FileServer]:
    with FileServer({"/plain.txt": PLAIN}) as running:
        yield running


async def get(server: FileServer, folder: Path, path: str, limits: DownloadLimits = SMALL) -> Path:
    return await fetch(server.url(path), folder, limits, configured=frozenset({server.place}))


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


async def test_a_document_is_stored_by_its_content_for_its_owner_only(server: FileServer, tmp_path: Path) -> None:
    folder = tmp_path / "downloads"
    first, second = await get(server, folder, "/plain.txt"), await get(server, folder, "/plain.txt")
    assert first == second
    content = first.read_bytes()
    assert left_in(folder) == [f"{hashlib.sha256(content).hexdigest()}.txt"]
    assert stat.S_IMODE(first.stat().st_mode) == 0o600
    assert content == PLAIN.content
    assert text_of(first).startswith("Funding was paid")


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "[::1]", "localhost", "0.0.0.0", "[::]", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1."),
        *("169.254.169.254", "[fe80::1]", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "198.18.0.1", "[fc00::1]", "[fec0::1]"),
        *("224.0.0.1", "255.255.255.255", "240.0.0.1", "[ff02::1]"),
        *("[::ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]"),
    ],
)
async def test_no_address_inside_is_asked(server: FileServer, tmp_path: Path, address: str) -> None:
    """Also in writings that only some readers of addresses understand; the server that listens there hears nothing."""
    with pytest.raises(SearchError, match="download of http://"):
        await fetch(f"http://{address}:{server.port}/plain.txt", tmp_path, SMALL)
    assert server.asked == []


@pytest.mark.parametrize("address", ["1.1.1.1", "8.8.8.8", "2606:4700:4700::1111"])
def test_public_addresses_are_not_refused(address: str) -> None:
    assert refusal(address) is None


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://example.org/a", "data:text/plain,a", "javascript:1", "//example.org/a", "", "http://", "gopher://a/"],
)
async def test_only_http_is_spoken(url: str, tmp_path: Path) -> None:
    with pytest.raises(SearchError, match="only http and https"):
        await fetch(url, tmp_path, SMALL)


async def test_an_address_with_a_password_is_refused_without_showing_it(tmp_path: Path) -> None:
    with pytest.raises(SearchError) as found:
        await fetch("https://me:canary@example.org/a", tmp_path, SMALL)
    assert "canary" not in str(found.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])
async def test_a_redirect_inside_is_not_followed(server: FileServer, tmp_path: Path, host: str) -> None:
    """The configured source may send elsewhere, but not to another port of its machine."""
    with FileServer({"/secret": Body(b"canary")}) as inner:
        server.answers["/out"] = redirect(f"http://{host}:{inner.port}/secret")
        with pytest.raises(SearchError, match="public addresses and configured sources only"):
            await get(server, tmp_path, "/out")
        assert inner.asked == []


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/a", "javascript:alert(1)", "http://me:pw@example.org/"])
async def test_a_redirect_to_what_is_no_page_is_refused(server: FileServer, tmp_path: Path, target: str) -> None:
    server.answers["/out"] = redirect(target)
    with pytest.raises(SearchError, match=r"only http and https|user or a password"):
        await get(server, tmp_path, "/out")


async def test_redirects_end_after_five(server: FileServer, tmp_path: Path) -> None:
    server.answers |= {f"/{number}": redirect(f"/{number + 1}") for number in range(1, 9)} | {"/6": PLAIN}
    await get(server, tmp_path, "/1")
    assert server.asked[-1][0].endswith("/6")
    server.answers["/6"] = redirect("/plain.txt")
    with pytest.raises(SearchError, match="more than 5 times"):
        await get(server, tmp_path, "/1")


async def test_a_name_whose_address_changes_is_asked_once(server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name server answers a public address first and this machine from then on: what was checked is what is connected to."""
    answers, connected = itertools.chain(["203.0.114.7"], itertools.repeat("127.0.0.1")), []

    def resolve(host: str, port: int, *_: object, **__: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), port))]

    def connect(self: socket.socket, address: tuple[str, int]) -> None:
        connected.append(address[0])
        raise ConnectionRefusedError("no network in tests")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(socket.socket, "connect", connect)
    with pytest.raises(SearchError, match="nothing could be reached"):
        await fetch(f"http://changing.example:{server.port}/plain.txt", tmp_path, SMALL)
    assert connected == ["203.0.114.7"]
    with pytest.raises(SearchError, match=r"127\.0\.0\.1 is a loopback address"):
        await fetch(f"http://changing.example:{server.port}/plain.txt", tmp_path, SMALL)
    assert (connected, server.asked) == (["203.0.114.7"], [])


async def test_a_configured_name_is_asked_by_its_name(server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *rest, **more: real("127.0.0.1", *rest, **more))
    url = server.url("/plain.txt", "papers.example")
    await fetch(url, tmp_path, SMALL, configured=frozenset({("papers.example", server.port)}))
    assert server.asked[0][1]["Host"] == f"papers.example:{server.port}"
    with pytest.raises(SearchError, match="loopback"):
        await fetch(url, tmp_path, SMALL, configured=frozenset({("papers.example", server.port + 1)}))


@pytest.mark.parametrize("length", [None, 1_000_000_000])
async def test_a_body_of_a_gigabyte_is_cut_while_it_streams(server: FileServer, tmp_path: Path, length: int | None) -> None:
    """Whatever its header says about its length."""
    server.answers["/large"] = Body(itertools.repeat(MEGABYTE, 1_000), length=length)
    with pytest.raises(SearchError, match=r"larger than 2 MB \(TRIBUNAL_DOWNLOAD_MB\)"):
        await get(server, tmp_path, "/large")
    assert left_in(tmp_path) == []
    assert server.sent < 60_000_000


@cache
def _gigabyte() -> bytes:
    """A gigabyte, compressed to one megabyte (zlib)."""
    packer = zlib.compressobj(9)
    return b"".join(packer.compress(MEGABYTE) for _ in range(1_000)) + packer.flush()


PACKED: dict[str, Callable[[], bytes]] = {
    "deflate": _gigabyte,
    "gzip": lambda: b"\x1f\x8b\x08" + bytes(6) + b"\xff" + _gigabyte()[2:-4] + bytes(8),
}


@pytest.mark.full
@pytest.mark.parametrize("encoding", PACKED)
async def test_a_small_body_that_unpacks_to_a_gigabyte_is_cut(server: FileServer, tmp_path: Path, encoding: str) -> None:
    server.answers["/bomb"] = Body(PACKED[encoding](), "text/html", encoding, length=-1)
    with pytest.raises(SearchError, match="larger than 2 MB once it is decompressed"):
        await get(server, tmp_path, "/bomb")
    assert left_in(tmp_path) == []


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (Body(gzip.compress(MEGABYTE, mtime=0)[:500], encoding="gzip"), "broke off"),
        (Body(b"no gzip at all", encoding="gzip"), "compression is broken"),
        (Body(b"any", encoding="br"), "was not asked for"),
        (Body(b"half", length=400), "broke off"),
        (Body(b""), "empty"),
        (Body(b"PK\x03\x04" + b"\x00" * 60, "application/zip"), "not PDF, HTML"),
        (Body(b"PK\x03\x04" + b"\x00" * 60, "application/pdf"), "not PDF, HTML"),
        (Body(b"\x7fELF\x02\x01\x01\x00", "text/plain"), "not PDF, HTML"),
        (Body(b"<svg/>", "image/svg+xml; charset=utf-8"), "not PDF, HTML"),
        (Body(b"#!/bin/sh\nrm -rf /", "application/x-sh"), "not PDF, HTML"),
        (Body(b"busy", status=503), "answered 503"),
    ],
    ids=lambda each: str(each)[:40],
)
async def test_what_is_no_document_is_refused(server: FileServer, tmp_path: Path, body: Body, reason: str) -> None:
    server.answers["/file"] = body
    with pytest.raises(SearchError, match=reason):
        await get(server, tmp_path, "/file")
    assert left_in(tmp_path) == []


@pytest.mark.full
@pytest.mark.parametrize("drip", ["head", "body"])
async def test_a_drip_ends_at_the_deadline(server: FileServer, tmp_path: Path, drip: str) -> None:
    server.answers["/drip"] = Body(itertools.repeat(b"x"), pause_s=0.05, drip_head=drip == "head", headers={"X-Long": "y" * 4_000})
    begun = time.monotonic()
    with pytest.raises(SearchError, match=r"did not arrive within 0\.6 s"):
        await get(server, tmp_path, "/drip", DownloadLimits(deadline_s=0.6))
    assert time.monotonic() - begun < 60
    assert left_in(tmp_path) == []


def _pdf(*objects: bytes) -> bytes:
    """A PDF file of these objects, the first of which is its catalogue."""
    body, places = b"%PDF-1.7\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return body + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        size,
        table,
        size,
        len(body),
    )


def _page_of(content: bytes, coding: bytes = b"") -> bytes:
    return _pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d%s>>stream\n%s\nendstream" % (len(content), coding, content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )


def _bomb() -> bytes:
    return _page_of(zlib.compress(_gigabyte(), 9), b"/Filter[/FlateDecode/FlateDecode]")


def _long_content() -> bytes:
    return _page_of(zlib.compress(b"BT /F 9 Tf 9 9 Td " + b"(word) Tj 0 -9 Td " * 3_000_000 + b"ET", 9), b"/Filter/FlateDecode")


HOSTILE: dict[str, Callable[[], bytes]] = {
    "bomb": _bomb,
    "endless page": _long_content,
    "broken": lambda: b"%PDF-1.7\n" + random.Random(7).randbytes(4_000),
    "empty": lambda: b"",
    "pages in a circle": lambda: _pdf(b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 900000>>"),
}


def test_the_text_of_an_honest_pdf(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(_page_of(b"BT /F 12 Tf 50 700 Td (Funding was 0.01 percent) Tj ET"))
    assert text_of(tmp_path / "a.pdf") == "Funding was 0.01 percent"


@pytest.mark.full
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_pdf_is_a_reason_in_time(name: str, tmp_path: Path) -> None:
    """This process neither ends nor grows, and does not wait longer than it says."""
    (tmp_path / "a.pdf").write_bytes(HOSTILE[name]())
    begun = time.monotonic()
    with pytest.raises(SearchError, match=r"a\.pdf: (it cannot be read as PDF|reading it took|there is no text)"):
        read_file(tmp_path / "a.pdf", deadline_s=6)
    assert time.monotonic() - begun < 60


@pytest.mark.full
def test_the_reader_of_files_sees_no_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes the reader over finds no key: its environment, as the system knows it, has the path alone."""
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "trafilatura.py").write_text("raise SystemExit('taken over')")
    (tmp_path / "a.html").write_text("<html><body><p>" + "A plain page about funding. " * 9 + "</p></body></html>")
    seen: dict[str, str] = {}
    real = subprocess.run

    def run(*args: object, **more: object) -> object:
        seen.update(more["env"])  # type: ignore[call-overload]
        return real(*args, **more)

    monkeypatch.setattr("engine.search.download.extract.subprocess.run", run)
    assert "plain page" in text_of(tmp_path / "a.html")
    assert seen.keys() <= {"PATH", "LANG", "SYSTEMROOT"}


@pytest.mark.full
def test_text_comes_out_visible_normalised_and_bounded(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("\u202eﬃ ＢＴＣ\x00\x1b[31m \u200b资⾦\n\n\n\nend".encode())
    assert text_of(tmp_path / "a.txt") == "ffi BTC[31m 资金\n\nend"
    (tmp_path / "b.md").write_bytes("资金费率".encode("gb18030"))
    assert text_of(tmp_path / "b.md") == "资金费率"
    said = "费率（今日）远高于{}，说明：多头拥挤；明天呢？…"
    (tmp_path / "e.txt").write_bytes(said.format("０.０１％").encode())
    assert text_of(tmp_path / "e.txt") == said.format("0.01%")
    (tmp_path / "c.txt").write_bytes("ﷺ".encode() * 300_000)
    assert len(text_of(tmp_path / "c.txt")) == 200_000
    (tmp_path / "d.html").write_bytes(b"<div>" * 20_000)
    with pytest.raises(SearchError):
        text_of(tmp_path / "d.html")
