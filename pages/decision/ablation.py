"""Two decisions side by side: with the corrections, and as the executor would have decided without them."""

from collections.abc import Callable

from markupsafe import Markup

from pages.decision.verdict import action_glyph, action_word
from pages.frame import json_fields, numbers
from pages.frame.cards import card, cell, head, heading, table
from pages.frame.escape import joined, markup, plain
from pages.frame.json_fields import Fields
from pages.frame.show import Show


def compared_decisions(compared: Fields, show: Show) -> Markup:
    """Return both decisions as a table. compared: the state's `did_it_matter`; nothing before it was asked for."""
    mine, other = json_fields.inner(compared, "corrected"), json_fields.inner(compared, "uncorrected")
    if not mine or not other:
        return Markup()
    say = show.say
    summary = say("matter_same") if json_fields.flag(compared, "same") else say("matter_changed")
    rows = [_row(say("matter_action"), _action(mine, show), _action(other, show))]
    for name, key, written in _numbers(show):
        first, second = json_fields.number(mine, key), json_fields.number(other, key)
        if first is not None or second is not None:
            rows.append(_row(name, written(first), written(second)))
    reasons = joined(markup('<p class="tb-muted">{}</p>', error) for error in json_fields.texts(other, "errors"))
    heads = ((say("figure"), False), (say("matter_with"), True), (say("matter_without"), True))
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


def _row(name: str, first: str, second: str) -> list[Markup]:
    """Return a row in which what differs is bold, and says so without colour."""
    shown = [markup("<b>{}</b>", text) if first != second else plain(text) for text in (first, second)]
    return [cell(plain(name)), cell(shown[0], "r"), cell(shown[1], "r")]


def _action(decision: Fields, show: Show) -> str:
    action, valid = json_fields.words(decision, "action"), json_fields.flag(decision, "is_valid")
    return f"{action_glyph(action, decision, valid=valid)} {action_word(action, decision, show, valid=valid)}"
