"""The panels of the equities desk in their one order, of the page and of the saved file. Each gives safe HTML, "" while it says nothing."""

from pages.equities.account import account_panel
from pages.equities.analysts import analysts_panel
from pages.equities.debates import advice_panel, research_panel, risk_panel
from pages.equities.grounding import grounding_panel
from pages.equities.limits import equity_limits_panel
from pages.equities.memory import memory_panel
from pages.equities.run_facts import equity_messages_panel, equity_run_panel
from pages.equities.sight import sight_panel
from pages.equities.trader import trader_panel
from pages.run.attached import attached_panel
from pages.run.flow_page import Panel
from pages.run.timeline import timeline_panel

PANELS: tuple[Panel, ...] = (
    Panel("eq_step_research", research_panel, "main"),
    Panel("eq_step_risk", risk_panel, "main"),
    Panel("eq_step_strategy", advice_panel, "main"),
    Panel("grounding", grounding_panel, "main"),
    Panel("eq_step_trader", trader_panel, "main"),
    Panel("eq_account_title", account_panel, "side"),
    Panel("limits", equity_limits_panel, "side"),
    Panel("at_title", attached_panel, "side"),
    Panel("eq_sight_title", sight_panel, "side"),
    Panel("eq_memory_title", memory_panel, "side"),
    Panel("this_run", equity_run_panel, "side"),
    Panel("part_messages", equity_messages_panel, "side"),
    Panel("eq_analysts_title", analysts_panel, "wide"),
    Panel("timeline", timeline_panel, "foot"),
)
