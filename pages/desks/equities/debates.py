"""The two closed rooms, the research debate and the risk debate: what each could see, what was said by round, what left it."""

import re
from collections.abc import Sequence

from markupsafe import Markup

from pages.claims.corrections import marks_key
from pages.desks.equities.equity_view import ADVISOR, AGAIN, ROOMS, EquityOpening, EquityView, role_of_node
from pages.desks.equities.pieces import NOTHING, action_text, marked, of_equities, room_exit, speech_state, who
from pages.desks.equities.sight import entrance
from pages.frame import json_fields, numbers
from pages.frame.cards import card, head, heading, label, skeleton, tint
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.states import state, unreached
from pages.run.view import Turn

_SHARES = re.compile(r"(?<![\d.,])(?P<n>\d{1,3}(?:,\d{3})+|\d{1,9})\s*(?:shares?\b|股(?!本|价|东|票|息|权))", re.IGNORECASE)


@of_equities
def research_panel(view: EquityView, facts: EquityOpening, show: Show) -> Markup:
    """Return the research debate; while it waits, whom for. Nothing of an index at depth 1: nobody debates."""
    if "research" not in view.rooms:
        return NOTHING
    say, speeches, rounds = show.say, view.said_by(*view.rooms["research"]), facts.depth - view.is_index
    title = say("eq_research_title", rounds=rounds, turns=2 * rounds)
    return _room(view, "research", title, speeches, entrance(view, facts, "research", show), show)


@of_equities
def risk_panel(view: EquityView, facts: EquityOpening, show: Show) -> Markup:
    """Return the risk debate; an index has none."""
    if view.is_index:
        return NOTHING
    say, speeches = show.say, view.said_by(*ROOMS["risk"])
    title = say("eq_risk_title", rounds=facts.depth, turns=3 * facts.depth)
    return _room(view, "risk", title, speeches, entrance(view, facts, "risk", show), show)


@of_equities
def advice_panel(view: EquityView, facts: EquityOpening, show: Show) -> Markup:
    """Return what the advisor of the index preset makes of the reports."""
    if not view.is_index or ADVISOR not in facts.analysts:
        return NOTHING
    say, speech = show.say, view.last_by(ADVISOR) or view.last_by(f"{ADVISOR}_again")
    inner = _speech(speech, view, show) if speech else _waits(view, show)
    body = markup('{}<div class="in">{}</div>', entrance(view, facts, "advisor", show), inner)
    return card(body, room_exit(say("eq_left_strategy"), say("eq_no_order"), show), css_class="tb-room")


def _room(view: EquityView, name: str, title: str, speeches: Sequence[Turn], entrance: Markup, show: Show) -> Markup:
    say, (*speakers, last) = show.say, ROOMS[name]
    right = marks_key(show) if any(each.claims for each in speeches) else NOTHING
    turns = [each for each in speeches if each.name != last]
    rounds = joined(_round(number, view, name, turns, show) for number in range(1, _rounds(turns, len(speakers)) + 1))
    judge = next((each for each in reversed(speeches) if each.name == last), None)
    ruling = NOTHING
    if not view.is_index:
        ruling = markup('<div class="tb-judge">{}</div>', _speech(judge, view, show) if judge else _idle(last, view, show))
    inner = rounds if turns else _waits(view, show)
    body = markup('{}<div class="in">{}{}{}</div>', entrance, head(heading(title), right), inner, ruling)
    left, over = say(f"eq_left_{name}"), judge is not None and judge.state == "done"
    if view.is_index:
        left, over = say("eq_left_index"), bool(view.said_by(ADVISOR, f"{ADVISOR}{AGAIN}"))
    tokens = sum(usage.prompt_tokens + usage.completion_tokens for each in speeches if (usage := each.usage) is not None)
    stayed = say("eq_stayed_n", n=len([each for each in speeches if each.words]), tokens=numbers.number(tokens))
    out = room_exit(left if over else say("eq_nothing_yet"), stayed, show)
    return card(body, out, label=title, css_class="tb-room")


def _rounds(turns: Sequence[Turn], speakers: int) -> int:
    return max((_round_of(each, speakers) for each in turns), default=0)


def _round_of(turn: Turn, speakers: int) -> int:
    """Return the round of a turn of the debate, from 1: turns are numbered over all speakers."""
    return -(-json_fields.count(turn.began_with, "turn") // speakers)


def _round(number: int, view: EquityView, name: str, turns: Sequence[Turn], show: Show) -> Markup:
    speakers = ROOMS[name][:-1]
    said = {each.name: each for each in turns if _round_of(each, len(speakers)) == number}
    shown = joined(_speech(said[node], view, show) if node in said else _idle(node, view, show) for node in speakers)
    css_class = "tb-debate" if len(speakers) == 2 else "tb-three"
    return markup('<div class="tb-rnd">{}</div><div class="{}">{}</div>', show.say("eq_round", n=number), css_class, shown)


def _speech(speech: Turn, view: EquityView, show: Show) -> Markup:
    role = role_of_node(speech.name)
    right = speech_state(speech, view, show) if speech.state != "done" else NOTHING
    if speech.name in ("risky", "safe", "neutral") and (named := shares_named(speech.words)) is not None:
        right = markup("{}<b class='tb-ruling'>{}</b>", right, show.say("eq_share" if named == 1 else "eq_shares", n=numbers.number(named)))
    ruled = action_text(speech.result, show)
    if ruled:
        right = markup('{}<b class="tb-ruling">{}</b>', right, ruled)
    confidence = json_fields.number(speech.result, "confidence")
    if confidence is not None:
        right = markup("{}{}", right, label(show.say("confidence"), numbers.number(confidence)))
    words = marked(speech, view, show) if speech.words or speech.state == "running" else skeleton(94, 71)
    reason = markup('<p class="tb-bad">{}</p>', show.translated(speech.trouble)) if speech.trouble else NOTHING
    body = joined((head(who(speech.name, show), right), reason, words))
    return markup('<section class="tb-say {}">{}</section>', tint(role), body)


def shares_named(text: str) -> int | None:
    """Return the first number of shares in somebody's words, None where they name none: debaters close with no block."""
    found = _SHARES.search(text)
    return int(found["n"].replace(",", "")) if found else None


def _idle(node: str, view: EquityView, show: Show) -> Markup:
    """Return the place of a debater who has not spoken."""
    role, kind = role_of_node(node), unreached(view)
    right = state(kind, show.say(kind))
    lines = NOTHING if view.ending else skeleton(96, 90, 64)
    return markup('<section class="tb-say {}">{}{}</section>', tint(role), head(who(node, show), right), lines)


def _waits(view: EquityView, show: Show) -> Markup:
    """Return whom a room waits for: a line an analyst, with its last call."""
    say = show.say
    if view.ending is not None:
        return markup('<p class="tb-muted">{}</p>', say("not_reached").capitalize())
    lines = []
    for key in view.analysts:
        trail = view.calls_of(key, f"{key}{AGAIN}")
        last = trail[-1].tool if trail else ""
        node = view.turn(key)
        word = say("writing" if node.state == "running" else node.state)
        lines.append(markup('<li>{} {} <span class="tb-muted">{}</span></li>', who(key, show), state(node.state, word), last))
    return markup('<p class="tb-muted">{}</p><ul class="tb-waits">{}</ul>', say("eq_waits_for"), joined(lines))
