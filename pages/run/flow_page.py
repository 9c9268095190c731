"""What a flow is to the pages: its form, its panels in one order, what its runs came to in words. Each flow has one, in a room of its own;
a flow without one is drawn by `generic_page`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from markupsafe import Markup

from engine.api import Engine, seats_of
from engine.domain.proposal import OrderPlan, Proposal
from engine.domain.run import RunRecord, RunRequest, RunSummary
from engine.domain.text.language import Language
from pages.frame.numbers import DASH
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.run.reducer import PLAIN, ViewReducer
from pages.run.run_list import own_headline
from pages.run.view import Turn


@dataclass(frozen=True)
class RunForm:
    """What is in a flow's form. up_down: the resolved setting. model: as chosen, "" where none can be. request: raises a TribunalError
    with one line when what is there cannot be used. values: of the fields, whether they can be used or not.
    hint: what has still to be typed before anything can be asked for, "" when nothing: that is no error yet."""

    language: Language
    up_down: UpDown
    model: str
    request: Callable[[], RunRequest]
    values: Mapping[str, Any] = field(default_factory=dict)
    hint: str = ""


@dataclass(frozen=True)
class Panel:
    """One panel. name: the key of the word that names it. build: given the flow's view, gives its HTML, "" while it has
    nothing to say. column: where the page
    has it: `wide` is below both columns and over both, `foot` below everything and not drawn while a run goes on. The saved file has all of
    them one below another."""

    name: str
    build: Callable[[Any, Show], Markup]
    column: Literal["main", "side", "wide", "foot"]


class FlowPage(ABC):
    """The pages of one flow, with defaults for what a flow does not say itself. flow: its name, as runs carry it. path: of the page that
    its runs are shown on, "" for the first. reducer: how the log of a run is read;
    every view below was made by it. panels: of a run, in the one order of page and saved file."""

    flow: str
    path: str = ""
    reducer: ViewReducer[Any] = PLAIN
    panels: tuple[Panel, ...] = ()

    @abstractmethod
    def draw_form(self, engine: Engine) -> RunForm:
        """Draw what a run can be asked for with, in the sidebar, and return what is there. Starts nothing."""

    @abstractmethod
    def draw_run(self, engine: Engine, form: RunForm, view: Any, run_id: str | None) -> None:
        """Draw a run as its log has it now, with what can be done about it; None: what there is before any run."""

    def fill_form(self, request: RunRequest, language: Language) -> None:  # noqa: B027 - a form may have no fields
        """Put what a run was asked for into the form, before it is drawn in a language. What the form has no field for is left out."""

    def live_parts(self, node: Turn) -> Mapping[str, tuple[int, int]]:
        """Return the parts that the panels show of a text that is being written, as spans of it, each in a seat of its own; "" for the
        one part of a text that is shown whole."""
        return {"": (len(node.earlier), len(node.text))}

    def stated(self, engine: Engine, run_id: str, node: Turn) -> Sequence[tuple[int, int]]:
        """Return where a text that has not been checked states what will be, as spans of it."""
        return ()

    def titles(self, engine: Engine, language: Language) -> Mapping[str, str]:
        """Return role -> its name, of roles that the pages have no word for. A role that speaks in several places is called as in the
        first, one of a flow that is not known here by its key."""
        return {seat.role: seat.title[language] for seat in reversed(tuple(seats_of(self.flow).values()))}

    def headline(self, run: RunSummary, show: Show) -> str:
        """Return what a run that has a headline came to, in plain words."""
        return own_headline(run, show)

    def outcome(self, view: Any, show: Show) -> str:
        """Return what a run that has ended came to, in plain words, for a notification; "" while it goes on."""
        if view.ending is None:
            return ""
        if view.ending.status == "finished":
            return view.ending.headline or DASH
        return show.say("run_stopped" if view.ending.stopped else "run_failed")

    def tab_word(self, view: Any, show: Show) -> str:
        """Return the same in the shortest words, for the title of a browser's tab."""
        return self.outcome(view, show)

    def progress(self, view: Any) -> tuple[int, int] | None:
        """Return how many of those who have to speak or to work something out are done, and how many there are; None if unknown."""
        return None

    def choices(self, show: Show) -> Mapping[str, str]:
        """Return headline -> its words, of everything that runs of the flow can come to; {} where they say it in words of their own."""
        return {}

    def brief(self, view: Any, show: Show) -> Markup:
        """Return the argument in a few lines for the signer, or ""."""
        return Markup()

    def draw_plan(self, engine: Engine, proposal: Proposal, plan: OrderPlan, view: Any, show: Show, up_down: UpDown) -> None:  # noqa: B027 - most flows order nothing
        """Draw the market of a proposal that came of such a run, with the levels of `plan`, as they stand in the form. Nothing where that
        market is not known any more."""

    def reasons(self, engine: Engine, view: Any, show: Show) -> Markup:
        """Return the words that an order of such a run was made with, claims marked; "" where there are none."""
        return Markup()

    def compare(self, first: RunRecord, second: RunRecord, show: Show) -> Markup:
        """Return two finished runs side by side, what differs marked; "" where one has no result."""
        return Markup()
