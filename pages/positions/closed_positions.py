"""Positions that are over: what was argued for each, against what came of it. HTML, without streamlit."""

import re
from collections.abc import Sequence

from markupsafe import Markup

from engine.api import ClosedPosition
from engine.domain.holding import NATURES
from pages.frame import numbers
from pages.frame.cards import label, titled
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.positions.position_money import after_costs, coloured, r_text, side_word
from pages.trading.account_names import account_name
from pages.trading.answered import run_link

MOST = 20
_CORRECTED = re.compile(r" ?\[(?:corrected|已更正)\]")


def closed_panel(found: Sequence[ClosedPosition], show: Show) -> Markup:
    """Return the newest, one below the other."""
    say, title = show.say, show.say("closed_positions")
    if not found:
        return titled(title, markup('<p class="tb-muted">{}</p>', say("closed_none")))
    left = len(found) - MOST
    more = markup('<p class="tb-muted">{}</p>', say("closed_more", n=left)) if left > 0 else ""
    return titled(title, joined(_article(each, show) for each in found[:MOST]), more, beside=label("", str(len(found))))


def _article(closed: ClosedPosition, show: Show) -> Markup:
    say, record, step = show.say, closed.record, closed.price_step
    name = run_link(closed.run_id, record.symbol, show) if closed.run_id is not None else markup("{}", record.symbol)
    exit_price = numbers.price(float(record.exit_price), step) if record.exit_price is not None else say("not_known")
    assert record.closed_at is not None
    held_s = (record.closed_at - record.opened_at).total_seconds()
    top = markup(
        '<div class="row"><b class="sym">{}</b><b>{}</b><span class="sp"></span>{} {}</div>',
        name,
        side_word(record.sign, show),
        coloured(record.result, closed.currency),
        label(after_costs(record, show), r_text(record.in_r(record.result))),
    )
    facts = [
        (say("entry_exit"), f"{numbers.price(float(record.entry_price), step)} → {exit_price}"),
        (say("ended_by"), _ended(closed, show)),
        (say("planned_came"), f"{r_text(closed.planned_r) or numbers.DASH} → {r_text(record.in_r(record.result)) or numbers.DASH}"),
        (say("in_account"), account_name(record.account, show)),
        (say("held_for"), f"{numbers.age(held_s)} · {numbers.clock(record.opened_at)} – {numbers.clock(record.closed_at)}"),
        (say("fees"), numbers.number(float(record.fees), 2)),
        _carry(closed, show),
    ]
    row = joined(markup("<span>{} <b>{}</b></span>", name, value) for name, value in facts)
    words = markup("<p>{}</p>", _said(closed.thesis)) if closed.thesis else markup('<p class="tb-muted">{}</p>', say("nothing_argued"))
    argued = markup('<div class="argued"><span class="tb-lab">{}</span>{}</div>', say("argued_then"), words)
    return markup('<article class="tb-closed">{}<div class="facts">{}</div>{}</article>', top, row, argued)


def _said(thesis: str) -> Markup:
    """Return the words it was entered with: what grounding struck out is struck out, and what is so comes after it."""
    parts = _CORRECTED.sub("", thesis).split("~~")
    return joined(markup("<del>{}</del>", part) if index % 2 and len(parts) % 2 else markup("{}", part) for index, part in enumerate(parts))


def _carry(closed: ClosedPosition, show: Show) -> tuple[str, str]:
    """Return what holding it paid: funding, or dividends of shares."""
    record, say = closed.record, show.say
    if NATURES[record.instrument].paid_in_full:
        return say("dividends"), numbers.signed(float(record.dividends), 2)
    return say("funding_paid"), numbers.signed(float(record.funding), 2) if record.funding is not None else say("not_known")


def _ended(closed: ClosedPosition, show: Show) -> str:
    if closed.closed_by:
        return show.say("ended_hand" if closed.by_hand else "ended_signed", who=closed.closed_by)
    return show.say(f"ended_{closed.record.ended}")
