"""What `Engine` offers of plans: what may be asked, which tools there are, whether a plan can be worked through."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from engine.desks.desk import DeskApi
from engine.desks.plan.flow import PlanFlow
from engine.desks.plan.request import PlanRequest
from engine.domain.errors import BadInput
from engine.domain.plan.plan import DecompositionPlan
from engine.domain.text.reason import Reason
from engine.domain.text.visible import visible

RESEARCH_ROLE: Final = "research_agent"
"""The one role that states values for a plan: in the research runs that it asks for."""


class Plans(DeskApi[PlanRequest]):
    """Plans of the research desk."""

    flow = PlanFlow()
    request_type = PlanRequest

    def tools(self) -> list[dict[str, Any]]:
        """Return `name`, `description` and `parameters` (JSON schema) of every tool. The first call takes a moment."""
        from engine.desks.plan.registry import ToolRegistry  # noqa: PLC0415 - tools take long to import

        return [dict(each) for each in ToolRegistry().describe()]

    def load(self, source: str | Path | Mapping[str, Any]) -> DecompositionPlan:
        """Return the plan in a file (a path), in JSON text or in an object. Raises BadInput naming the path of every fault, up to five."""
        from engine.desks.plan.validation import load_plan_from_json  # noqa: PLC0415 - see above

        return load_plan_from_json(source)

    def preview(self, question: str, symbol: str | None = None) -> DecompositionPlan:
        """Return the plan that the words of a question come to, without a model. Raises BadInput for a question that has no words."""
        from engine.desks.plan.by_words import plan_by_words  # noqa: PLC0415 - see above

        if not question.strip():
            raise BadInput(Reason("question_has_1_to_2000_characters"))
        return plan_by_words(question.strip()[:2000], symbol or PlanRequest.model_fields["symbol"].default)

    def request(
        self, question: str = "", *, plan: DecompositionPlan | Mapping[str, Any] | str | Path | None = None, **asked: object
    ) -> PlanRequest:
        """Return a run to ask for: a question, or a plan (typed, JSON, or the path of a file); the settings for the rest.

        asked: `symbol`, `at`, `feed`, `data_dir`, `exchange`, `threshold`, `max_retries`, `factor`, `outage`, `model`, `language`,
        `seed`, `lies`, `chaos` (`research_agent:value`: in the research runs it asks for); None = as the settings have it. Raises BadInput
        naming what is wrong.
        """
        if (record := self.recorded_run(asked)) is not None:
            asked_then = self.own(record.request)
            if question.strip() and question.strip() != asked_then.subject.strip():
                raise BadInput(Reason("run_is_about_another_question", run_id=record.run_id, subject=asked_then.subject[:80]))
            return self.played_again(record)
        if (failing := asked.get("outage")) is not None and failing not in (names := [str(tool["name"]) for tool in self.tools()]):
            raise BadInput(Reason("there_is_no_tool", name=f"{str(failing)[:60]!r}", tools=", ".join(names)))
        own: dict[str, Any] = {"question": visible(question.strip())}
        if plan is not None:
            own["plan"] = plan if isinstance(plan, DecompositionPlan) else self.load(plan)
        return self.make(asked, (RESEARCH_ROLE,), **own)
