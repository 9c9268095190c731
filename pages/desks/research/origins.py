"""Where statements come from, numbered as they are cited: documents of a search, results of a plan's tasks, and the documents behind those
of its sub-questions (`3.1`). Every number leads to its line in the table of sources, and that to the source itself. Pure."""

from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from pages.desks.research.research_view import ResearchView, TaskTrace
from pages.desks.research.task_words import asked_words, tool_name
from pages.frame import json_fields as read
from pages.frame.escape import markup
from pages.frame.json_fields import Fields
from pages.frame.show import Show
from pages.run.run_links import run_address

_ADDRESS: Final = ("https://", "http://")


@dataclass(frozen=True, slots=True)
class CitedSource:
    """One source. name: `3`, or `3.1` for a document behind result 3. title: what it is. source: who gave it. dated: as its source says,
    "" where it does not. address: where it can be opened, "" where it cannot; own: within this site. document: of a search, else empty.
    confidence: of a result, 0-1."""

    name: str
    title: str
    source: str = ""
    dated: str = ""
    address: str = ""
    own: bool = False
    document: Fields | None = None
    confidence: float | None = None

    @property
    def anchor(self) -> str:
        """The id of its line."""
        return f"source-{self.name.replace('.', '-')}"


def origins_of(view: ResearchView, show: Show) -> list[CitedSource]:
    """Return every source of a run, in the order of their numbers."""
    if not view.is_plan:
        return [_of_document(str(n), each) for n, each in enumerate(view.documents, 1)]
    found = []
    for n, task in enumerate(_results(view), 1):
        found.append(_of_result(str(n), task, show))
        found += [_of_document(f"{n}.{k}", each) for k, each in enumerate(read.rows(task.result, "papers"), 1)]
    return found


def number_of(view: ResearchView, statement: Fields) -> int | None:
    """Return the number of the result that a plan's statement was made of, None for one without."""
    place = read.words(statement, "factor"), read.words(statement, "task")
    return next((n for n, task in enumerate(_results(view), 1) if (task.factor, task.id) == place), None)


def _results(view: ResearchView) -> list[TaskTrace]:
    return [task for factor in view.factors for task in factor.results]


def _of_result(name: str, task: TaskTrace, show: Show) -> CitedSource:
    title = " · ".join(part for part in (tool_name(task.tool, show), asked_words(task, show)) if part)
    run_id = read.words(task.result, "run_id") or ""
    address = run_address(run_id, "research", show.language) if run_id else ""
    return CitedSource(name, title, task.source, task.as_of, address, own=bool(address), confidence=task.confidence)


def _of_document(name: str, document: Fields) -> CitedSource:
    url = read.words(document, "url") or ""
    return CitedSource(
        name,
        read.words(document, "title") or "",
        read.words(document, "source") or "",
        read.words(document, "published_date") or "",
        url if url.startswith(_ADDRESS) else "",
        document=document,
    )


def source_mark(name: str | int) -> Markup:
    """Return the box of a source, leading to its line in the table. name: as of `CitedSource`."""
    return markup('<a class="tb-src" href="#source-{}">{}</a>', str(name).replace(".", "-"), name)


def opened(origin: CitedSource) -> Markup:
    """Return the title of a source, as a link where it can be opened. One that leads away says nothing of where its reader came from."""
    if not origin.address:
        return markup("<span>{}</span>", origin.title)
    if origin.own:
        return markup('<a href="{}" target="_self">{}</a>', origin.address, origin.title)
    return markup(
        '<a href="{}" title="{}" target="_blank" rel="noopener noreferrer nofollow">{} <span aria-hidden="true">↗</span></a>',
        origin.address,
        origin.address,
        origin.title,
    )
