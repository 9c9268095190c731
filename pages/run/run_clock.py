"""What a run that goes on has taken so far, beside the button that stops it."""

from markupsafe import Markup

from pages.frame import numbers
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.run.node_state import clock_of
from pages.run.view import RunView


def run_clock(view: RunView, show: Show) -> Markup:
    """Return seconds since it was asked for and tokens so far, and that nothing is ordered."""
    say = show.say
    tokens = sum(node.usage.prompt_tokens + node.usage.completion_tokens for node in view.nodes.values() if node.usage)
    left = markup("<span>{} <b>{}</b></span>", say("elapsed"), numbers.seconds(view.elapsed(clock_of(view, show))))
    right = markup("<span>{}</span>", say("tokens_n", n=numbers.number(tokens)))
    return markup('<div class="tb"><div class="tb-clock">{}{}</div><div class="tb-lab">{}</div></div>', left, right, say("orders_nothing"))
