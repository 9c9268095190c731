"""The panels of the desk: each is `panel(view, show) -> str`, HTML for one `st.html`. No streamlit here, no clock: `show.now` is the time.

An empty string means that the panel has nothing to say yet and holds no room.
"""

from dataclasses import replace

from markupsafe import Markup

from pages.decision.ablation import compared_decisions
from pages.decision.analysts import analysts_panel
from pages.decision.debate import debate_panel
from pages.decision.decision_view import DecisionView
from pages.decision.executor import executor_panel, position_panel
from pages.decision.fact_matrix import matrix_panel
from pages.decision.grounding import evidence_panel, grounding_panel
from pages.decision.market_line import feed_tag, market_line, model_tag, tags
from pages.decision.messages import decision_messages_panel
from pages.decision.steps import step_strip
from pages.decision.verdict import verdict_bar
from pages.decision.waterfall import waterfall_panel
from pages.frame.show import Show
from pages.run.attached import attached_panel
from pages.run.flow_page import Panel
from pages.run.messages import run_facts_panel as shared_facts_panel
from pages.run.timeline import timeline_panel
from pages.trading.limits import run_limits_card


def limits_panel(view: DecisionView, show: Show) -> Markup:
    """Return what was measured against the limits, and at which price."""
    facts = view.facts
    price, step = (facts.price, facts.step or show.step) if facts is not None else (None, show.step)
    return run_limits_card(view, view.limits, price, replace(show, step=step))


def run_facts_panel(view: DecisionView, show: Show) -> Markup:
    """Return what every run has, and on which path this one was."""
    path = show.say("position_path" if view.is_position else "entry_path")
    return shared_facts_panel(view, show, [(show.say("run_path"), path)] if view.facts is not None and view.facts.path else ())


PANELS: tuple[Panel, ...] = (
    Panel("debate", debate_panel, "main"),
    Panel("grounding", grounding_panel, "main"),
    Panel("matrix", matrix_panel, "main"),
    Panel("executor", executor_panel, "main"),
    Panel("analysts", analysts_panel, "side"),
    Panel("position", position_panel, "side"),
    Panel("evidence", evidence_panel, "side"),
    Panel("part_confidence", waterfall_panel, "side"),
    Panel("at_title", attached_panel, "side"),
    Panel("limits", limits_panel, "side"),
    Panel("this_run", run_facts_panel, "side"),
    Panel("part_messages", decision_messages_panel, "side"),
    Panel("timeline", timeline_panel, "foot"),
)
"""The one order of the panels, of the page and of the saved file."""

__all__ = [
    "analysts_panel",
    "compared_decisions",
    "debate_panel",
    "decision_messages_panel",
    "evidence_panel",
    "executor_panel",
    "feed_tag",
    "grounding_panel",
    "limits_panel",
    "market_line",
    "matrix_panel",
    "model_tag",
    "position_panel",
    "run_facts_panel",
    "step_strip",
    "tags",
    "timeline_panel",
    "verdict_bar",
    "waterfall_panel",
]
