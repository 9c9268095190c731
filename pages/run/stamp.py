"""Would it say so again? The stamp of a decision whose roles were asked again: a square a repetition, the count with its interval, how far
the plans differ, what asking cost. HTML, without streamlit.
"""

from collections.abc import Callable, Mapping
from typing import Final

from markupsafe import Markup

from pages.frame import json_fields, numbers
from pages.frame.cards import card, head, heading, level
from pages.frame.escape import joined, markup
from pages.frame.json_fields import Fields
from pages.frame.show import Show

_STEADY: Final = 0.5
"""The interval's lower end, above which most answers are alike beyond doubt."""
_SPLIT: Final = 0.6
"""The share up to which answers are split."""

_WORDS: Final = {"few": "stamp_few", "steady": "stamp_steady", "lean": "stamp_lean", "split": "stamp_split"}
"""How far answers agree -> the word for it."""
_FROM: Final = {"judge": "stamp_from_judge", "executor": "stamp_from_executor", "analysts": "stamp_from_analysts"}
"""The first role that was asked again -> the word for it."""

Named = Callable[[str], tuple[str, str]]
"""An action -> its sign and its word."""


def named_by(choices: Mapping[str, str]) -> Named:
    """Return what names actions. choices: action -> its sign and its word, as a page lists them."""

    def named(action: str) -> tuple[str, str]:
        sign, _, word = choices.get(action, f"◆ {action}").partition(" ")
        return sign, word

    return named


def stamp_level(stamp: Fields, own: str | None, named: Named, show: Show) -> list[Markup]:
    """Return the stamp as a number of the verdict bar; none where nothing was asked again. own: the action of the decision itself."""
    modal = json_fields.words(stamp, "modal")
    if modal is None:
        return []
    value = f"{named(modal)[0]} {_counted(stamp, modal, show)}"
    doubtful = modal != own or _kind(stamp) == "split"
    return [level(show.say("stamp_again"), value, _interval(stamp, show), bad=doubtful, own_class="again")]


def stamp_words(stamp: Fields, named: Named, show: Show) -> str:
    """Return `asked again: ▼ Enter short 4 of 5, 38 to 96 %`; "" where nothing was asked again."""
    modal = json_fields.words(stamp, "modal")
    if modal is None:
        return ""
    counted = _counted(stamp, modal, show)
    return show.say("stamp_words", action=" ".join(named(modal)), counted=counted, interval=_interval(stamp, show))


def stamp_card(stamp: Fields, own: str | None, named: Named, show: Show) -> Markup:
    """Return everything about the stamp; "" where nothing was asked again."""
    if not stamp:
        return Markup()
    say, kind, k = show.say, _kind(stamp), json_fields.count(stamp, "k")
    counts, modal = json_fields.numbers(stamp, "actions"), json_fields.words(stamp, "modal")
    answered = int(sum(counts.values()))
    shown = Markup()
    if modal is not None:
        shown = markup("<span>{} {} <b>{}</b> · {}</span>", *named(modal), _counted(stamp, modal, show), _interval(stamp, show))
    lost = markup('<span class="tb-bad">{}</span>', say("stamp_lost", n=k - answered)) if answered < k else ""
    top = markup(
        '<p class="tb-again"><span>{}</span><span class="tb-stamp {}">{} <span class="w">{}</span></span>{}{}</p>',
        say("stamp_asked", k=k),
        kind,
        _squares(counts, k - answered, own, named),
        say(_WORDS[kind]),
        shown,
        lost,
    )
    warned = markup('<p class="tb-warn"><b>!</b> {}</p>', say("stamp_otherwise")) if modal is not None and modal != own else ""
    started = say("stamp_from", who=say(_FROM.get(json_fields.words(stamp, "from") or "", "stamp_from_judge")))
    lines = (" · ".join(filter(None, (_spread(stamp, show), _spent(stamp, show)))), started)
    rest = joined(markup('<p class="tb-muted">{}</p>', line) for line in lines)
    return card(head(heading(say("stamp_title"))), top + warned + rest, label=say("stamp_title"))


def _kind(stamp: Fields) -> str:
    """Return how far the answers agree, in a word: `few`, `steady`, `split` or `lean`."""
    share, low = json_fields.number(stamp, "share"), json_fields.number(stamp, "low")
    if share is None or low is None or sum(json_fields.numbers(stamp, "actions").values()) < json_fields.count(stamp, "k"):
        return "few"
    return "steady" if share == 1 and low > _STEADY else "split" if share <= _SPLIT else "lean"


def _counted(stamp: Fields, action: str, show: Show) -> str:
    counts = json_fields.numbers(stamp, "actions")
    return show.say("stamp_of", n=numbers.number(counts[action]), of=numbers.number(sum(counts.values())))


def _interval(stamp: Fields, show: Show) -> str:
    low, high = (numbers.number(100 * (json_fields.number(stamp, name) or 0.0)) for name in ("low", "high"))
    return show.say("stamp_interval", low=low, high=high)


def _squares(counts: dict[str, float], lost: int, own: str | None, named: Named) -> Markup:
    same = [action for action in counts if action == own]
    ordered = [*same, *(action for action in counts if action != own)]
    answers = joined(
        markup("<i{}>{}</i>", "" if action == own else Markup(' class="o"'), named(action)[0])
        for action in ordered
        for _ in range(int(counts[action]))
    )
    return markup(
        '<span class="tb-five" aria-hidden="true">{}{}</span>', answers, joined(Markup('<i class="f">✕</i>') for _ in range(lost))
    )


def _spread(stamp: Fields, show: Show) -> str:
    spread = json_fields.inner(stamp, "spread_atr")
    found = [(name, value) for name in ("entry", "stop", "target") if (value := json_fields.number(spread, name)) is not None]
    if not found:
        return ""
    levels = " · ".join(f"{show.say(name).lower()} {numbers.number(value, 2)}" for name, value in found)
    return show.say("stamp_spread", levels=levels)


def _spent(stamp: Fields, show: Show) -> str:
    cost = json_fields.number(stamp, "cost")
    money = show.say("stamp_cost", cost=numbers.said(float(f"{cost:.2g}"), "")) if cost else ""
    calls, tokens = (numbers.number(json_fields.number(stamp, name)) for name in ("calls", "tokens"))
    return show.say("stamp_spent", calls=calls, tokens=tokens, seconds=numbers.seconds(json_fields.number(stamp, "seconds")), cost=money)
