"""The text of a stored file. What can be built to harm its reader (PDF, HTML) is read by a process of its own.

Text comes out normalised (NFKC) and bounded, without characters that hide or reorder others. A file that is broken, encrypted, empty or
too costly is a SearchError with its reason.
"""

import codecs
import html
import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.domain.errors import SearchError
from engine.domain.text.visible import SHOWN_INSTEAD, one_line, visible
from engine.search.download import extraction_process
from engine.search.download.kinds import SUFFIXES

CHARACTERS: Final = 200_000
"""The most characters of one text."""
DEADLINE_S: Final = 30.0

KINDS: Final = {suffix: kind for kind, suffix in SUFFIXES.items()} | {".htm": "html", ".markdown": "markdown", ".text": "text"}
"""How a name ends -> kind of file."""

_TAG: Final = re.compile(r"<[^<>]{0,2000}>")
_BLANKS: Final = re.compile(r"[ \t\f\v]+")
_LINES: Final = re.compile(r"\n\s*\n\s*")


@dataclass(frozen=True)
class ExtractedText:
    """What was read out of a file. title, date: as the file itself says, "" where it does not."""

    text: str
    title: str = ""
    date: str = ""


def text_of(path: Path) -> str:
    """Return the text of a stored file, at most `CHARACTERS` characters. Blocks for up to `DEADLINE_S`: call it in a thread.

    Raises SearchError with its reason when there is no text to be had.
    """
    return read_file(path).text


def read_file(path: Path, *, deadline_s: float = DEADLINE_S) -> ExtractedText:
    """Return the text of a file with its title and date. Its kind is the ending of its name. Raises SearchError with its reason."""
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise SearchError(f"{path.name}: text is read out of {', '.join(sorted(KINDS))} files only")
    try:
        found = _in_a_process(path, kind, deadline_s) if kind in {"pdf", "html"} else _plain(path, kind)
    except OSError as problem:
        raise SearchError(f"{path.name} cannot be read: {problem.strerror or problem}") from None
    text = cleaned(found.text)
    if not text:
        raise SearchError(f"{path.name}: there is no text in it" + (" (a scan has pictures only)" if kind == "pdf" else ""))
    return ExtractedText(text, title=_field(found.title), date=_field(found.date))


def cleaned(text: str) -> str:
    """Return a text normalised, without hidden characters and needless blanks, at most `CHARACTERS` long."""
    plain = visible(unicodedata.normalize("NFKC", text[:CHARACTERS])).replace(SHOWN_INSTEAD, "")
    return _LINES.sub("\n\n", _BLANKS.sub(" ", plain)).strip()[:CHARACTERS]


def _field(text: str) -> str:
    return " ".join(one_line(cleaned(text)).split())


def _plain(path: Path, kind: str) -> ExtractedText:
    with path.open("rb") as file:
        text = decoded(file.read(4 * CHARACTERS))
    if kind == "xml":
        text = html.unescape(_TAG.sub(" ", text))
    return ExtractedText(text)


def decoded(content: bytes) -> str:
    """Return bytes as text: by their mark, as UTF-8, as GB 18030, and what cannot be read replaced. The last character may be cut."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace")
    content = content.removeprefix(codecs.BOM_UTF8)
    for encoding in ("utf-8", "gb18030"):
        try:
            return codecs.getincrementaldecoder(encoding)().decode(content)
        except UnicodeDecodeError:
            continue
    return content.decode("utf-8", errors="replace")


def _in_a_process(path: Path, kind: str, deadline_s: float) -> ExtractedText:
    script = extraction_process.__file__
    command = [sys.executable, "-I", script, kind, str(path.resolve(strict=True)), str(CHARACTERS)]
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LANG") if name in os.environ}
    with tempfile.TemporaryFile() as answer:
        try:
            done = subprocess.run(  # noqa: S603 - our own script, by its path, without a shell
                command, stdin=subprocess.DEVNULL, stdout=answer, stderr=subprocess.DEVNULL, timeout=deadline_s, check=False, env=kept
            )
        except subprocess.TimeoutExpired:
            raise SearchError(f"{path.name}: reading it took longer than {deadline_s:g} s") from None
        answer.seek(0)
        content = answer.read(extraction_process.OUTPUT)
    if done.returncode < 0:
        raise SearchError(f"{path.name}: reading it took too much time or memory")
    try:
        found = json.loads(content)
        return ExtractedText(text=found["text"], title=found["title"], date=found["date"])
    except (ValueError, KeyError, TypeError):
        raise SearchError(f"{path.name}: it cannot be read as {kind.upper()} (broken, protected or too large)") from None
