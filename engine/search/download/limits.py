"""How much one download may cost, and what it leaves."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class DownloadLimits:
    """Bounds of one download.

    megabytes: of 1,000,000 bytes, of the body as sent and as decompressed. deadline_s: for all of it, names, redirects and a slow drip
    included. redirects: how many are followed. user_agent: what the request says it is.
    """

    megabytes: float = 25.0
    deadline_s: float = 60.0
    redirects: int = 5
    user_agent: str = "tribunal"

    @property
    def bytes(self) -> int:
        """The most bytes of a body."""
        return int(self.megabytes * 1_000_000)


@dataclass(frozen=True)
class SavedFile:
    """A file that was downloaded. path: absolute; its name is the hash of its content and its kind. kind: `pdf`, `html`, `text`,
    `markdown`, `json` or `xml`. size: in bytes. sha256: of the content, in hexadecimal. url: where it came from, after redirects."""

    path: Path
    kind: str
    size: int
    sha256: str
    url: str
