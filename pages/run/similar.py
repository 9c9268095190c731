"""Earlier decisions in markets like the one of a run, each with what it came to and a link to its run. HTML, without streamlit."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC
from typing import Any

from markupsafe import Markup
from pydantic import ValidationError

from engine.domain.similar import SimilarDecision
from pages.frame import numbers
from pages.frame.cards import card, head, heading, label
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.run_links import run_address


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
