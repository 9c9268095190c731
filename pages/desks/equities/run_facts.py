"""What the depth of a run meant, and what went wrong in it."""

from markupsafe import Markup

from pages.desks.equities.equity_view import EquityOpening, EquityView, role_of_node
from pages.desks.equities.pieces import of_equities
from pages.frame.cards import message
from pages.frame.show import Show
from pages.run.messages import endings, failures, has_broken_off, listed, remarks, run_facts_panel


@of_equities
def equity_run_panel(view: EquityView, facts: EquityOpening, show: Show) -> Markup:
    """Return the facts of the run, counted while it goes on; nothing before one."""
    said = {"depth": facts.depth, "tools": facts.tool_limit}
    if view.is_index:
        depth = show.say("eq_depth_index", research=2 * (facts.depth - 1), **said)
    else:
        depth = show.say("eq_depth_stock", research=2 * facts.depth, risk=3 * facts.depth, **said)
    return run_facts_panel(view, show, [(show.say("eq_depth"), depth)])


@of_equities
def equity_messages_panel(view: EquityView, facts: EquityOpening, show: Show) -> Markup:
    """Return one message a trouble, the gravest first; at last the layers without data."""
    grave = failures(view, show, role=role_of_node)
    if has_broken_off(view) or not grave:
        grave += endings(view, show, show.say("eq_safe"))
    layers = [
        message(show.say("eq_no_layer", layer=_layer(layer, show)), show.translated(why))
        for layer, why in facts.missing.items()
        if not _is_usual(layer, view)
    ]
    return listed([*grave, *remarks(view, show, role=role_of_node), *layers])


def _is_usual(layer: str, view: EquityView) -> bool:
    """Return whether nobody expects it there: a company has no constituents, an index files no reports."""
    return layer == ("filings" if view.is_index else "constituents")


def _layer(layer: str, show: Show) -> str:
    known = ("prices", "filings", "news", "macro", "sector", "constituents", "splits", "dividends")
    return show.say(f"eq_layer_of_{layer}") if layer in known else layer
