"""How sure an answer is, and what that was worked out from: the parts that were measured, as bars, and how they come together.

The engine works it out; here it is retold, and the formula stands there only while it gives the engine's own number.
"""

from typing import Final

from markupsafe import Markup

from pages.frame import numbers
from pages.frame.cards import card, head, heading, label
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.research.answer import confidence_bar
from pages.research.research_view import ResearchView

_BASE, _AGREEMENT, _FRESHNESS = 0.6, 0.25, 0.15
_NEAR: Final = 0.001
_PARTS: Final = ("supported", "agreement", "freshness")


def trust_panel(view: ResearchView, show: Show) -> Markup:
    """Return the confidence with its parts; nothing before it is known."""
    rows, formula = _of_plan(view, show) if view.is_plan else _of_search(view, show)
    if view.confidence is None or not rows:
        return Markup()
    title = show.say("rs_trust")
    lines = joined(
        markup("<span>{}</span>{}", name, confidence_bar(value, view.threshold if view.is_plan else None)) for name, value in rows
    )
    sure = label(show.say("confidence"), numbers.share(view.confidence))
    foot = markup('<p class="tb-lab">{}</p>', formula) if formula else Markup()
    return card(head(heading(title), sure), markup('<div class="tb-parts">{}</div>', lines), foot, label=title)


def _of_search(view: ResearchView, show: Show) -> tuple[list[tuple[str, float]], str]:
    parts = view.confidence_parts
    rows = [(show.say(f"rs_part_{name}"), parts[name]) for name in _PARTS if name in parts]
    if len(rows) < len(_PARTS) or view.confidence is None:
        return rows, ""
    supported, agreement, freshness = (parts[name] for name in _PARTS)
    if abs(supported * (_BASE + _AGREEMENT * agreement + _FRESHNESS * freshness) - view.confidence) > _NEAR:
        return rows, ""
    values = {name: numbers.share(parts[name]) for name in _PARTS}
    return rows, show.say("rs_formula_search", **values, confidence=numbers.share(view.confidence))


def _of_plan(view: ResearchView, show: Show) -> tuple[list[tuple[str, float]], str]:
    rows = [(factor.title, factor.confidence) for factor in view.factors if factor.confidence is not None]
    sure = [task.confidence for factor in view.factors for task in factor.results if task.confidence is not None]
    lost = sum(task.state == "skipped" and not task.old for factor in view.factors for task in factor.tasks)
    if not sure or view.confidence is None or abs(sum(sure) / (len(sure) + lost) - view.confidence) > _NEAR:
        return rows, ""
    values = {"mean": numbers.share(sum(sure) / len(sure)), "n": len(sure), "of": len(sure) + lost}
    return rows, show.say("rs_formula_plan", **values, confidence=numbers.share(view.confidence))
