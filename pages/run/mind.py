"""What decisions before this one say: what changed since the last one, and earlier ones in markets like this, each with what it came to and
a link to its run. HTML, without streamlit.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC
from typing import Any, Final

from markupsafe import Markup
from pydantic import ValidationError

from engine.domain.change_of_mind import ChangeOfMind, FactMove
from engine.domain.facts import Fact
from engine.domain.similar import SimilarDecision
from pages.frame import numbers
from pages.frame.cards import card, cell, chip, head, heading, label, table
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.compared import comparison_address
from pages.run.run_links import run_address
from pages.run.states import prompted_roles
from pages.words.fact_names import FACTS, fact_name, fact_timeframe

_SHOWN: Final = 3
_MOST_ROWS: Final = 24
_PRICE: Final = "close"


def mind_band(change: ChangeOfMind, actions: Mapping[str, str], show: Show, *, linked: bool = True) -> Markup:
    """Return the section; one muted sentence for the first decision about a subject, "" where there is nothing to compare and that is no
    first. actions: in the words of the desk. linked: whether the other run can be opened from where this is shown."""
    say = show.say
    if change.previous is None:
        first = change.first_of
        return markup('<p class="tb tb-muted">{}</p>', say("mind_first", subject=first)) if first is not None else Markup()
    parts = [
        markup('<span class="q">{}</span>', say("mind_since", at=show.clock(change.previous_at))),
        _actions(change, actions),
        *(markup('<span class="a tb-warned">! {}</span>', words) for words in _warnings(change, show)),
        _counted(change, show),
        *(_fact(each, show) for each in in_order(change.facts)[:_SHOWN]),
        *(
            markup('<span class="a tb-warned">! {}</span>', say("mind_fired", condition=_named(each, show)))
            for each in change.invalidations_fired
        ),
        markup('<span class="a">{}</span>', _n("mind_fallen", len(change.claims_fallen), show)) if change.claims_fallen else "",
    ]
    return markup(
        '<details class="tb tb-mind" aria-label="{}"><summary>{}</summary>{}</details>',
        say("mind"),
        joined(part for part in parts if part),
        _rest(change, show, linked=linked),
    )


def in_order(facts: Sequence[FactMove]) -> list[FactMove]:
    """Return facts as they are worth telling: the price, what is no price (its lines all follow it), of the main timeframe first."""
    return sorted(facts, key=lambda each: (each.key != _PRICE, each.unit == "atr", "." in each.key, -abs(each.moved or 0.0)))


def _actions(change: ChangeOfMind, actions: Mapping[str, str]) -> Markup:
    now, before = (actions.get(each or "", each or numbers.DASH) for each in (change.action_now, change.action_before))
    return markup(
        '<span class="a"><span class="tb-was">{}</span> <span class="tb-to" aria-hidden="true">→</span> <b>{}</b></span>', before, now
    )


def _warnings(change: ChangeOfMind, show: Show) -> list[str]:
    """Return what qualifies everything else: another model or other prompts, a reversal that no fact explains."""
    say = show.say
    found = [say("mind_model", model=change.other_model)] if change.other_model is not None else []
    if change.prompts_changed:
        found.append(say("mind_prompts", roles=prompted_roles(change.prompts_changed, show)))
    return [*found, *([say("mind_reversal")] if change.reversal_without_fact else [])]


def _counted(change: ChangeOfMind, show: Show) -> Markup:
    words = _n("mind_moved", len(change.facts), show) if change.facts else show.say("mind_no_fact")
    return markup('<span class="a"><b>{}</b></span>', words)


def _n(word: str, count: int, show: Show) -> str:
    return show.say(f"{word}_one") if count == 1 else show.say(word, n=numbers.number(count))


def _fact(move: FactMove, show: Show) -> Markup:
    return markup('<span class="a">{} <b>{}</b></span>', _name(move, show), _by(move, show))


def _named(condition: str, show: Show) -> str:
    """Return a condition with the names of its facts, and its numbers as the desk writes them."""
    return numbers.restyled(" ".join(fact_name(word, show.language) if word in FACTS else word for word in condition.split()))


def _name(move: FactMove, show: Show) -> str:
    return " ".join(filter(None, (fact_timeframe(move.key), fact_name(move.key, show.language))))


def _by(move: FactMove, show: Show) -> str:
    if move.moved is None:
        return show.say("mind_report")
    return show.say(f"mind_{move.unit}", n=numbers.signed(move.moved, 2 if move.unit == "atr" else 1))


def _rest(change: ChangeOfMind, show: Show, *, linked: bool) -> Markup:
    """Return every fact that moved, every statement that fell, the outcome of the proposal, and the way to both runs."""
    say = show.say
    rows = [
        [
            cell(_name(each, show)),
            cell(_value(each.before, each.key, show), "r"),
            cell(_value(each.now, each.key, show), "r"),
            cell(_by(each, show), "r"),
        ]
        for each in in_order(change.facts)[:_MOST_ROWS]
    ]
    heads = tuple((say(f"mind_{name}"), name != "fact") for name in ("fact", "before", "now", "by"))
    fallen = joined(markup("<li>{} {}</li>", chip(each.role, show), each.text) for each in change.claims_fallen[:_MOST_ROWS])
    state = say(f"state_{_STATES.get(change.person, change.person)}") if change.person is not None else ""
    person = markup("<p>{}</p>", say("mind_person", state=state)) if state else ""
    link = (
        markup('<a href="{}" target="_self">{}</a>', comparison_address(change.previous or "", change.run_id, show), say("mind_compare"))
        if linked
        else ""
    )
    return markup(
        '<div class="more">{}{}<p class="tb-muted">{}</p>{}{}</div>',
        table(heads, rows) if rows else "",
        markup('<ul class="fell">{}</ul>', fallen) if fallen else "",
        say("mind_note"),
        person,
        link,
    )


def _value(value: float, key: str, show: Show) -> str:
    fact: Fact | None = show.facts.get(key)
    return numbers.fact(value, fact.unit, show.step) if fact is not None else numbers.number(value, 2)


_STATES: Final = {"pending": "waits", "failed": "not_ordered", "unknown": "sent"}
"""States of a proposal whose word has another name."""


def read_similar(rows: Iterable[Mapping[str, Any]]) -> tuple[SimilarDecision, ...]:
    """Return the earlier decisions that `run.started` names; those of the log of another version are left out."""
    found = []
    for row in rows:
        with suppress(ValidationError):
            found.append(SimilarDecision.model_validate(dict(row)))
    return tuple(found)


def similar_card(similar: Sequence[SimilarDecision], use: str, did: Callable[[str], str], path: str, show: Show) -> Markup:
    """Return what a run was begun with; nothing where no earlier decision was like it. use: the sentence about who was told of them. did:
    an action -> its sign and word. path: of the page that runs of the desk are shown on."""
    if not similar:
        return Markup()
    title = show.say("similar_title")
    return card(
        head(heading(title), label(show.say("col_n"), numbers.number(len(similar)))),
        markup('<ul class="tb-att">{}</ul>', joined(_row(each, did, path, show) for each in similar)),
        markup('<p class="tb-lab">{} {}</p>', show.say("similar_note"), use),
        label=title,
    )


def _row(each: SimilarDecision, did: Callable[[str], str], path: str, show: Show) -> Markup:
    say = show.say
    when = each.decided_at.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
    link = markup(
        '<a href="{}" target="_self"><time datetime="{}">{}</time> {} {}</a>',
        run_address(each.run_id, path, show.language),
        each.decided_at.isoformat(),
        when,
        each.symbol,
        each.timeframe,
    )
    sure = f" {numbers.number(each.confidence)}" if each.confidence is not None else ""
    ended = say(f"exit_{each.exit_reason}") if each.exit_reason is not None else numbers.DASH
    r = f"{numbers.signed(each.r, 2)}{numbers.THIN}R" if each.r is not None else numbers.DASH
    far = say("similar_far", n=numbers.number(each.distance, 2))
    kind = markup("<b>{}</b> ", say(f"lesson_{each.lesson_kind}")) if each.lesson_kind is not None else ""
    lesson = markup('<div class="tb-quote">{}{}</div>', kind, show.translated(each.lesson)) if each.lesson else ""
    line = markup('<div>{}{} · {} <b>{}</b> <span class="tb-lab">{}</span></div>', did(each.action), sure, ended, r, far)
    return markup("<li>{}{}{}</li>", link, line, lesson)
