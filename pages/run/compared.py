"""What two runs of whatever flows have side by side: when and what they were asked, and the words in which they differ. HTML, without
streamlit.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final
from urllib.parse import urlencode

from markupsafe import Markup

from engine.domain.run import RunRecord
from pages.frame import json_fields, numbers
from pages.frame.cards import card, chip, head, heading, label, message, table
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show
from pages.run.node_state import prompted_roles
from pages.run.run_list import pair_row
from pages.run.view import RunView, Turn

_PIECES: Final = re.compile(r"\s+|[\u3400-\u9fff]|[^\W\u3400-\u9fff]+|[^\w\s]")
_SHORT: Final = slice(7, 15)  # of `sha256:...`
_MOST_MARKED: Final = 12_000  # characters of a text whose differences are looked for
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
    rows = [
        pair_row(say("col_subject"), one.subject, other.subject),
        pair_row(say("col_flow"), one.flow, other.flow),
        pair_row(say("compare_asked"), _second(first), _second(second)),
        pair_row(say("compare_clock"), numbers.stamp(one.market_clock), numbers.stamp(other.market_clock)),
    ]
    mine, others = one.model_dump(mode="json"), other.model_dump(mode="json")
    for name, word in _ASKED.items():
        if name in mine or name in others:
            rows.append(pair_row(say(word), _value(mine, name), _value(others, name)))
    if any(hashes := [str((record.result or {}).get("prompts_hash") or "") for record in (first, second)]):
        rows.append(pair_row(say("prompts"), *(name[_SHORT] or numbers.DASH for name in hashes)))
    if any(disputed):
        rows.append(pair_row(say("compare_disputed"), *map(numbers.number, disputed)))
    heads = ((say("figure"), False), (first.run_id, False), (second.run_id, False))
    link = markup('<a href="{}" target="_self">{}</a>', comparison_address(first.run_id, second.run_id, show), say("compare_link"))
    title = say("compare")
    changed = say("mind_prompts", roles=prompted_roles(prompts_changed, show)) if prompts_changed else ""
    note = markup('<p class="tb-changed tb-warned">! {}</p>', changed) if changed else ""
    return warned + card(head(heading(title), link), table(heads, rows, "tb-pair"), note, label=title)


def _second(record: RunRecord) -> str:
    return record.created_at.strftime("%Y-%m-%d %H:%M:%S UTC")


def _value(fields: json_fields.Fields, name: str) -> str:
    value = fields.get(name)
    return numbers.DASH if value is None else str(value)


def compared_words(first: RunView, second: RunView, show: Show) -> Markup:
    """Return what every role said in either run, those first whose words differ, with the words that do marked in both; "" where nobody
    has said anything."""
    say = show.say
    roles = list(dict.fromkeys([*_roles(first), *_roles(second)]))
    said = [(role, _text(first, role), _text(second, role)) for role in _in_order(roles, show)]
    differing = [(role, one, other) for role, one, other in said if one != other]
    if not said:
        return Markup()
    blocks = joined(_block(role, one, other, show) for role, one, other in differing)
    same = len(said) - len(differing)
    count = label(say("compare_same", n=same, of=len(said)))
    title = say("compare_words")
    return card(head(heading(title), count), blocks or markup("<p>{}</p>", say("compare_all_same")), label=title)


def _roles(view: RunView) -> list[str]:
    return [node.side for node in view.nodes.values() if node.text and not node.is_reader]


def _in_order(roles: list[str], show: Show) -> list[str]:
    """Return roles as they are listed everywhere, others behind them as they spoke."""
    listed = list(show.titles)
    return sorted(roles, key=lambda role: listed.index(role) if role in listed else len(listed))


def _text(view: RunView, role: str) -> str:
    return "\n".join(node.text for node in view.nodes.values() if node.side == role and _speaks(node)).strip()


def _speaks(node: Turn) -> bool:
    return bool(node.text)


def _block(role: str, one: str, other: str, show: Show) -> Markup:
    left, right = marked_words(one, other)
    nothing = markup('<p class="tb-muted">{}</p>', show.say("compare_silent"))
    columns = joined(markup('<div class="txt">{}</div>', words if text else nothing) for words, text in ((left, one), (right, other)))
    return markup(
        '<details class="tb-words"><summary>{} <span class="tb-muted">{}</span></summary><div class="two">{}</div></details>',
        chip(role, show),
        show.say("compare_changed", n=left.count("<mark>") + right.count("<mark>")),
        columns,
    )


def marked_words(one: str, other: str) -> tuple[Markup, Markup]:
    """Return two texts with the words that only one of them has marked in it. Texts beyond all measure are returned as they are."""
    if len(one) > _MOST_MARKED or len(other) > _MOST_MARKED or not one or not other:
        return plain(one), plain(other)
    first, second = _PIECES.findall(one), _PIECES.findall(other)
    left: list[Markup] = []
    right: list[Markup] = []
    for kind, a, b, c, d in SequenceMatcher(None, first, second).get_opcodes():
        for parts, found in ((left, first[a:b]), (right, second[c:d])):
            text = "".join(found)
            parts.append(plain(text) if kind == "equal" or not text.strip() else markup("<mark>{}</mark>", text))
    return joined(left), joined(right)
