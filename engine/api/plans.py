"""Plans, beside what every run has: what may be asked, which tools there are, whether a plan can be worked through.

Every method may be called from any thread but the engine's own, and raises a TribunalError with one clear line when it cannot do what it
says.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from engine.bootstrap.container import Container
from engine.bootstrap.flows import FLOWS
from engine.domain.chaos import Chaos
from engine.domain.errors import BadInput
from engine.domain.plan.plan import DecompositionPlan
from engine.domain.text.visible import visible
from engine.flows.plan.flow import plan_request
from engine.flows.plan.request import PlanRequest
from engine.runs.deps import flow_of
from engine.runs.origins import RECORDED, replayed

FLOW: Final = "plan"
RESEARCH_ROLE: Final = "research_agent"
"""The one role that states values for a plan: in the research runs that it asks for."""


class Plans:
    """The part of `Engine` that is about plans."""

    def __init__(self, container: Container) -> None:
        self._container = container

    def tools(self) -> list[dict[str, Any]]:
        """Return `name`, `description` and `parameters` (JSON schema) of every tool. The first call takes a moment."""
        from engine.flows.plan.registry import ToolRegistry  # noqa: PLC0415 - tools take long to import

        return [dict(each) for each in ToolRegistry().describe()]

    def load(self, source: str | Path | Mapping[str, Any]) -> DecompositionPlan:
        """Return the plan in a file (a path), in JSON text or in an object. Raises BadInput naming the path of every fault, up to five."""
        from engine.flows.plan.validation import load_plan_from_json  # noqa: PLC0415 - see above

        return load_plan_from_json(source)

    def preview(self, question: str, symbol: str | None = None) -> DecompositionPlan:
        """Return the plan that the words of a question come to, without a model. Raises BadInput for a question that has no words."""
        from engine.flows.plan.planning.by_words import plan_by_words  # noqa: PLC0415 - see above

        if not question.strip():
            raise BadInput("a question has 1 to 2000 characters")
        return plan_by_words(question.strip()[:2000], symbol or PlanRequest.model_fields["symbol"].default)

    def request(
        self, question: str = "", *, plan: DecompositionPlan | Mapping[str, Any] | str | Path | None = None, **asked: object
    ) -> PlanRequest:
        """Return a run to ask for: a question, or a plan (typed, JSON, or the path of a file); the settings for the rest.

        asked: `symbol`, `at`, `feed`, `data_dir`, `exchange`, `threshold`, `max_retries`, `factor`, `model`, `language`, `seed`, `lies`,
        `chaos` (`research_agent:value`: in the research runs it asks for); None = as the settings have it. Raises BadInput naming what is
        wrong.
        """
        settings = self._container.settings
        given = {key: value for key, value in asked.items() if value is not None}
        if str(given.get("model") or settings.default_model).startswith(RECORDED):
            return self._recorded(question, str(given.get("model") or settings.default_model).removeprefix(RECORDED))
        if "data_dir" in given and "feed" not in given and settings.feed != "live":
            given["feed"] = "recorded"
        feed = given.get("feed", settings.default_feed)
        defaults: dict[str, Any] = {
            "feed": feed,
            "data_dir": str(settings.data_dir) if settings.data_dir and feed == "recorded" else None,
            "exchange": settings.exchange if feed == "live" else None,
            "model": settings.default_model,
            "language": settings.language,
        }
        if isinstance(given.get("chaos"), str):
            given["chaos"] = Chaos.parse(str(given["chaos"]), (RESEARCH_ROLE,))
        if plan is not None:
            given["plan"] = plan if isinstance(plan, DecompositionPlan) else self.load(plan)
        try:
            request = PlanRequest.model_validate({**defaults, "question": visible(question.strip()), **given})
        except ValidationError as problem:
            first = problem.errors(include_input=False, include_url=False)[0]
            raise BadInput(f"{' '.join(map(str, first['loc']))}: {first['msg'][0].lower()}{first['msg'][1:]}".removeprefix(": ")) from None
        flow_of(FLOWS, request).admit(request, settings.risk)
        return request

    def _recorded(self, question: str, run_id: str) -> PlanRequest:
        """Return a run played again, without a model. Raises BadInput for one that is about something else."""
        record = self._container.journal.run(run_id)
        if record is None:
            raise BadInput(f"run {run_id} is not known")
        asked_then = plan_request(record.request)
        if question.strip() and question.strip() != asked_then.subject.strip():
            raise BadInput(f"run {run_id} is about another question: {asked_then.subject[:80]}")
        return plan_request(replayed(record, flow_of(FLOWS, asked_then)))
