"""The timeline: when every node of the run waited, wrote and ended, on one axis of time, with its tokens and its cost."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from markupsafe import Markup

from pages.frame import numbers
from pages.frame.cards import card, chip, head, heading, label, share, table, tint
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.states import clock_of, retries, speaker
from pages.run.view import RunView, Turn

Piece = tuple[str, datetime, datetime]
"""What was going on (`queue`, `wait`, `write`, `pause`), from when, to when."""

_KEY = ("queue", "wait", "write", "pause")


def timeline_panel(view: RunView, show: Show) -> Markup:
    """Return a row a node, in the order of their starts; those of one stage that began together as they are listed everywhere. Nothing
    before the first has started."""
    say, now = show.say, clock_of(view, show)
    nodes = in_order(view, list(show.titles))
    if not nodes or now is None or view.started_at is None:
        return Markup()
    begin, end = view.started_at, max(now, *(node.ended_at or now for node in nodes))
    rows = [_row(view.said_by(node.name), begin, end, show) for node in nodes]
    axis = f"0 – {numbers.seconds((end - begin).total_seconds())}"
    heads = ((say("tl_node"), False), (axis, False), *((say(name), True) for name in ("tl_first", "col_took", "col_tokens", "col_money")))
    key = joined(markup('<span class="k"><i class="{}"></i>{}</span>', kind, say(f"tl_{kind}")) for kind in _KEY)
    return card(
        head(heading(say("timeline")), _sums(nodes, show)),
        markup('<div class="tb-tl">{}</div><div class="tb-key tb-tl-key">{}</div>', table(heads, rows), key),
        label=say("timeline"),
    )


def _sums(nodes: list[Turn], show: Show) -> Markup:
    usages = [node.usage for node in nodes if node.usage is not None]
    tokens = sum(usage.prompt_tokens + usage.completion_tokens for usage in usages)
    costs = [usage.cost for usage in usages]
    known = [cost for cost in costs if cost is not None]
    money = numbers.number(sum(known), 4) if known and len(known) == len(costs) and any(known) else ""
    shown = [label(show.say("col_tokens"), numbers.number(tokens))] if tokens else []
    return joined(shown + ([label(show.say("col_money"), money)] if money else []))


def _row(rounds: Sequence[Turn], begin: datetime, end: datetime, show: Show) -> list[Markup]:
    """Return the row of a node. rounds: its turns."""
    node = rounds[-1]
    usage, spent = node.usage, sum(turn.seconds(end) or 0.0 for turn in rounds)
    parts = [piece for turn in queued_apart(rounds) for piece in pieces(turn, end)]
    description = " · ".join(f"{show.say(f'tl_{kind}')} {numbers.seconds((to - at).total_seconds())}" for kind, at, to in parts)
    bars = joined(_bar(node, piece, begin, end) for piece in parts)
    again = markup(' <span class="tb-muted">{}</span>', retries(len(node.retries), show.say)) if node.retries else ""
    first = (node.first_token_at - node.started_at).total_seconds() if node.first_token_at and node.started_at else None
    cells = (
        numbers.seconds(first) if first is not None and first >= 0 else numbers.DASH,
        numbers.seconds(spent),
        f"{numbers.number(usage.prompt_tokens)} → {numbers.number(usage.completion_tokens)}" if usage else numbers.DASH,
        numbers.number(usage.cost, 4) if usage and usage.cost else numbers.DASH,
    )
    track = markup(
        '<td class="track"><div class="bars" role="img" aria-label="{}" title="{}">{}</div></td>', description, description, bars
    )
    return [
        markup("<td>{}{}</td>", chip(speaker(node.name), show), again),
        track,
        *(markup('<td class="r">{}</td>', text) for text in cells),
    ]


def queued_apart(rounds: Sequence[Turn]) -> list[Turn]:
    """Return the rounds of a node, each with what it alone has queued."""
    found, queued = [], 0.0
    for turn in rounds:
        usage = turn.usage
        found.append(replace(turn, usage=usage.model_copy(update={"queued_ms": usage.queued_ms - queued})) if usage else turn)
        queued = usage.queued_ms if usage else queued
    return found


def pieces(node: Turn, end: datetime) -> list[Piece]:
    """Return what the node did, without gaps, from its start to its end (to `end` while it runs)."""
    at, last = node.started_at, node.ended_at or end
    if at is None:
        return []
    queued = min(at + timedelta(milliseconds=node.usage.queued_ms if node.usage else 0.0), last)
    found: list[Piece] = [("queue", at, queued)]
    at = queued
    for attempt, retry in enumerate((*node.retries, None), node.retries[0].attempt - 1 if node.retries else node.attempt):
        until = last if retry is None else max(at, min(retry.at, last))
        heard = at if _is_code(node) else max(at, min(node.first_tokens.get(attempt, until), until))
        found += [("wait", at, heard), ("write", heard, until)]
        if retry is not None:
            at = min(until + timedelta(seconds=retry.wait_s), last)
            found.append(("pause", until, at))
    return [piece for piece in found if piece[2] > piece[1]]


def in_order(view: RunView, listed: list[str]) -> list[Turn]:
    """Return the newest turn of each node that has started, by the nodes' starts. Those of the analysis began at once, to a few
    milliseconds: they stand in the places that they have taken together as they are listed. listed: roles."""
    place = {role: index for index, role in enumerate(listed)}
    first = {turn.name: turn.started_at.timestamp() for turn in reversed(view.turns) if turn.started_at}
    found = sorted((node for node in view.nodes.values() if node.started_at), key=lambda node: (first[node.name], node.name))
    together = [index for index, node in enumerate(found) if node.stage == "analysis" and node.side in place]
    for index, node in zip(together, sorted((found[index] for index in together), key=lambda node: place[node.side]), strict=True):
        found[index] = node
    return found


def _is_code(node: Turn) -> bool:
    """Consensus and grounding are worked out, not written: they wait for nobody."""
    return node.name == "aggregator" or node.name.endswith("grounding")


def _bar(node: Turn, piece: Piece, begin: datetime, end: datetime) -> Markup:
    kind, at, to = piece
    span = max((end - begin).total_seconds(), 1e-3)
    left = 100 * (at - begin).total_seconds() / span
    width = max(100 * (to - at).total_seconds() / span, 0.4)
    bad = " bad" if kind == "write" and node.state in ("failed", "abstained") else ""
    return markup(
        '<span class="{} {}{}" style="left:{}%;width:{}%"></span>',
        tint(speaker(node.name)),
        kind,
        bad,
        share(left),
        share(min(width, 100 - left)),
    )
