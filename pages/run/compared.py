"""What two runs of whatever flows have side by side: when and what they were asked, and what the roles said in both. HTML, without
streamlit.
"""

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from markupsafe import Markup

from engine.domain.run import RunRecord
from pages.frame import numbers
from pages.frame.cards import card, cell, chip, head, heading, label, message, table
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show
from pages.run.states import prompted_roles
from pages.run.view import RunView

_SHORT: Final = slice(7, 15)  # of `sha256:...`
_ASKED: Final = {
    "timeframe": "col_timeframe",
    "timeframe_htf": "asked_higher",
    "feed": "asked_feed",
    "model": "col_model",
    "language": "col_language",
    "seed": "asked_seed",
    "lies": "asked_lies",
    "depth": "asked_depth",
}
"""Field of a request -> the word for it."""


def comparison_address(first: str, second: str, show: Show) -> str:
    """Return the address that opens these two side by side, from any page of this server."""
    return f"./runs?{urlencode({'a': first, 'b': second, 'lang': show.language})}"


def compared_head(
    first: RunRecord, second: RunRecord, show: Show, disputed: tuple[int, int] = (0, 0), prompts_changed: Sequence[str] = ()
) -> Markup:
    """Return what the two were asked, what differs marked, with a warning where they are of different flows or about different markets.
    disputed: how many corrections of either are disputed. prompts_changed: nodes whose prompt was another."""
    say, one, other = show.say, first.request, second.request
    warned = Markup()
    if one.flow != other.flow:
        warned = message(say("compare_flows", one=one.flow, other=other.flow), say("compare_flows_do"))
    elif one.subject != other.subject:
        warned = message(say("compare_markets", one=one.subject[:80], other=other.subject[:80]), say("compare_markets_do"))
    names = [name for name in _ASKED if any(name in type(request).model_fields for request in (one, other))]
    mine, others = _asked(first, names, show), _asked(second, names, show)
    hashes = [str((record.result or {}).get("prompts_hash") or "") for record in (first, second)]
    if any(hashes):
        mine[say("prompts")], others[say("prompts")] = (name[_SHORT] or numbers.DASH for name in hashes)
    if any(disputed):
        mine[say("compare_disputed")], others[say("compare_disputed")] = map(numbers.number, disputed)
    link = markup('<a href="{}" target="_self">{}</a>', comparison_address(first.run_id, second.run_id, show), say("compare_link"))
    changed = say("mind_prompts", roles=prompted_roles(prompts_changed, show)) if prompts_changed else ""
    note = markup('<p class="tb-changed tb-warned">! {}</p>', changed) if changed else ""
    return warned + _compared(say("compare"), (first.run_id, second.run_id), mine, others, show, "tb-pair", link, note)


def compared_figures(first_id: str, second_id: str, first: Mapping[str, str], second: Mapping[str, str], show: Show) -> Markup:
    """Return what two runs of one flow came to. first, second: what everything that is compared is called, and how much it is."""
    return _compared(show.say("compare_came_to"), (first_id, second_id), first, second, show)


def _compared(
    title: str,
    run_ids: tuple[str, str],
    one: Mapping[str, str],
    other: Mapping[str, str],
    show: Show,
    css_class: str = "",
    link: str = "",
    note: str = "",
) -> Markup:
    rows = [_pair(name, one.get(name, numbers.DASH), other.get(name, numbers.DASH)) for name in dict.fromkeys((*one, *other))]
    heads = ((show.say("figure"), False), *((run_id, False) for run_id in run_ids))
    return card(head(heading(title), link), table(heads, rows, css_class), note, label=title)


def _pair(name: str, one: str, other: str) -> list[Markup]:
    """Return a row in which what differs is bold and carries a sign, so that colour is not needed."""
    differs = one != other
    shown = [markup("<b>{}</b>", text) if differs else plain(text) for text in (one, other)]
    return [cell(("≠ " if differs else "") + plain(name)), *map(cell, shown)]


def _asked(record: RunRecord, names: Sequence[str], show: Show) -> dict[str, str]:
    """Return what a run was asked, by what it is called. names: of the fields of its request."""
    say, request = show.say, record.request
    asked = {
        say("col_subject"): request.subject,
        say("col_flow"): request.flow,
        say("compare_asked"): record.created_at.strftime("%Y-%m-%d %H:%M:%S UTC"),
        say("compare_clock"): numbers.stamp(request.market_clock),
    }
    fields = request.model_dump(mode="json")
    return asked | {say(_ASKED[name]): numbers.DASH if fields.get(name) is None else str(fields[name]) for name in names}


def compared_words(first: RunView, second: RunView, show: Show) -> Markup:
    """Return what every role said in both runs, side by side, where it differs; "" where nobody has said anything."""
    say = show.say
    listed = list(show.titles)
    spoken = (node for view in (first, second) for node in view.nodes.values())
    roles = dict.fromkeys(node.side for node in spoken if node.text and not node.is_reader)
    ordered = sorted(roles, key=lambda role: listed.index(role) if role in listed else len(listed))  # others behind, as they spoke
    said = [(role, _text(first, role), _text(second, role)) for role in ordered]
    differing = [(role, one, other) for role, one, other in said if one != other]
    if not said:
        return Markup()
    blocks = joined(_block(role, one, other, show) for role, one, other in differing)
    same = len(said) - len(differing)
    count = label(say("compare_same", n=same, of=len(said)))
    title = say("compare_words")
    return card(head(heading(title), count), blocks or markup("<p>{}</p>", say("compare_all_same")), label=title)


def _text(view: RunView, role: str) -> str:
    return "\n".join(node.text for node in view.nodes.values() if node.side == role and node.text).strip()


def _block(role: str, one: str, other: str, show: Show) -> Markup:
    nothing = markup('<p class="tb-muted">{}</p>', show.say("compare_silent"))
    columns = joined(markup('<div class="txt">{}</div>', text or nothing) for text in (one, other))
    return markup('<details class="tb-words"><summary>{}</summary><div class="two">{}</div></details>', chip(role, show), columns)
