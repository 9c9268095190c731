"""What `Engine` offers of the research desk: what may be asked, and the dossier of what came out."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from engine.bootstrap.container import Container
from engine.desks.desk import DeskApi
from engine.desks.research.flow import ResearchFlow
from engine.desks.research.request import ResearchRequest
from engine.desks.research.seats import ROLE
from engine.domain.clock import parse_instant
from engine.domain.errors import BadInput
from engine.domain.research.dossier import Dossier, LeftOut
from engine.domain.text.reason import Reason
from engine.domain.text.visible import one_line


@dataclass(frozen=True)
class EvidencePreview:
    """What a run that knows nothing after `at` would be given of a dossier. statements: that it has. given: those that are evidence then.
    left_out: why the others are not -> how many. characters: of all that is given."""

    at: datetime
    statements: int
    given: int
    left_out: Mapping[LeftOut, int]
    characters: int


class Research(DeskApi[ResearchRequest]):
    """The research desk, and what its runs hand to other desks."""

    flow = ResearchFlow()
    request_type = ResearchRequest

    def __init__(self, container: Container) -> None:
        super().__init__(container)
        self._read_dossier = lru_cache(maxsize=256)(self._dossier)

    def request(self, question: str, **asked: object) -> ResearchRequest:
        """Return a run to ask for: what is given, the settings for the rest. at: a datetime, or its text. sources: names, or one text with
        commas. chaos: `research_agent:value`, one lie in the answer. Raises BadInput naming what is wrong."""
        question = one_line(" ".join(question.split()))
        if (record := self.recorded_run(asked)) is not None:
            asked_then = self.own(record.request)
            if question != asked_then.question:
                raise BadInput(
                    Reason(
                        "run_asked_another_question",
                        run_id=record.run_id,
                        question=f"{asked_then.question[:80]!r}",
                        question2=f"{question[:80]!r}",
                    )
                )
            return self.played_again(record)
        given = dict(asked)
        if isinstance(given.get("at"), str):
            given["at"] = parse_instant(str(given["at"]))
        if isinstance(given.get("sources"), str):
            given["sources"] = tuple(dict.fromkeys(each.strip() for each in str(given["sources"]).split(",") if each.strip()))
        return self.make(given, (ROLE,), question=question)

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
        record = self.require_run(run_id)
        if record.result is None:
            raise BadInput(Reason("run_has_not_finished_its_statements", run_id=run_id))
        return Dossier.of(record.result)
