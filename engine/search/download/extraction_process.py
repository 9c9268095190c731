"""The text of one hostile file, read in a process of its own: `python -I extraction_process.py KIND FILE CHARACTERS`.

Prints one JSON object with `title`, `date` and `text`, or ends with a line on stderr. Bounded in memory, processor time, output and open
files before the file is touched. It knows nothing of the rest of the project and gets no setting, so that it can be taken over with
nothing to take. It is run as a script; imported are its bounds only.
"""

import json
import sys
from pathlib import Path
from typing import Final

MEMORY: Final = 1_500_000_000
PROCESSOR_S: Final = 20
OUTPUT: Final = 16_000_000
PAGES: Final = 300
_FIELD: Final = 300


def bound() -> None:
    """Give up what is not needed, where the system knows such limits (Windows does not: there the time alone is bounded)."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    for what, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, PROCESSOR_S),
        (resource.RLIMIT_FSIZE, OUTPUT),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 64),
    ):
        resource.setrlimit(what, (most, most))


def read_pdf(path: Path, characters: int) -> dict[str, str]:
    """Return title and text of the first pages of a PDF file."""
    import pypdfium2  # noqa: PLC0415 - one kind of file needs it

    document = pypdfium2.PdfDocument(path)
    pieces: list[str] = []
    left = characters
    for number in range(min(len(document), PAGES)):
        page = document[number].get_textpage()
        piece = page.get_text_bounded()[:left].replace("\r\n", "\n")
        pieces.append(piece)
        left -= len(piece)
        if left <= 0:
            break
    return {"title": document.get_metadata_dict().get("Title", ""), "date": "", "text": "\n\n".join(pieces)}


def read_html(path: Path, characters: int) -> dict[str, str]:
    """Return title, date and main text of a web page; all of its text where no main part is found."""
    import trafilatura  # noqa: PLC0415 - one kind of file needs it

    page = path.read_bytes()
    found = trafilatura.bare_extraction(page, include_comments=False, with_metadata=True)
    fields = found if isinstance(found, dict) else found.as_dict() if found else {}
    text = fields.get("text") or trafilatura.html2txt(page)
    return {"title": fields.get("title") or "", "date": fields.get("date") or "", "text": (text or "")[:characters]}


def main() -> int:
    """Read the file named on the command line; return the exit code."""
    kind, name, characters = sys.argv[1:]
    bound()
    reader = {"pdf": read_pdf, "html": read_html}[kind]
    found = reader(Path(name), int(characters))
    cut = {key: str(value)[: _FIELD if key != "text" else int(characters)] for key, value in found.items()}
    sys.stdout.buffer.write(json.dumps(cut).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
