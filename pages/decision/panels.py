"""The panels of the desk: each is `panel(view, show) -> str`, HTML for one `st.html`. No streamlit here, no clock: `show.now` is the time.

An empty string means that the panel has nothing to say yet and holds no room.
"""

from collections.abc import Callable

from pages.decision.ablation import compared_decisions
from pages.decision.analysts import analysts_panel
from pages.decision.debate import debate_panel
from pages.decision.executor import executor_panel, position_panel
from pages.decision.fact_matrix import matrix_panel
from pages.decision.grounding import evidence_panel, grounding_panel
from pages.decision.market_line import feed_tag, market_line, model_tag, notice, tags
from pages.decision.steps import step_strip
from pages.frame.show import Show
from pages.run.messages import messages_panel, run_facts_panel
from pages.run.scores import limits_panel, waterfall_panel
from pages.run.timeline import timeline_panel
from pages.run.verdict import verdict_bar, verdict_clock
from pages.run.view import RunView

Named = tuple[str, Callable[[RunView, Show], str]]
"""A panel behind the word that names it."""
SAID: tuple[Named, ...] = (
    ("debate", debate_panel),
    ("grounding", grounding_panel),
    ("matrix", matrix_panel),
    ("executor", executor_panel),
)
BESIDE: tuple[Named, ...] = (
    ("analysts", analysts_panel),
    ("position", position_panel),
    ("evidence", evidence_panel),
    ("part_confidence", waterfall_panel),
    ("limits", limits_panel),
    ("this_run", run_facts_panel),
    ("part_messages", messages_panel),
)
TIMELINE: Named = ("timeline", timeline_panel)

__all__ = [
    "analysts_panel",
    "compared_decisions",
    "debate_panel",
    "evidence_panel",
    "executor_panel",
    "feed_tag",
    "grounding_panel",
    "limits_panel",
    "market_line",
    "matrix_panel",
    "messages_panel",
    "model_tag",
    "notice",
    "position_panel",
    "run_facts_panel",
    "step_strip",
    "tags",
    "timeline_panel",
    "verdict_bar",
    "verdict_clock",
    "waterfall_panel",
]
