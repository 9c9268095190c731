"""The argument of a run of the desk in a few lines, for whoever signs its order."""

from markupsafe import Markup

from pages.claims.prose import prose
from pages.equities.pieces import NOTHING, action_text, who
from pages.frame import numbers
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.view import NodeView, RunView

_WHO = ("bull_researcher", "bear_researcher", "research_manager", "risk_judge", "trader")
_MOST = 220


def brief_lines(view: RunView, show: Show) -> Markup:
    """Return what each side said last, and what was ruled; "" where nobody has spoken."""
    lines = [_line(node, show) for name in _WHO if (node := view.nodes.get(name)) is not None and node.text]
    return markup('<div class="tb tb-brief">{}</div>', joined(lines)) if lines else NOTHING


def _line(node: NodeView, show: Show) -> str:
    last = node.text.removeprefix(node.earlier)
    words = " ".join(last[span.start : span.end] for block in prose(last) for line in block.lines for span in line)
    words = words if len(words) <= _MOST else f"{words[: _MOST - 1]}…"
    ruled = action_text(node.result, show)
    false = sum(claim.verdict == "false" for claim in node.claims)
    wrong = markup(' <b class="tb-false">✕\u2009{}</b>', numbers.number(false)) if false else ""
    return markup('<p>{} <b class="tb-ruling">{}</b> {}{}</p>', who(node.name, show), ruled, words, wrong)
