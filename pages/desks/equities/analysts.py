"""The analysts, each behind its own wall: what it wrote, what it asked for and what came back, growing while it works; and the memory of
each, as it was read and as it was written."""

import json
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

from markupsafe import Markup
from pydantic import JsonValue

from engine.domain.text.visible import shortened
from pages.desks.equities.equity_view import AGAIN, EquityOpening, EquityView
from pages.desks.equities.pieces import NOTHING, direction, marked, of_equities, who
from pages.frame import json_fields, numbers
from pages.frame.cards import card, cell, head, heading, label, skeleton, table, tint
from pages.frame.escape import joined, markup, plain
from pages.frame.json_fields import Fields
from pages.frame.show import Show
from pages.run.states import node_state, state
from pages.run.view import Call, Turn

_ENVELOPE: Final = re.compile(r"</?said\b[^>]*>|<[^<>]*$")
"""The marks around others' words in what a model was told, one that was cut off at the end included."""
_MOST_ARGUMENTS: Final = 90


@of_equities
def analysts_panel(view: EquityView, facts: EquityOpening, show: Show) -> Markup:
    """Return a wall an analyst, in order; an advisor has a room of its own, and its trail is here."""
    keys = facts.analysts
    walls = joined(_wall(key, view, facts, show) for key in keys)
    title = show.say("eq_analysts_title")
    top = head(heading(title), label(_counts(view, show)))
    return card(top, markup('<div class="tb-par">{}</div>', walls), label=title)


def _counts(view: EquityView, show: Show) -> str:
    """Return `12 calls asked · 10 executed · 1 answered from the first · 1 stopped by the breaker`."""
    say, asked = show.say, [call for turn in view.turns for call in turn.calls]
    parts = [
        say("eq_calls_asked", n=len(asked)),
        say("eq_calls_sent", n=sum(trace.executed for trace in asked)),
    ]
    for key, count in (
        ("eq_calls_repeated", sum(each.repeat for each in asked)),
        ("eq_calls_refused", sum(each.refused for each in asked)),
    ):
        parts += [say(key, n=count)] if count else []
    return " · ".join(parts)


def _wall(key: str, view: EquityView, facts: EquityOpening, show: Show) -> Markup:
    tries = [name for name in (key, f"{key}{AGAIN}") if name in view.nodes]
    trail = view.calls_of(*tries)
    speech = next((found for name in reversed(tries) if (found := view.last_by(name)) is not None), None)
    reused = speech is not None and json_fields.words(speech.result, "status") == "reused"
    top = markup('<div class="row">{}{}</div>', who(key, show), _state(key, tries, view, show, reused=reused))
    count = markup(
        '<div class="row pips">{}{}</div>', _pips(key, trail, facts, speech, show), direction(speech.result, show) if speech else NOTHING
    )
    report = markup('<div class="tb-rep" tabindex="0">{}</div>', _report(key, speech, view, show, reused=reused))
    calls = _trail(trail, facts, show) if trail or not reused else _none(show)
    return markup('<section class="{}" aria-label="{}">{}{}{}{}</section>', tint(key), show.name(key), top, count, report, calls)


def _state(key: str, tries: Sequence[str], view: EquityView, show: Show, *, reused: bool) -> Markup:
    if reused:
        return state("done", show.say("eq_reused"))
    again = len(tries) == 2
    shown = node_state(view.turn(tries[-1] if tries else key), show, view)
    return markup('{}<span class="tb-lab tb-warned">↻ {}</span>', shown, show.say("eq_second_try")) if again else shown


def _pips(key: str, trail: Sequence[Call], facts: EquityOpening, speech: Turn | None, show: Show) -> Markup:
    """Return a box for every call that the breaker allows, filled for those that were executed; and whether it tripped."""
    say, most = show.say, facts.tool_limit
    used = sum(trace.executed for trace in trail)
    tripped = speech is not None and json_fields.flag(speech.result, "breaker")
    if not most:
        return label(say("eq_calls_sent", n=used))
    boxes = joined(markup('<span class="{}"></span>', "y" if index < used else "e") for index in range(min(most, 20)))
    words = say("eq_n_of", n=used, of=most)
    spoken = markup(
        '<span class="tb-pips {}" role="img" aria-label="{}">{}</span>', tint(key), say("eq_n_of_calls", n=used, of=most), boxes
    )
    said = (
        markup('<b class="tb-few">■ {} {}/{}</b>', say("eq_breaker"), used, most)
        if tripped
        else markup('<span class="tb-lab">{}</span>', words)
    )
    return markup("{}{}", spoken, said)


