"""Decisions side by side: with the corrections, as the executor would have decided without them, and with such that change nothing."""

from collections.abc import Callable, Sequence

from markupsafe import Markup

from engine.domain.text.reason import keyed
from pages.desks.decision.verdict import action_glyph, action_word
from pages.frame import json_fields, numbers
from pages.frame.cards import card, cell, head, heading, table
from pages.frame.escape import joined, markup, plain
from pages.frame.json_fields import Fields
from pages.frame.show import Show


def compared_decisions(compared: Fields, show: Show) -> Markup:
    """Return the decisions as a table. compared: the state's `did_it_matter`, with the state's
    `reasons`; nothing before it was asked for."""
    mine, other, placebo = (json_fields.inner(compared, name) for name in ("corrected", "uncorrected", "placebo"))
    if not mine or not other:
        return Markup()
    asked = [mine, other, *([placebo] if placebo else [])]
    say = show.say
    summary = say("matter_same") if json_fields.flag(compared, "same") else say("matter_changed")
    rows = [_row(say("matter_action"), [_action(each, show) for each in asked])]
    for name, key, written in _numbers(show):
        found = [json_fields.number(each, key) for each in asked]
        if any(each is not None for each in found):
            rows.append(_row(name, [written(each) for each in found]))
    reasons = joined(
        markup('<p class="tb-muted">{}</p>', show.translated(keyed(compared, error))) for error in json_fields.texts(other, "errors")
    )
    arms = ("matter_with", "matter_without", "matter_placebo")[: len(asked)]
    heads = ((say("figure"), False), *((say(arm), True) for arm in arms))
    return card(head(heading(say("matter"))), markup("<p><b>{}</b></p>{}{}", summary, table(heads, rows), reasons), label=say("matter"))


def _numbers(show: Show) -> list[tuple[str, str, Callable[[float | None], str]]]:
    """Name, key and spelling of every number that is compared."""

    def price(value: float | None) -> str:
        return numbers.DASH if value is None else numbers.price(value, show.step)

    say = show.say
    return [
        (say("confidence"), "confidence", numbers.number),
        (say("leverage"), "leverage", numbers.number),
        (say("stop"), "stop_loss", price),
        (say("target"), "take_profit", price),
        (say("min_risk_reward_ratio"), "risk_reward_ratio", lambda value: numbers.number(value, 2)),
        (say("adjustment"), "adjustment_pct", lambda value: numbers.signed_percent(value, 0)),
    ]


def _row(name: str, texts: Sequence[str]) -> list[Markup]:
    """Return a row in which what differs is bold, and says so without colour."""
    shown = [markup("<b>{}</b>", text) if len(set(texts)) > 1 else plain(text) for text in texts]
    return [cell(plain(name)), *(cell(each, "r") for each in shown)]


def _action(decision: Fields, show: Show) -> str:
    action, valid = json_fields.words(decision, "action"), json_fields.flag(decision, "is_valid")
    return f"{action_glyph(action, decision, valid=valid)} {action_word(action, decision, show, valid=valid)}"
