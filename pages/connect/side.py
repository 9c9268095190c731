"""Beside the rows: what a decision costs and may cost, and where keys are kept."""

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from pages.connect.pieces import set_outside
from pages.frame.cards import card, head, heading, message
from pages.frame.escape import markup
from pages.frame.html import draw_html
from pages.frame.page_style import run_action
from pages.frame.show import Show
from pages.run.cost_lines import cost_source, cost_table

DESK = "decision"


def cost_card(engine: Engine, show: Show) -> Markup:
    """Return what a decision of the model in use takes."""
    say, scripted = show.say, engine.settings.default_model == "scripted"
    cost = engine.costs.of(DESK, waits=False) if not scripted else None
    if scripted:
        body = markup('<p class="tb-muted">{}</p>', say("cn_cost_script"))
    elif cost is None:
        body = markup('<p class="tb-muted" role="status">{}</p>', say("cn_cost_waits"))
    else:
        time = markup(" {}", say("cn_cost_no_time")) if cost.estimated and cost.seconds.median is None else ""
        body = markup('{}<p class="tb-lab">{}{}</p>', cost_table(cost, show), cost_source(cost, show), time)
    return card(head(heading(say("cn_cost_title"))), body, label=say("cn_cost_title"))


def draw_budget(engine: Engine, who: str, show: Show) -> None:
    """Draw what a run and a day may spend."""
    say, settings = show.say, engine.settings
    fixed = bool(set_outside(engine, "TRIBUNAL_RUN_COST", "TRIBUNAL_DAY_COST"))
    with st.form("connect-budget", border=False):
        left, right = st.columns(2)
        run = left.number_input(say("cn_run_may"), 0.0, value=settings.run_cost or 0.0, format="%g", key="connect-run-cost", disabled=fixed)
        day = right.number_input(
            say("cn_day_may"), 0.0, value=settings.day_cost or 0.0, format="%g", key="connect-day-cost", disabled=fixed
        )
        if st.form_submit_button(say("cn_budget_keep"), key="connect-budget-keep", disabled=fixed, help=say("cn_budget_help")):
            limits = {"TRIBUNAL_RUN_COST": run, "TRIBUNAL_DAY_COST": day}
            run_action(lambda: engine.connections.change({name: f"{value:g}" if value else None for name, value in limits.items()}, who))


def keys_card(engine: Engine, show: Show) -> Markup:
    """Return where keys are kept."""
    say, keyring = show.say, engine.connections.keyring
    if keyring:
        place = markup('<p><b>✓ {}</b> <span class="tb-muted">{}</span></p>', say("cn_keys_keyring"), say("cn_keys_found", name=keyring))
    else:
        place = message(say("cn_keys_none"), say("cn_keys_file"))
    return card(
        head(heading(say("cn_keys_title"))), place, markup('<p class="tb-muted">{}</p>', say("cn_keys_once")), label=say("cn_keys_title")
    )


def draw_costs(engine: Engine, who: str, show: Show, *, may_change: bool) -> None:
    """Draw the card of costs with the form of its limits."""
    draw_html(cost_card(engine, show))
    if may_change:
        draw_budget(engine, who, show)
