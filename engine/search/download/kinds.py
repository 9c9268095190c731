"""What a body is, by its first bytes and by what its server calls it. Programs, archives and images are refused."""

import codecs
import re
from typing import Final

SUFFIXES: Final = {"pdf": ".pdf", "html": ".html", "text": ".txt", "markdown": ".md", "json": ".json", "xml": ".xml"}
"""Kind -> how its files' names end."""

SNIFFED: Final = 1_024
"""How many first bytes are looked at."""

_NAMED: Final = {
    "application/pdf": "pdf",
    "application/x-pdf": "pdf",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/plain": "text",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "application/json": "json",
    "text/json": "json",
    "application/xml": "xml",
    "text/xml": "xml",
}
_ENDINGS: Final = {"+json": "json", "+xml": "xml"}
_UNNAMED: Final = frozenset({"", "application/octet-stream", "binary/octet-stream"})
_BOMS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NO_TEXT: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_HTML: Final = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
_XML: Final = re.compile(rb"\s*<\?xml\b")
_JSON: Final = re.compile(rb"\s*[\[{]")


def kind_of(first: bytes, content_type: str) -> str | None:
    """Return the kind of a body, None when it is none that may be kept.

    first: its first bytes. content_type: the header's value, or "". The bytes win over the header, but a header that
    names something else entirely (an image, an archive, a program) is believed.
    """
    named = content_type.partition(";")[0].strip().lower()
    known = _NAMED.get(named) or next(
        (kind for ending, kind in _ENDINGS.items() if named.endswith(ending) and named.startswith("application/")), None
    )
    head = first[:SNIFFED].removeprefix(codecs.BOM_UTF8)
    is_pdf = head.lstrip().startswith(b"%PDF-")
    if not head or (_NO_TEXT.search(head) and not head.startswith(_BOMS) and not is_pdf):
        return None
    if known is None and named not in _UNNAMED and not named.startswith("text/"):
        return None
    return "pdf" if is_pdf else _text_kind(head, known)


def _text_kind(head: bytes, known: str | None) -> str:
    if _HTML.match(head):
        return "html"
    if _XML.match(head):
        return "xml"
    if known in {None, "json", "pdf"}:
        return "json" if _JSON.match(head) else "text"
    return known
