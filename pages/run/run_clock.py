"""What a run that goes on has taken so far, beside the button that stops it."""

from markupsafe import Markup

from pages.frame import numbers
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.run.node_state import clock_of
from pages.run.view import RunView


def run_clock(view: RunView, show: Show) -> Markup:
    """Return seconds and tokens so far, and that nothing is ordered; "" before the run has begun."""
    say = show.say
    if view.seq == 0:
        return Markup()
    now = clock_of(view, show)
    spent = (now - view.started_at).total_seconds() if now and view.started_at else None
    tokens = sum(node.usage.prompt_tokens + node.usage.completion_tokens for node in view.nodes.values() if node.usage)
    left = markup("<span>{} <b>{}</b></span>", say("elapsed"), numbers.seconds(spent))
    right = markup("<span>{}</span>", say("tokens_n", n=numbers.number(tokens)))
    return markup('<div class="tb"><div class="tb-clock">{}{}</div><div class="tb-lab">{}</div></div>', left, right, say("orders_nothing"))
