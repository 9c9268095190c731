"""The memory of every analyst, before this run and after it: the report of the day, the summary of before the open, that of the close."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from markupsafe import Markup

from pages.desks.equities.equity_view import EquityOpening, EquityView
from pages.desks.equities.pieces import NOTHING, of_equities, who
from pages.frame import json_fields, numbers
from pages.frame.cards import card, cell, head, heading, label, table
from pages.frame.escape import markup, plain
from pages.frame.json_fields import Fields
from pages.frame.show import Show

_MOST_WORDS = 90
_SAID = ("pre_open", "post_close", "BULLISH", "BEARISH", "NEUTRAL")


@of_equities
def memory_panel(view: EquityView, facts: EquityOpening, show: Show) -> Markup:
    """Return a row an analyst, and the newest summary with what changed in it; nothing before a memory was read."""
    say = show.say
    keys = [key for key in facts.analysts if key in view.memory_read or f"{key}.report" in view.memory_written]
    if not keys:
        return NOTHING
    title = say("eq_memory_title")
    rows = [_row(key, view, show) for key in keys]
    heads = ((say("eq_col_analyst"), False), (say("eq_col_today"), False), (say("eq_col_pre"), False), (say("eq_col_post"), False))
    fresh = sum(f"{key}.report" in view.memory_written for key in keys)
    count = label(say("eq_paid_for", n=fresh, of=len(keys))) if view.ending else NOTHING
    foot = markup('<p class="tb-lab">{}</p>', say("eq_memory_foot", at=show.stamp(facts.at)))
    return card(head(heading(title), count), table(heads, rows), _changed(keys, view, show), foot, label=title)


def _row(key: str, view: EquityView, show: Show) -> list[Markup]:
    held, say = view.memory_read.get(key, {}), show.say
    report, summary = view.memory_written.get(f"{key}.report"), view.memory_written.get(f"{key}.summary")
    before, close = json_fields.inner(held, "before_open"), json_fields.inner(held, "at_close")
    today = json_fields.inner(held, "today")
    is_open = json_fields.words(summary or {}, "trading_session") == "pre_open"
    first = _mark("✎", say("eq_new"), report, strong=True) if report is not None else _mark("=", say("eq_kept"), today)
    pre = _mark("✎", say("eq_updated"), summary, strong=True) if summary is not None and is_open else _mark("=", say("eq_kept"), before)
    post = _mark("✎", say("eq_updated"), summary, strong=True) if summary is not None and not is_open else _mark("=", say("eq_kept"), close)
    return [cell(who(key, show)), cell(first), cell(pre), cell(post)]


def _mark(sign: str, word: str, body: Fields | None, *, strong: bool = False) -> Markup:
    """Return whether it was made or kept, of which date and session, and its length; a dash where there is none."""
    if not body:
        return markup('<span class="tb-muted">{}</span>', numbers.DASH)
    text, day = json_fields.words(body, "text") or "", (json_fields.words(body, "trade_date") or "")[5:]
    named = markup("<b>{} {}</b>", sign, word) if strong else markup('<span class="tb-muted">{} {}</span>', sign, word)
    return markup('{}<br><span class="tb-lab">{} · {}</span>', named, day, len(text.split()) if " " in text else len(text))


def _changed(keys: Sequence[str], view: EquityView, show: Show) -> Markup:
    """Return the newest summary that this run made, with the words that left it struck and those that came into it marked."""
    for key in keys:
        now = view.memory_written.get(f"{key}.summary")
        if now is None:
            continue
        old = json_fields.words(json_fields.inner(view.memory_read.get(key, {}), "newest"), "text") or ""
        new = json_fields.words(now, "text") or ""
        session = json_fields.words(now, "trading_session") or ""
        when = show.say(f"eq_{session}") if session in ("pre_open", "post_close") else session
        top = markup("<b>{}, {}</b>", show.name(key), when)
        return markup('<div class="tb-diff" tabindex="0"><p>{}</p><p>{}</p></div>', top, _difference(old, new, show))
    return NOTHING


def _spoken(word: str, show: Show) -> str:
    """Return a word of a summary in the page's language, where it names a session or a view."""
    return show.say(f"eq_{word}") if word in _SAID else word


def _difference(old: str, new: str, show: Show) -> Markup:
    was, now = old.split()[-_MOST_WORDS:], new.split()[-_MOST_WORDS:]
    was, now = ([_spoken(word, show) for word in words] for words in (was, now))
    out: list[Markup] = []
    for kind, a, b, c, d in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        left, right = " ".join(was[a:b]), " ".join(now[c:d])
        if kind == "equal":
            out.append(plain(right))
            continue
        out += [markup("<del>{}</del>", left)] if left else []
        out += [markup("<ins>{}</ins>", right)] if right else []
    return Markup(" ").join(out)
