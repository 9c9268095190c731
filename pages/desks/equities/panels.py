"""The panels of the equities desk in their one order, of the page and of the saved file. Each gives safe HTML, "" while it says nothing."""

from markupsafe import Markup

from pages.desks.equities.account import account_panel, trader_panel
from pages.desks.equities.analysts import analysts_panel, memory_panel
from pages.desks.equities.debates import advice_panel, research_panel, risk_panel
from pages.desks.equities.equity_view import EquityOpening, EquityView
from pages.desks.equities.grounding import grounding_panel
from pages.desks.equities.pieces import NOTHING, of_equities
from pages.desks.equities.run_facts import equity_messages_panel, equity_run_panel
from pages.desks.equities.sight import sight_panel
from pages.desks.equities.verdict import named_action, stability_panel
from pages.frame import json_fields
from pages.frame.cards import card, head, heading, label
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.attached import attached_panel
from pages.run.flow_page import Panel
from pages.run.mind import read_similar, similar_card
from pages.run.timeline import timeline_panel
from pages.trading.limits import limit_text, limits_of_run, run_limits_card

_PATH = "equities"
_RULES = ("max_position_pct", "risk_per_trade_pct", "max_drawdown_pct", "max_stop_distance_pct", "min_confidence")
"""Those of a run's limits that bind shares bought for cash, whether or not anything is ordered."""


@of_equities
def equity_limits_panel(view: EquityView, facts: EquityOpening, show: Show) -> Markup:
    """Return the measured limits, or the bounds that the run was given; nothing of an index, which is not traded."""
    if view.is_index:
        return NOTHING
    if limits_of_run(view, view.limits):
        return run_limits_card(view, view.limits, facts.price, show)
    risk, say = json_fields.inner(facts.request, "risk"), show.say
    rows = [(rule, value) for rule in _RULES if (value := json_fields.number(risk, rule)) is not None]
    if not rows:
        return NOTHING
    shown = joined(
        (
            markup(
                '<div role="listitem"><span class="ok" aria-hidden="true">·</span><span>{}</span>'
                '<span class="tb-num">{} {}</span><span></span></div>',
                say(rule),
                "≥" if rule.startswith("min_") else "≤",
                limit_text(rule, value),
            )
            for rule, value in rows
        )
    )
    top = head(heading(say("limits")), label(say("eq_not_measured")))
    foot = markup('<p class="tb-lab">{}</p>', say("eq_shares_rules"))
    return card(top, markup('<div class="tb-lim" role="list">{}</div>{}', shown, foot), label=say("limits"))


@of_equities
def similar_panel(view: EquityView, facts: EquityOpening, show: Show) -> Markup:
    """Return the earlier buys that the run was begun with, and who was told of them."""
    use = show.say("eq_similar_prompts" if json_fields.words(facts.request, "similar") == "prompts" else "similar_shown")
    return similar_card(read_similar(facts.similar), use, lambda action: " ".join(named_action(action, show)), _PATH, show)


PANELS: tuple[Panel, ...] = (
    Panel("stamp_title", stability_panel, "main"),
    Panel("eq_step_research", research_panel, "main"),
    Panel("eq_step_risk", risk_panel, "main"),
    Panel("eq_step_strategy", advice_panel, "main"),
    Panel("grounding", grounding_panel, "main"),
    Panel("eq_step_trader", trader_panel, "main"),
    Panel("eq_account_title", account_panel, "side"),
    Panel("limits", equity_limits_panel, "side"),
    Panel("at_title", attached_panel, "side"),
    Panel("similar_title", similar_panel, "side"),
    Panel("eq_sight_title", sight_panel, "side"),
    Panel("eq_memory_title", memory_panel, "side"),
    Panel("this_run", equity_run_panel, "side"),
    Panel("part_messages", equity_messages_panel, "side"),
    Panel("eq_analysts_title", analysts_panel, "wide"),
    Panel("timeline", timeline_panel, "foot"),
)
