"""What a search finds: a document with where it is from, what it is about and, once it was downloaded, where its text lies."""

from typing import Any

from pydantic import Field

from engine.domain.frozen_model import FrozenModel
from engine.domain.text.reason import Said


class SourceCopy(FrozenModel):
    """A document as one source gave it: what that source's own download needs."""

    source: str
    title: str = ""
    url: str = ""
    doi: str | None = None
    extra: dict[str, Any] = Field(default_factory=dict)


class Document(FrozenModel):
    """One document of a source. Everything in it is someone else's text: shown escaped, quoted to models as data.

    source: of the search tool (`openalex`, `library`). abstract: whole, as the source gives it, "" where it has none. published_date: ISO
    date, or only its year or month; None = not said. also_in: other sources that gave the same document; copies: it as each of them gave
    it, the first one included, () where there is one source. rerank_score: how near it is to the question, None where it was not scored.
    saved_path: where its file lies, relative to the folder of downloads; None = it was not downloaded. saved_from: the source whose file
    that is, where it is not `source`. text: what could be read out of its file, cut. not_saved: why there is no file. not_saved_by: why
    each source that was asked before `saved_from` gave none.
    """

    source: str
    title: str
    url: str = ""
    abstract: str = ""
    authors: tuple[str, ...] = ()
    published_date: str | None = None
    doi: str | None = None
    also_in: tuple[str, ...] = ()
    copies: tuple[SourceCopy, ...] = ()
    rerank_score: float | None = None
    saved_path: str | None = None
    saved_from: str | None = None
    text: str = ""
    not_saved: Said | None = None
    not_saved_by: dict[str, Said] = Field(default_factory=dict)
    extra: dict[str, Any] = Field(default_factory=dict)
    """What else a source says and its own download needs (an id, a filing's number)."""
