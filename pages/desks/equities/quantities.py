"""How many shares each of the risk debate asks for, on one axis with the largest order that code allows."""

import re
from collections.abc import Sequence

from markupsafe import Markup

from pages.desks.equities.equity_view import EquityOpening, EquityView
from pages.desks.equities.pieces import NOTHING
from pages.frame import json_fields, numbers
from pages.frame.cards import chip, share
from pages.frame.escape import joined, markup
from pages.frame.show import Show

_SHARES = re.compile(r"(?<![\d.,])(?P<n>\d{1,3}(?:,\d{3})+|\d{1,9})\s*(?:shares?\b|股(?!本|价|东|票|息|权))", re.IGNORECASE)
_WHO = ("safe", "neutral", "risky", "risk_judge")
_NEAR = 6.0  # percent of the axis: marks that are nearer cover one another on a phone
_ROOM = 0.94  # of the axis: a mark at its very end would stand outside


def shares_named(text: str) -> int | None:
    """Return the first number of shares in somebody's words, None where they name none: debaters close with no block."""
    found = _SHARES.search(text)
    return int(found["n"].replace(",", "")) if found else None


def quantity_axis(view: EquityView, facts: EquityOpening, show: Show) -> Markup:
    """Return the axis: filled marks are what is asked for last, hollow ones what was asked for first; hatched is what code cuts off the
    ruling. Nothing before anybody has named a number."""
    asked: dict[str, tuple[float, float]] = {}
    for who in _WHO[:-1]:
        named = [shares for speech in view.said_by(who) if (shares := shares_named(speech.words)) is not None]
        if named:
            asked[who] = float(named[0]), float(named[-1])
    ruled = json_fields.number(view.turn("risk_judge").result, "quantity")
    if ruled:
        asked["risk_judge"] = ruled, ruled
    price = json_fields.number(view.order, "price") or facts.price
    allowed = facts.shares(facts.largest_order.value, price)
    if not asked and not allowed:
        return NOTHING
    most = max([*(each for pair in asked.values() for each in pair), allowed or 0, 1])
    at = {who: (_scaled(first, most), _scaled(last, most)) for who, (first, last) in asked.items()}
    rows = rows_of([last for _, last in at.values()])
    marks = [_mark(who, *ends, asked[who][1], show, row) for (who, ends), row in zip(at.items(), rows, strict=True)]
    return markup(
        '<div class="tb-scale" role="img" aria-label="{}">{}{}{}</div><p class="tb-lab">{}</p>',
        _sentence(asked, allowed, show),
        _axis(allowed, ruled, most),
        _cap(allowed, ruled, most, show),
        joined(marks),
        show.say("eq_axis_key"),
    )


def rows_of(places: Sequence[float]) -> list[int]:
    """Return the row of each mark, from 0: the first one in which no mark before it is near. places: percent of the axis."""
    rows: list[list[float]] = [[] for _ in places]
    found = []
    for place in places:
        row = next(row for row, taken in enumerate(rows) if all(abs(place - other) >= _NEAR for other in taken))
        rows[row].append(place)
        found.append(row)
    return found


def _scaled(value: float, most: float) -> float:
    return 100 * value / most * _ROOM


def _axis(allowed: int | None, ruled: float | None, most: float) -> Markup:
    end = _scaled(allowed or 0, most)
    cut = ""
    if allowed is not None and ruled and ruled > allowed:
        cut = markup('<i class="cut" style="left:{}%;width:{}%"></i>', share(end), share(_scaled(ruled, most) - end))
    return markup('<span class="ax"><i style="width:{}%"></i>{}</span>', share(end), cut)


def _cap(allowed: int | None, ruled: float | None, most: float, show: Show) -> Markup:
    if allowed is None:
        return NOTHING
    words = show.say("eq_allowed_here", n=numbers.number(allowed))
    if ruled and ruled > allowed:
        words += f" · {show.say('eq_cut_by', n=numbers.number(ruled - allowed))}"
    left = _scaled(allowed, most)
    side = Markup(' class="back"') if left > 55 else NOTHING
    return markup('<span class="cap" style="left:{}%"><span{}>{}</span></span>', share(left), side, words)


def _mark(who: str, first: float, last: float, value: float, show: Show, row: int) -> Markup:
    """row: how many marks there are above this place already."""
    moved = ""
    if abs(first - last) > 0.5:
        start, width, side = (first, last - first, "left") if first < last else (last, first - last, "right")
        moved = markup('<span class="mv" style="left:{}%;width:{}%"><i style="{}:-4px"></i></span>', share(start), share(width), side)
    mark = markup('{}<b aria-hidden="true">{}</b>', chip(who, show, bare=True), numbers.number(value))
    return markup(
        '{}<span class="m{}" style="left:{}%">{}</span>',
        moved,
        (" low", " low two", " low two three")[row - 1] if row else "",
        share(last),
        mark,
    )


def _sentence(asked: dict[str, tuple[float, float]], allowed: int | None, show: Show) -> str:
    said = []
    for who, (first, last) in asked.items():
        shown = numbers.number(last) if first == last else f"{numbers.number(first)} → {numbers.number(last)}"
        said.append(f"{show.name(who)} {shown}")
    end = [show.say("eq_allowed_here", n=numbers.number(allowed))] if allowed is not None else []
    return "; ".join([show.say("eq_axis"), *said, *end])
