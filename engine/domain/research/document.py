"""What a search finds: a document with where it is from, what it is about and, once it was downloaded, where its text lies."""

from typing import Any

from pydantic import Field

from engine.domain.frozen_model import FrozenModel


class Document(FrozenModel):
    """One document of a source. Everything in it is somebody else's text: shown escaped, quoted to models as data.

    source: of the search tool (`openalex`, `library`). abstract: whole, as the source gives it, "" where it has none. published_date: ISO
    date, or only its year or month; None = not said. also_in: other sources that gave the same document. rerank_score: how near it is to
    the question, None where it was not scored. saved_path: where its file lies, relative to the folder of downloads; None = it was not
    downloaded. text: what could be read out of its file, cut. not_saved: why there is no file.
    """

    source: str
    title: str
    url: str = ""
    abstract: str = ""
    authors: tuple[str, ...] = ()
    published_date: str | None = None
    doi: str | None = None
    also_in: tuple[str, ...] = ()
    rerank_score: float | None = None
    saved_path: str | None = None
    text: str = ""
    not_saved: str | None = None
    extra: dict[str, Any] = Field(default_factory=dict)
    """What else a source says and its own download needs (an id, a filing's number)."""
