"""The research desk, beside what every run has: what may be asked, and the dossier of what came out.

Every method may be called from any thread but the engine's own, blocks no longer than a read from the journal, and raises a TribunalError
with one clear line when it cannot do what it says.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from engine.bootstrap.container import Container
from engine.bootstrap.flows import FLOWS
from engine.domain.chaos import Chaos
from engine.domain.errors import BadInput
from engine.domain.research.dossier import Dossier, LeftOut
from engine.domain.text.visible import one_line
from engine.flows.research.flow import research_request
from engine.flows.research.request import ResearchRequest
from engine.flows.research.seats import ROLE
from engine.runs.deps import flow_of
from engine.runs.origins import RECORDED, replayed


@dataclass(frozen=True)
class EvidencePreview:
    """What a run that knows nothing after `at` would be given of a dossier. statements: that it has. given: those that are evidence then.
    left_out: why the others are not -> how many. characters: of all that is given."""

    at: datetime
    statements: int
    given: int
    left_out: Mapping[LeftOut, int]
    characters: int


class ResearchDesk:
    """The part of `Engine` that is about research, and about what runs of it hand to other desks."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._read_dossier = lru_cache(maxsize=256)(self._dossier)

    def request(self, question: str, **asked: object) -> ResearchRequest:
        """Return a run to ask for: what is given, the settings for the rest. at: a datetime, or its text. sources: names, or one text with
        commas. chaos: `research_agent:value`, one lie in the answer. Raises BadInput naming what is wrong."""
        settings = self._container.settings
        given = {key: value for key, value in asked.items() if value is not None}
        model = str(given.get("model") or settings.default_model)
        if model.startswith(RECORDED):
            return self._recorded(question, model.removeprefix(RECORDED))
        if "data_dir" in given and "feed" not in given and settings.feed != "live":
            given["feed"] = "recorded"
        if isinstance(given.get("at"), str):
            given["at"] = _instant(str(given["at"]))
        if isinstance(given.get("sources"), str):
            given["sources"] = tuple(dict.fromkeys(each.strip() for each in str(given["sources"]).split(",") if each.strip()))
        if isinstance(given.get("chaos"), str):
            given["chaos"] = Chaos.parse(str(given["chaos"]), (ROLE,))
        feed = given.get("feed", settings.default_feed)
        defaults: dict[str, Any] = {
            "feed": feed,
            "data_dir": str(settings.data_dir) if settings.data_dir and feed == "recorded" else None,
            "exchange": settings.exchange if feed == "live" else None,
            "model": model,
            "language": settings.language,
        }
        try:
            request = ResearchRequest.model_validate({**defaults, "question": one_line(" ".join(question.split())), **given})
        except ValidationError as problem:
            first = problem.errors(include_input=False, include_url=False)[0]
            raise BadInput(f"{' '.join(map(str, first['loc']))}: {first['msg'][0].lower()}{first['msg'][1:]}") from None
        flow_of(FLOWS, request).admit(request, settings.risk)
        return request

    def dossier(self, run_id: str) -> Dossier:
        """Return what a finished run of research, or of a plan, hands on: statements with their sources and dates. Raises BadInput for a
        run that is not known, has not finished, or leaves no statements."""
        return self._read_dossier(run_id)

    def evidence(self, run_id: str, at: datetime) -> EvidencePreview:
        """Return what a run of another desk would be given of a finished run's statements. at: aware, after which it knows nothing.
        Raises BadInput as `dossier`."""
        from engine.agents.attached import evidence_at  # noqa: PLC0415 - it brings readers of texts, which no page need wait for

        dossier = self.dossier(run_id)
        items = evidence_at((dossier,), at)
        characters = sum(len(each.text) for each in items)
        return EvidencePreview(at, len(dossier.statements), len(items), dossier.left_out_at(at), characters)

    def _dossier(self, run_id: str) -> Dossier:
        record = self._container.journal.run(run_id)
        if record is None:
            raise BadInput(f"run {run_id} is not known")
        if record.result is None:
            raise BadInput(f"run {run_id} has not finished: its statements are not there yet")
        return Dossier.of(record.result)

    def _recorded(self, question: str, run_id: str) -> ResearchRequest:
        """Return a run played again, without a model. Raises BadInput for one that asked something else."""
        record = self._container.journal.run(run_id)
        if record is None:
            raise BadInput(f"run {run_id} is not known")
        asked_then = research_request(record.request)
        if " ".join(question.split()) != asked_then.question:
            raise BadInput(f"run {run_id} asked {asked_then.question[:80]!r}, not {question[:80]!r}")
        flow = flow_of(FLOWS, asked_then)
        return research_request(flow.tighten(replayed(record, flow), self._container.settings.risk))


def _instant(text: str) -> datetime:
    """Return the instant that a text names; a time without a zone is UTC's, a date alone its first instant."""
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise BadInput(f"time {text[:40]!r} cannot be read: write it like 2024-03-05T12:00:00Z") from None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
