"""What the page knows of one question, as frozen values: the plan's factors and tasks, the agent's loop and searches, the answer as it was
checked. Read by the panels; no clock, no I/O, no streamlit.

A run of a plan has factors, a run of research an agent; either has statements in the end. Every value that comes out of an event may be
missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final, Self

from engine.domain.research.events import DocumentsReranked
from pages.frame import json_fields
from pages.frame.json_fields import Fields
from pages.run.view import RunView, Turn

ANSWERS: Final = "summarize"
"""The node that writes a search's answer."""


@dataclass(frozen=True, slots=True)
class AgentStep:
    """One turn of the agent's loop, or what came of a call.

    kind: `thought` (text: what it thought), `call` (text: the tool, detail: its arguments), `observation` (text: what the agent read) or
    `repeat` (text: a tool that had been asked the same, and was not asked again). ms: None while it is not known. bad: the call failed or
    was not made.
    """

    kind: str
    turn: int
    text: str
    detail: str = ""
    ms: float | None = None
    bad: bool = False


@dataclass(frozen=True, slots=True)
class SourceAnswer:
    """What one source answered. found: documents, before duplicates are merged. error: why it is missing. optional: it was asked in the
    loop, not in the search. ended_at: when its answer was written down."""

    source: str
    found: int
    ms: float | None
    error: str | None
    optional: bool = False
    ended_at: datetime | None = None

    @property
    def began_at(self) -> datetime | None:
        """When it was asked; None where its time is not known."""
        return self.ended_at - timedelta(milliseconds=self.ms) if self.ended_at is not None and self.ms is not None else None


@dataclass(frozen=True, slots=True)
class TaskTrace:
    """One attempt at a task of a factor.

    state: `running`, `done`, `error`, `skipped`, `replanned`. arguments: what its tool was asked with. checks: name -> 0-1; reasons:
    name -> what was measured. result: what its tool gave, empty without one. as_of: up to when its data go, ISO 8601. source: who gave it.
    old: a plan was made anew after it. decision: what was decided about its failure, and why. earlier: the attempts before it.
    """

    factor: str
    id: str
    tool: str
    state: str = "running"
    attempt: int = 1
    arguments: Fields = field(default_factory=dict)
    output_key: str = ""
    result: Fields = field(default_factory=dict)
    as_of: str = ""
    source: str = ""
    confidence: float | None = None
    checks: Mapping[str, float] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    error: str | None = None
    decision: str = ""
    reason: str = ""
    ms: float | None = None
    old: bool = False
    earlier: "tuple[TaskTrace, ...]" = ()

    @property
    def attempts(self) -> "tuple[TaskTrace, ...]":
        """Every attempt, this one last."""
        return (*self.earlier, self)


@dataclass(frozen=True, slots=True)
class FactorTrace:
    """One factor of a plan. planned: ids of its tasks, in order. started_at, ended_at: of its work."""

    name: str
    description: str = ""
    tasks: tuple[TaskTrace, ...] = ()
    planned: tuple[Fields, ...] = ()
    state: str = "waiting"
    replanned: bool = False
    started_at: datetime | None = None
    ended_at: datetime | None = None

    @property
    def title(self) -> str:
        """What it is about, in words where the plan has them."""
        return self.description or self.name

    @property
    def confidence(self) -> float | None:
        """The least of its finished tasks, None without one."""
        known = [task.confidence for task in self.tasks if task.confidence is not None and not task.old and task.state == "done"]
        return min(known, default=None)

    @property
    def results(self) -> tuple[TaskTrace, ...]:
        """The tasks that gave a result and stayed, in order."""
        return tuple(task for task in self.tasks if task.state == "done" and not task.old)


@dataclass(frozen=True, slots=True)
class ResearchView(RunView):
    """What every run has, and what a question has beside it.

    question: as asked. at: the clock, as ISO text. steps: the agent's loop. searches: answers of sources in their order. missing: source ->
    why it has no tool. rerank: what was kept, best first, and what was left out. planned_by: `given`, `model` or `heuristic`. saved:
    documents after their download. statements: of the answer. confidence: of the answer, 0-1; confidence_parts: what a search's is made of.
    quoted: where text that reads like an instruction was quoted as data. ended_with: the final state.
    """

    question: str = ""
    at: str = ""
    steps: tuple[AgentStep, ...] = ()
    searches: tuple[SourceAnswer, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    rerank: DocumentsReranked = field(default_factory=DocumentsReranked)
    saved: tuple[Fields, ...] = ()
    factors: tuple[FactorTrace, ...] = ()
    planned_by: str = ""
    threshold: float = 0.6
    statements: tuple[Fields, ...] = ()
    confidence: float | None = None
    confidence_parts: Mapping[str, float] = field(default_factory=dict)
    quoted: tuple[str, ...] = ()
    ended_with: Fields = field(default_factory=dict)

    def at_end(self, state: Fields) -> Self:
        """Return the view with the final state of the run."""
        return replace(
            self,
            ended_with=state,
            statements=json_fields.rows(state, "statements") or self.statements,
            confidence=json_fields.number(state, "confidence") if "confidence" in state else self.confidence,
            confidence_parts=json_fields.numbers(state, "confidence_parts")
            or json_fields.numbers(json_fields.inner(state, "synthesis"), "confidence_parts")
            or self.confidence_parts,
        )

    @property
    def is_plan(self) -> bool:
        """Whether a plan is worked through."""
        return bool(self.factors) or (self.opening is not None and self.opening.request.get("flow") == "plan")

    @property
    def documents(self) -> tuple[Fields, ...]:
        """What the answer cites, the first one as [1]."""
        return json_fields.rows(self.ended_with, "top_papers") or self.saved or self.rerank.kept

    @property
    def synthesis(self) -> Fields:
        """The synthesiser's answer to a plan's question: its `text`, `by` whom, its checked `statements`; empty before it is known."""
        return json_fields.inner(self.ended_with, "synthesis")

    @property
    def headline(self) -> Fields:
        """The answer in a few words, with the figure that decides; empty where nothing that was stated held."""
        return json_fields.inner(self.synthesis if self.is_plan else self.ended_with, "headline")

    @property
    def against(self) -> Fields:
        """The checked sentence that speaks against the answer, empty where there is none."""
        return json_fields.inner(self.synthesis if self.is_plan else self.ended_with, "against")

    @property
    def answer(self) -> str:
        """The answer as far as it is known: "" before anything of it was said."""
        whole = json_fields.words(self.ended_with, "answer")
        return whole if whole is not None else self.answering.text

    @property
    def answering(self) -> Turn:
        """Whoever writes a search's answer; waiting before it is begun."""
        return self.turn(ANSWERS)

    def count(self, status: str) -> int:
        """Return how many statements have a status."""
        return sum(json_fields.words(each, "status") == status for each in self.statements)

    def count_said(self, status: str) -> int:
        """Return how many sentences of the answer itself have a status: of a plan, those of its synthesiser."""
        said = json_fields.rows(self.synthesis, "statements") if self.is_plan else self.statements
        return sum(json_fields.words(each, "status") == status for each in said)
