"""The hard limits as they were measured when the order was filed; before that, and without an order, which ones hold."""

from markupsafe import Markup

from pages.equities.equity_view import EquityFacts, EquityView
from pages.equities.pieces import NOTHING, of_equities
from pages.frame import json_fields
from pages.frame.cards import card, head, heading, label
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.trading.limits import limit_text, limits_of_run, run_limits_card

_RULES = ("max_position_pct", "risk_per_trade_pct", "max_drawdown_pct", "max_stop_distance_pct", "min_confidence")
"""Those of a run's limits that bind shares bought for cash, whether or not anything is ordered."""


@of_equities
def equity_limits_panel(view: EquityView, facts: EquityFacts, show: Show) -> Markup:
    """Return the measured limits, or the bounds that the run was given; nothing of an index: nobody orders."""
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
