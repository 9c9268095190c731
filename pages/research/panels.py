"""The panels of a question in their one order, of the page and of the saved file. Each gives safe HTML, "" while it says nothing."""

from typing import Final

from pages.research.agent import agent_panel
from pages.research.answer import answer_panel, statements_panel
from pages.research.plan import plan_panel
from pages.research.question_facts import facts_panel
from pages.research.rerank import rerank_panel
from pages.research.searches import funnel_panel, sources_panel
from pages.research.sources import documents_panel
from pages.research.trust import trust_panel
from pages.run.flow_page import Panel
from pages.run.messages import messages_panel
from pages.run.timeline import timeline_panel

PANELS: Final = (
    Panel("rs_answer", answer_panel, "main"),
    Panel("rs_step_plan", plan_panel, "main"),
    Panel("rs_statements", statements_panel, "main"),
    Panel("rs_documents_word", documents_panel, "main"),
    Panel("rs_trust", trust_panel, "side"),
    Panel("rs_sources", sources_panel, "side"),
    Panel("rs_funnel", funnel_panel, "side"),
    Panel("rs_rerank", rerank_panel, "side"),
    Panel("rs_agent", agent_panel, "side"),
    Panel("this_run", facts_panel, "side"),
    Panel("part_messages", messages_panel, "side"),
    Panel("timeline", timeline_panel, "foot"),
)