def _report(key: str, speech: Turn | None, view: EquityView, show: Show, *, reused: bool) -> Markup:
    if reused:
        held = json_fields.inner(view.memory_read.get(key, {}), "today")
        text = json_fields.words(held, "text") or ""
        made = " ".join(part for part in (json_fields.words(held, "trade_date"), _session(held, show)) if part)
        said = markup('<p class="tb-muted">{}</p>', show.say("eq_reused_of", when=made))
        return markup("{}{}", said, marked(Turn(key, state="done", texts={1: text}), view, show))
    if speech is None or speech.state == "waiting":
        return skeleton(90, 70, 80)
    if speech.state in ("abstained", "failed"):
        reason = markup('<p class="tb-bad">{}</p>', show.translated(speech.trouble)) if speech.trouble else NOTHING
        without = markup('<p class="tb-muted">{}</p>', show.say("eq_degraded")) if not view.not_valid_because else NOTHING
        return reason + without
    reason = (
        markup('<p class="tb-muted">{}</p>', show.translated(speech.trouble)) if speech.state == "retrying" and speech.trouble else NOTHING
    )
    return markup("{}{}", reason, marked(speech, view, show)) if speech.words or speech.state == "running" else skeleton(90, 70, 80)


def _session(fields: json_fields.Fields, show: Show) -> str:
    session = json_fields.words(fields, "trading_session")
    return show.say(f"eq_{session}") if session in ("pre_open", "post_close") else ""


def _none(show: Show) -> Markup:
    words = show.say("eq_no_call")
    return markup('<div class="tb-trail"><span class="n"></span><span class="call"><b>{}</b></span><span class="ms"></span></div>', words)


def _trail(trail: Sequence[Call], facts: EquityOpening, show: Show) -> Markup:
    rows, number = [], 0
    first: dict[tuple[str, str], int] = {}
    for trace in trail:
        if trace.executed:
            number += 1
            first.setdefault(_key(trace), number)
        rows.append(_row(trace, number, first, facts, show))
    return markup('<div class="tb-trail" role="list" aria-label="{}">{}</div>', show.say("eq_trail"), joined(rows))


def _row(trace: Call, number: int, first: dict[tuple[str, str], int], facts: EquityOpening, show: Show) -> Markup:
    say = show.say
    sign = "■" if trace.refused else "=" if trace.repeat else str(number) if trace.executed else "○"
    took = numbers.seconds(trace.ms / 1000) if trace.ms is not None and not trace.repeat else ""
    call = markup("<b>{}</b> <span>{}</span>", trace.tool, _shown(trace.arguments))
    if trace.refused:
        css_class, words = "obs cut", f"■ {say('eq_refused', n=facts.tool_limit)}"
    elif trace.repeat:
        css_class, words = "obs", say("eq_same_as", n=first.get(_key(trace), 1))
    elif trace.error is not None:
        css_class, words = "obs bad", f"✕ {say('eq_error_told', error=show.translated(trace.error))}"
    elif not trace.answered:
        css_class, words = "obs", say("waiting")
    else:
        css_class, words = "obs", _preview(trace.preview)
    head_ = markup('<span class="n">{}</span><span class="call" title="{}">{}</span>', sign, _shown(trace.arguments), call)
    return markup('<div role="listitem">{}<span class="ms">{}</span><span class="{}">{}</span></div>', head_, took, css_class, words)


def _key(call: Call) -> tuple[str, str]:
    """Return what makes two calls the same."""
    return call.tool, json.dumps(call.arguments, sort_keys=True)


def _shown(arguments: JsonValue) -> str:
    """Return `days 20, group all`: names and values, shortened."""
    text = str(arguments or "")
    if isinstance(arguments, dict):
        values = {name: each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for name, each in arguments.items()}
        text = ", ".join(f"{name} {each}" for name, each in values.items())
    line = " ".join(text.split())
    return line if len(line) <= _MOST_ARGUMENTS else f"{line[: _MOST_ARGUMENTS - 1]}…"


def _preview(text: str) -> str:
    """Return what came back on one line, shortened, without the marks that tell a model whose words they are."""
    line = " · ".join(part for each in _ENVELOPE.sub("", text).splitlines() if (part := each.strip()))
    return shortened(line, 160)


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
    rows = [_memory_row(key, view, show) for key in keys]
    heads = ((say("eq_col_analyst"), False), (say("eq_col_today"), False), (say("eq_col_pre"), False), (say("eq_col_post"), False))
    fresh = sum(f"{key}.report" in view.memory_written for key in keys)
    count = label(say("eq_paid_for", n=fresh, of=len(keys))) if view.ending else NOTHING
    foot = markup('<p class="tb-lab">{}</p>', say("eq_memory_foot", at=show.stamp(facts.at)))
    return card(head(heading(title), count), table(heads, rows), _changed(keys, view, show), foot, label=title)


def _memory_row(key: str, view: EquityView, show: Show) -> list[Markup]:
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
