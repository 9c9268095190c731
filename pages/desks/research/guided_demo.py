"""The desk's guided demo: a plan in which one task fails and is retried, another cannot be done and its factor is planned anew, and an
answer with a figure that its results do not hold. The first comes of a source that is told to fail once, the others of a scripted model
that is told to state false things; what is done about them is what is always done."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from markupsafe import Markup

from engine.api import Engine
from engine.domain.plan.events import PlanReplanned, PlanTaskFinished
from engine.domain.run import RunRequest
from engine.domain.text.language import Language
from pages.desks.research.research_view import ResearchView
from pages.desks.research.task_words import tool_name
from pages.frame import json_fields
from pages.frame.escape import markup, plain
from pages.frame.show import Show
from pages.run.guide import Beat, Guide, Scene, panels

_SYMBOL: Final = "BTC/USDT:USDT"
_AT: Final = datetime(2025, 7, 10, 20, tzinfo=UTC)
_ASKED: Final[Mapping[Language, str]] = {
    "en": "Is BTC funding high, and is the trend up?",
    "zh": "BTC 资金费率是否偏高，趋势是否向上？",
}
_SEED: Final = 5
_LIES: Final = 0.4
_OUTAGE: Final = "market_facts"
"""The tool whose source fails at first."""
_FAILED_S, _RETRIED_S, _REFUSED_S, _REPLANNED_S, _ANSWER_S, _FALSE_S = 4.0, 3.0, 4.0, 4.0, 3.0, 5.0


class ResearchGuide(Guide):
    """Eight beats: the plan, the task that fails, its retry, the task that cannot be done, the new plan, the answer, the figure that is not
    held, and where it goes from here."""

    key = "research"

    def request(self, engine: Engine, language: Language) -> RunRequest:
        """Return what the demo asks for."""
        return engine.plans.request(
            _ASKED[language],
            symbol=_SYMBOL,
            feed="simulated",
            at=_AT,
            model="scripted",
            lies=_LIES,
            seed=_SEED,
            outage=_OUTAGE,
            language=language,
        )

    def is_own(self, request: RunRequest | None) -> bool:
        """Return whether it asks what the demo asks, of the same market at the same instant."""
        if request is None or request.flow != "plan" or request.subject not in _ASKED.values():
            return False
        asked = (request.market_clock, request.model, request.seed, request.lies, getattr(request, "outage", None))
        return asked == (_AT, "scripted", _SEED, _LIES, _OUTAGE)

    def beats(self, scene: Scene) -> tuple[Beat, ...]:
        """Return them, due by the run's own events."""
        view, say = scene.view, scene.show.say
        view = view.at_end(scene.record.result) if view.ending is not None and scene.record.result is not None else view
        events = [each for each in scene.engine.events(scene.record.run_id) if each.seq <= view.seq]
        answering = next((node.started_at for node in view.nodes.values() if node.side == "synthesiser"), None)
        tasks = [(each.data, each.at) for each in events if isinstance(each.data, PlanTaskFinished)]
        nothing = (None, answering)  # a beat without what it is about gives way to the answer
        failed, failed_at = next((each for each in tasks if each[0].error and not each[0].permanent), nothing)
        retried, retried_at = next((each for each in tasks if failed is not None and _tries_again(each[0], failed)), nothing)
        refused, refused_at = next((each for each in tasks if each[0].error and each[0].permanent), nothing)
        replanned_at = next((each.at for each in events if isinstance(each.data, PlanReplanned)), answering)
        ended = view.ending.at if view.ending is not None else None
        begun = view.started_at or scene.record.created_at
        plan, answer = panels("rs_step_plan"), panels("rs_answer")
        planned = plain(say("demo_plan_text", n=len(view.factors)) if view.factors else say("demo_plan_open"))
        return (
            Beat("plan", say("demo_plan"), planned, begun, plan),
            Beat("failed", say("demo_failed"), _error(failed, scene.show), failed_at, plan, _FAILED_S),
            Beat("retried", say("demo_retried"), _retried(retried, scene.show), retried_at, plan, _RETRIED_S),
            Beat("refused", say("demo_refused"), _error(refused, scene.show), refused_at, plan, _REFUSED_S),
            Beat("replanned", say("demo_replanned"), plain(say("demo_replanned_text")), replanned_at, plan, _REPLANNED_S),
            Beat("answer", say("demo_answer"), plain(say("demo_answer_text")), answering, answer, _ANSWER_S),
            Beat("false", say("demo_false"), _false(view, scene.show), ended, answer, _FALSE_S),
            Beat("attach", say("demo_attach"), plain(say("demo_attach_text")), ended, (".st-key-verdict",), is_last=True),
        )


GUIDE: Final = ResearchGuide()


def _tries_again(task: PlanTaskFinished, failed: PlanTaskFinished) -> bool:
    return (task.factor, task.task) == (failed.factor, failed.task) and task.attempt > failed.attempt


def _error(task: PlanTaskFinished | None, show: Show) -> Markup:
    return plain(show.translated(str(task.error))) if task is not None else Markup()


def _retried(task: PlanTaskFinished | None, show: Show) -> Markup:
    if task is None or task.error:
        return _error(task, show)
    return plain(show.say("demo_retried_text", n=task.attempt, tool=tool_name(task.tool, show)))


def _false(view: ResearchView, show: Show) -> Markup:
    """Return how many sentences of the answer state a figure that their results do not hold, and the first of them."""
    said = json_fields.rows(view.synthesis, "statements")
    wrong = [each for each in said if json_fields.words(each, "status") == "unsupported"]
    if not wrong:
        return plain(show.say("demo_false_none"))
    counted = show.say("demo_false_text", n=len(wrong), of=len(said))
    return markup("{} <s>{}</s>", counted, json_fields.words(wrong[0], "text") or "")
