"""The text of a stored file. What can be built to harm its reader (PDF, HTML) is read by a process of its own.

Text comes out normalised (NFKC, but for Chinese punctuation) and bounded, without characters that hide or reorder others. A file that is
broken, encrypted, empty or too costly is a SearchError with its reason.
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
from engine.domain.text.reason import Reason
from engine.domain.text.visible import SHOWN_INSTEAD, one_line, visible, word_end
from engine.search.download import extraction_process
from engine.search.download.body import SUFFIXES

CHARACTERS: Final = 200_000
"""The most characters of one text."""
DEADLINE_S: Final = 30.0

KINDS: Final = {suffix: kind for kind, suffix in SUFFIXES.items()} | {".htm": "html", ".markdown": "markdown", ".text": "text"}
"""How a name ends -> kind of file."""

_TAG: Final = re.compile(r"<[^<>]{0,2000}>")
_FOLDED: Final = re.compile("[^，：；！？（）～…]+")
"""What is normalised: all but the punctuation that a Chinese text is written with."""
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
        raise SearchError(Reason("text_is_read_out_of_files_only", name=path.name, kinds=", ".join(sorted(KINDS))))
    try:
        found = _in_a_process(path, kind, deadline_s) if kind in {"pdf", "html"} else _plain(path, kind)
    except OSError as problem:
        raise SearchError(Reason("cannot_be_read", name=path.name, strerror=problem.strerror or problem)) from None
    text = cleaned(found.text)
    if not text:
        raise SearchError(Reason("there_is_no_text_in_a_scan" if kind == "pdf" else "there_is_no_text_in_it", name=path.name))
    return ExtractedText(text, title=_field(found.title), date=_field(found.date))


def cleaned(text: str) -> str:
    """Return a text normalised, without hidden characters and needless blanks, at most `CHARACTERS` long."""
    folded = _FOLDED.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text[: word_end(text, CHARACTERS)])
    plain = visible(folded).replace(SHOWN_INSTEAD, "")
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
            raise SearchError(Reason("reading_it_took_longer_than_s", name=path.name, deadline_s=f"{deadline_s:g}")) from None
        answer.seek(0)
        content = answer.read(extraction_process.OUTPUT)
    if done.returncode < 0:
        raise SearchError(Reason("reading_it_took_too_much_time", name=path.name))
    try:
        found = json.loads(content)
        return ExtractedText(text=found["text"], title=found["title"], date=found["date"])
    except (ValueError, KeyError, TypeError):
        raise SearchError(Reason("it_cannot_be_read_as_broken_protected", name=path.name, kind=kind.upper())) from None
