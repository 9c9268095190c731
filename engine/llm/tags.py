"""Takes the keys out of an answer that names the fact behind each figure: `RSI is 43.9{rsi_14}` becomes `RSI is 43.9`.

Given an answer piece by piece, gives the pieces without the tags, as soon as they are certain, and remembers where each tag stood. Holds
back no more than an unfinished tag. Braces that hold anything but a key stay as they are.
"""

import re

from engine.domain.claims import FigureTag

_TAG = re.compile(r"[ \t]?[{｛]([a-z0-9]+(?:[._][a-z0-9]+)*)[}｝]", re.ASCII)
_UNFINISHED = re.compile(r"[ \t]?(?:[{｛][a-z0-9._]{0,48})?\Z", re.ASCII)


class TagFilter:
    """One answer's filter: `feed` every piece in order, then `finish` once; `tags` are those that were taken out so far."""

    def __init__(self) -> None:
        self.tags: list[FigureTag] = []
        self._held = ""
        self._written = 0

    def feed(self, piece: str) -> str:
        """Return the text that `piece` makes certain."""
        data, at, kept = self._held + piece, 0, []
        for found in _TAG.finditer(data):
            kept.append(self._write(data[at : found.start()]))
            self.tags.append(FigureTag(self._written, found[1]))
            at = found.end()
        rest = data[at:]
        unfinished = _UNFINISHED.search(rest)
        cut = unfinished.start() if unfinished is not None else len(rest)
        self._held = rest[cut:]
        return "".join([*kept, self._write(rest[:cut])])

    def finish(self) -> str:
        """Return what was held back and proved to be no tag. The filter is spent afterwards."""
        rest, self._held = self._held, ""
        return self._write(rest)

    def _write(self, text: str) -> str:
        self._written += len(text)
        return text
