"""Who could see what: of every layer, what it reads, what it writes, and what is sealed from it. The borders of the state, as a table."""

from markupsafe import Markup

from pages.equities.equity_view import EquityFacts, EquityView
from pages.equities.pieces import NOTHING, eye, of_equities
from pages.frame.cards import card, head, heading
from pages.frame.escape import joined, markup
from pages.frame.show import Show

_COLUMNS = ("own", "others", "reports", "account", "research", "plan", "risk", "decision")
_STOCK = {  # s sees, w writes, x sealed, - is not there yet
    "analyst": "wxwxxxxx",
    "memory": "xxwxxxxx",
    "fusion": "xxssx-x-",
    "research": "xxsxwwxx",
    "risk": "xxxsxsww",
    "trader": "xxxsxsxs",
    "you": "ssssssss",
}
_INDEX_COLUMNS = ("own", "others", "reports", "advice")
_INDEX = {"analyst": "wxwx", "memory": "xxwx", "fusion": "xxs-", "advisor": "wxsw", "you": "ssss"}
_LOOK = {"s": "r", "w": "w", "x": "x", "-": "nil"}
_WORD = {"s": "eq_sees", "w": "eq_writes", "x": "eq_is_sealed", "-": "eq_not_yet"}


@of_equities
def sight_panel(view: EquityView, facts: EquityFacts, show: Show) -> Markup:
    """Return the table of either preset, its key, and how many private states were discarded; nothing before the account is known, whose
    cards would push it away."""
    if not facts.account and view.ending is None:
        return NOTHING
    say = show.say
    columns, rows = (_INDEX_COLUMNS, _INDEX) if view.is_index else (_COLUMNS, _STOCK)
    top = joined(markup('<th scope="col"><span>{}</span></th>', say(f"eq_see_{name}")) for name in columns)
    body = joined((_row(name, marks, show) for name, marks in rows.items()))
    title = say("eq_sight_title")
    grid = markup('<table class="tb-see"><thead><tr><td></td>{}</tr></thead><tbody>{}</tbody></table>', top, body)
    key = joined(markup("<span>{} {}</span>", eye(_LOOK[mark]), say(_WORD[mark])) for mark in ("s", "w", "x"))
    over = sum(view.node(name).ended for name in facts.analysts)
    foot = markup('<p class="tb-lab">{}</p>', say("eq_discarded", n=over))
    inner = markup('<div class="tb-scroll" tabindex="0">{}</div><div class="tb-key">{}</div>{}', grid, key, foot)
    return card(head(heading(title)), inner, label=title)


def _row(name: str, marks: str, show: Show) -> str:
    say = show.say
    boxes = joined(markup('<td>{}<span class="tb-sr">{}</span></td>', eye(_LOOK[mark]), say(_WORD[mark])) for mark in marks)
    return markup("<tr><td>{}</td>{}</tr>", say(f"eq_layer_{name}"), boxes)
