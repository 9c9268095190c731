"""The desk's guided demo: a plan in which one task fails and is retried, another cannot be done and its factor is planned anew, and an
answer with a figure that its results do not hold. The first comes of a source that is told to fail once, the others of a scripted model
that is told to state false things; what is done about them is what is always done."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import ClassVar, Final

from markupsafe import Markup

from engine.api import Engine
from engine.domain.plan.events import PlanReplanned, PlanTaskFinished
from engine.domain.run import RunRequest
from engine.domain.text.language import Language
from pages.desks.research.research_view import ResearchView
from pages.desks.research.task_words import tool_name
from pages.frame import json_fields
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.run.guide import Beat, Cue, Guide, Scene, panels

_QUESTION: Final[Mapping[Language, str]] = {
    "en": "Is BTC funding high, and is the trend up?",
    "zh": "BTC 资金费率是否偏高，趋势是否向上？",
}
_PLAN, _ANSWER = panels("rs_step_plan"), panels("rs_answer")


class ResearchGuide(Guide):
    """The plan, the task that fails, its retry, the task that cannot be done, the new plan, the answer, the figure that is not held, and
    where it goes from here."""

    key = "research"
    asked: ClassVar = {
        "symbol": "BTC/USDT:USDT",
        "feed": "simulated",
        "at": datetime(2025, 7, 10, 20, tzinfo=UTC),
        "model": "scripted",
        "lies": 0.4,
        "seed": 5,
        "outage": "market_facts",  # the tool whose source fails at first
    }
    own = ("at", "model", "lies", "seed", "outage")
    course = (
        Beat("plan", "demo_plan", _PLAN),
        Beat("failed", "demo_failed", _PLAN, 4.0),
        Beat("retried", "demo_retried", _PLAN, 3.0),
        Beat("refused", "demo_refused", _PLAN, 4.0),
        Beat("replanned", "demo_replanned", _PLAN, 4.0),
        Beat("answer", "demo_answer", _ANSWER, 3.0),
        Beat("false", "demo_false", _ANSWER, 5.0),
        Beat("attach", "demo_attach", (".st-key-verdict",), is_last=True),
    )

    def request(self, engine: Engine, language: Language) -> RunRequest:
        """Return what the demo asks for."""
        return engine.plans.request(_QUESTION[language], **self.asked, language=language)

    def cues(self, scene: Scene) -> Mapping[str, Cue]:
        """Return every beat by its name; one without what it is about gives way to the answer."""
        view, show, say = scene.view, scene.show, scene.show.say
        view = view.at_end(scene.record.result) if view.ending is not None and scene.record.result is not None else view
        events = [each for each in scene.engine.events(scene.record.run_id) if each.seq <= view.seq]
        answering = next((node.started_at for node in view.nodes.values() if node.side == "synthesiser"), None)
        tasks = [(each.data, each.at) for each in events if isinstance(each.data, PlanTaskFinished)]
        nothing = (None, answering)
        failed, failed_at = next((each for each in tasks if each[0].error and not each[0].permanent), nothing)
        retried, retried_at = next((each for each in tasks if failed is not None and _tries_again(each[0], failed)), nothing)
        refused, refused_at = next((each for each in tasks if each[0].error and each[0].permanent), nothing)
        return {
            "plan": (scene.begun, say("demo_plan_text", n=len(view.factors)) if view.factors else say("demo_plan_open")),
            "failed": (failed_at, _error(failed, show)),
            "retried": (retried_at, _retried(retried, show)),
            "refused": (refused_at, _error(refused, show)),
            "replanned": (
                next((each.at for each in events if isinstance(each.data, PlanReplanned)), answering),
                say("demo_replanned_text"),
            ),
            "answer": (answering, say("demo_answer_text")),
            "false": (scene.ended, _false(view, show)),
            "attach": (scene.ended, say("demo_attach_text")),
        }


GUIDE: Final = ResearchGuide()


def _tries_again(task: PlanTaskFinished, failed: PlanTaskFinished) -> bool:
    return (task.factor, task.task) == (failed.factor, failed.task) and task.attempt > failed.attempt


def _error(task: PlanTaskFinished | None, show: Show) -> str:
    return show.translated(str(task.error)) if task is not None else ""


def _retried(task: PlanTaskFinished | None, show: Show) -> str:
    if task is None or task.error:
        return _error(task, show)
    return show.say("demo_retried_text", n=task.attempt, tool=tool_name(task.tool, show))


def _false(view: ResearchView, show: Show) -> Markup | str:
    """Return how many sentences of the answer state a figure that their results do not hold, and the first of them."""
    said = json_fields.rows(view.synthesis, "statements")
    wrong = [each for each in said if json_fields.words(each, "status") == "unsupported"]
    if not wrong:
        return show.say("demo_false_none")
    counted = show.say("demo_false_text", n=len(wrong), of=len(said))
    return markup("{} <s>{}</s>", counted, json_fields.words(wrong[0], "text") or "")
