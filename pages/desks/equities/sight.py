"""Who could see what: of every layer, what its roles were sent, by the record of the run, what it wrote, and what it was not sent."""

from collections.abc import Mapping

from markupsafe import Markup

from pages.desks.equities.equity_view import ADVISOR, AGAIN, ROOMS, EquityOpening, EquityView
from pages.desks.equities.pieces import NOTHING, eye, of_equities, room_entrance
from pages.frame import json_fields, numbers
from pages.frame.cards import card, head, heading
from pages.frame.escape import joined, markup
from pages.frame.show import Show

_KINDS: Mapping[str, tuple[str, ...]] = {
    "calls": ("calls",),
    "memory": ("memory",),
    "reports": ("reports", "summaries"),
    "account": ("account", "positions"),
    "research": ("research",),
    "plan": ("plan",),
    "risk": ("risk",),
    "decision": ("decision",),
    "advice": ("advice",),
}
"""Column -> the kinds of parts that a message can have (`sent_parts` of the engine)."""
_COLUMNS = ("calls", "memory", "reports", "account", "research", "plan", "risk", "decision")
_INDEX_COLUMNS = ("calls", "memory", "reports", "research", "advice")
_WRITES = {"analyst": ("reports",), "research": ("research", "plan"), "risk": ("risk", "decision"), "advisor": ("advice",)}
_LOOK = {"s": "r", "w": "w", "x": "x", "-": "nil", "?": "nil"}
_WORD = {"s": "eq_sees", "w": "eq_writes", "x": "eq_is_sealed", "-": "eq_not_yet", "?": "eq_not_recorded"}


def layers_of(view: EquityView) -> dict[str, tuple[str, ...]]:
    """Return layer -> the nodes of its roles."""
    analysts = tuple(node for key in view.analysts for node in (key, f"{key}{AGAIN}"))
    if not view.is_index:
        return {"analyst": analysts, **ROOMS, "trader": ("trader",)}
    return {"analyst": analysts, **view.rooms, "advisor": (ADVISOR, f"{ADVISOR}{AGAIN}")}


def sent_to(view: EquityView, layer: str) -> dict[str, float] | None:
    """Return what the roles of a layer were sent, the most that one of them was; None if no role was asked or the log does not say."""
    nodes = layers_of(view)[layer]
    begun = (turn.began_with for turn in view.said_by(*nodes))
    messages = [json_fields.numbers(fields, "sent") for fields in begun if isinstance(fields.get("sent"), dict)]
    if not messages:
        return None
    called = len(view.calls_of(*nodes))
    kinds = {kind for sent in messages for kind in sent}
    return {kind: max(sent.get(kind, 0) for sent in messages) for kind in sorted(kinds)} | ({"calls": called} if called else {})


def entrance(view: EquityView, facts: EquityOpening, layer: str, show: Show) -> Markup:
    """Return what the roles of a room were sent, and what there was that they were not sent."""
    say, sent = show.say, sent_to(view, layer)
    own = _WRITES[layer]
    seen = [say(f"eq_sent_{kind}", n=numbers.number(count)) for kind, count in (sent or {}).items() if kind not in own]
    columns = _INDEX_COLUMNS if view.is_index else _COLUMNS
    sealed = [say(f"eq_see_{name}") for name in columns if _mark(view, facts, layer, name) == "x"]
    return room_entrance(" · ".join(seen) or numbers.DASH, " · ".join(sealed) or numbers.DASH, show)


@of_equities
def sight_panel(view: EquityView, facts: EquityOpening, show: Show) -> Markup:
    """Return the table of either preset, its key, and how many private states were discarded; nothing before the account is known, whose
    cards would push it away."""
    if not facts.account and view.ending is None:
        return NOTHING
    say = show.say
    columns = _INDEX_COLUMNS if view.is_index else _COLUMNS
    top = joined(markup('<th scope="col"><span>{}</span></th>', say(f"eq_see_{name}")) for name in columns)
    marks = {layer: [_mark(view, facts, layer, name) for name in columns] for layer in layers_of(view)}
    marks["you"] = ["s" if _exists(view, facts, name) else "-" for name in columns]
    body = joined((_row(name, row, show) for name, row in marks.items()))
    title = say("eq_sight_title")
    grid = markup('<table class="tb-see"><thead><tr><td></td>{}</tr></thead><tbody>{}</tbody></table>', top, body)
    key = joined(markup("<span>{} {}</span>", eye(_LOOK[mark]), say(_WORD[mark])) for mark in ("s", "w", "x"))
    over = sum(view.turn(name).ended for name in facts.analysts)
    foot = markup('<p class="tb-lab">{}</p>', say("eq_discarded", n=over))
    inner = markup('<div class="tb-scroll" tabindex="0">{}</div><div class="tb-key">{}</div>{}', grid, key, foot)
    return card(head(heading(title)), inner, label=title)


def _mark(view: EquityView, facts: EquityOpening, layer: str, column: str) -> str:
    """Return `s` for what a layer was sent, `w` for what it wrote, `x` for what there is and it was not sent, `-` for what is not there yet
    or before it is asked, `?` where the log does not say."""
    exists = _exists(view, facts, column)
    if exists and column in _WRITES.get(layer, ()):
        return "w"
    if not view.said_by(*layers_of(view)[layer]):
        return "-"
    sent = sent_to(view, layer)
    if sent is None:
        return "?"
    if any(kind in sent for kind in _KINDS[column]):
        return "s"
    return "x" if exists else "-"


def _exists(view: EquityView, facts: EquityOpening, column: str) -> bool:
    """Return whether a run has something of a column by now."""
    if column == "calls":
        return any(turn.calls for turn in view.turns)
    if column == "memory":
        return any(held.get("newest") for held in view.memory_read.values())
    if column == "reports":
        return any(view.turn(name).state == "done" for name in layers_of(view)["analyst"])
    if column == "account":
        return bool(facts.account)
    if column in ("plan", "decision", "advice"):
        judge = {"plan": "research_manager", "decision": "risk_judge", "advice": ADVISOR}[column]
        return view.turn(judge).state == "done" or (column == "advice" and view.turn(f"{ADVISOR}{AGAIN}").state == "done")
    return bool(view.said_by(*ROOMS[column]))


def _row(name: str, marks: list[str], show: Show) -> str:
    say = show.say
    boxes = joined(markup('<td>{}<span class="tb-sr">{}</span></td>', eye(_LOOK[mark]), say(_WORD[mark])) for mark in marks)
    return markup("<tr><td>{}</td>{}</tr>", say(f"eq_layer_{name}"), boxes)
