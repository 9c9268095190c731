"""Reads HTML as a browser would, for tests: tags, attributes, and the words a person sees."""

from html.parser import HTMLParser

VOID = {"br", "input"}


class Reader(HTMLParser):
    """The tags, attributes and classes of a fragment; its words outside cards and corrections; what is struck, and what stands instead.

    Fails when a tag is not closed or closed out of turn.
    """

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.classes: set[str] = set()
        self.words: list[str] = []
        self.struck: list[str] = []
        self.truths: list[str] = []
        self.path: list[tuple[str, set[str]]] = []
        self.feed(page)
        self.close()
        assert self.path == [], "every tag is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        looks = set((dict(attrs).get("class") or "").split())
        self.tags.add(tag)
        self.classes |= looks
        self.attributes.update(name for name, _ in attrs)
        if tag not in VOID:
            self.path.append((tag, looks))

    def handle_endtag(self, tag: str) -> None:
        assert self.path.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        inside = {name for name, _ in self.path}.union(*(looks for _, looks in self.path))
        if {"tb-tip", "tb-to"} & inside:  # a card; the arrow that only a copy shows
            return
        if "ins" in inside:
            self.truths.append(data)
            return
        self.words.append(data)
        if "del" in inside:
            self.struck.append(data)

    @property
    def text(self) -> str:
        """All visible words, run together."""
        return "".join(self.words)


def squeezed(text: str) -> str:
    """Without white space."""
    return "".join(text.split())


def unstyled(text: str) -> str:
    """Squeezed, and without what the desk's style adds to a number: commas between thousands, a true minus."""
    return squeezed(text).replace(",", "").replace("\u2212", "-")
