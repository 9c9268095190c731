"""Who stated false numbers how often, and what decisions have taught. HTML, without streamlit.

Words of a lesson may be a model's: they are text, and what a lesson is worth is beside them, by code.
"""

from collections.abc import Callable, Sequence
from datetime import UTC
from typing import Final, get_args

from markupsafe import Markup

from engine.domain.calibration import ENOUGH
from engine.domain.honesty import HonestyGroup, HonestyRow
from engine.domain.lesson import HALF_LIFE_DAYS, LearntLesson
from pages.frame import numbers
from pages.frame.cards import cell, label, table, titled
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show
from pages.run.run_links import run_address
from pages.words.fact_names import fact_name
from pages.words.texts import LANGUAGE_NAMES

_MOST_ROWS: Final = 8
_MOST_LESSONS: Final = 8


def honesty_panel(rows: Sequence[HonestyRow], show: Show) -> Markup:
    """Return the shares of false numbers, the worst of each group first."""
    say, title = show.say, show.say("honesty")
    if not rows:
        return titled(title, markup("<p>{}</p>", say("honesty_none")))
    of_roles = [row for row in rows if row.by == "role"]
    total, false = (sum(getattr(row, name) for row in of_roles) for name in ("claims", "false"))
    heads = (
        (markup('<span class="tb-sr">{}</span>', title), False),
        (say("honesty_share"), True),
        (say("col_interval"), True),
        (say("col_n"), True),
    )
    lines = [line for by in get_args(HonestyGroup) for line in _group(by, [row for row in rows if row.by == by], show)]
    counted = label(say("honesty_total", false=numbers.number(false), total=numbers.number(total)))
    note = markup('<p class="tb-lab">{}</p>', say("honesty_note", least=ENOUGH))
    return titled(title, table(heads, lines), note, beside=counted)


def _group(by: HonestyGroup, rows: Sequence[HonestyRow], show: Show) -> list[list[Markup]]:
    if not rows:
        return []
    enough = [row for row in rows if row.claims >= ENOUGH]
    shown = (enough or list(rows))[:_MOST_ROWS]
    left = len(rows) - len(shown)
    title = show.say(f"honesty_{by}") + (f" ({show.say('honesty_more', n=left)})" if left else "")
    return [[cell(markup('<span class="tb-lab">{}</span>', title)), *[cell("")] * 3], *(_row(row, show) for row in shown)]


def _row(row: HonestyRow, show: Show) -> list[Markup]:
    share = f"{numbers.number(row.share * 100, 1)}{numbers.THIN}%"
    between = f"{numbers.number(row.low * 100)}–{numbers.number(row.high * 100)}"
    quiet = row.claims < ENOUGH
    return [
        cell(markup('{} <span class="tb-lab">{}</span>', _name(row, show), _disputed(row, show))),
        cell(markup('<span class="tb-muted">{}</span>', share) if quiet else markup("<b>{}</b>", share), "r"),
        cell(markup('<span class="{}">{}</span>', "tb-muted" if quiet else "", between), "r"),
        cell(plain(numbers.number(row.claims)), "r"),
    ]


def _disputed(row: HonestyRow, show: Show) -> str:
    return show.say("honesty_disputed", n=numbers.number(row.disputed)) if row.disputed else ""


def _name(row: HonestyRow, show: Show) -> str:
    if row.by == "role":
        return show.name(row.name)
    if row.by == "indicator":
        return fact_name(row.name, show.language)
    if row.by == "language":
        return next((name for key, name in LANGUAGE_NAMES.items() if key == row.name), row.name)
    return row.name


def lessons_panel(found: Sequence[LearntLesson], path: Callable[[str], str], show: Show) -> Markup:
    """Return what counts most of what was learnt, each with a link to its newest run. path: desk -> the path of its page."""
    say, title = show.say, show.say("lessons")
    if not found:
        return titled(title, markup("<p>{}</p>", say("lessons_none")))
    rows = joined(_lesson(each, path, show) for each in found[:_MOST_LESSONS])
    note = markup('<p class="tb-lab">{}</p>', say("lessons_note", days=numbers.number(HALF_LIFE_DAYS)))
    count = label(say("col_n"), numbers.number(sum(each.n for each in found)))
    return titled(title, markup('<ul class="tb-att">{}</ul>', rows), note, beside=count)


def _about(each: LearntLesson, show: Show) -> str:
    """Return the indicator or the condition that lessons are about."""
    return show.translated(each.about) if " " in each.about else fact_name(each.about, show.language)


def _lesson(each: LearntLesson, path: Callable[[str], str], show: Show) -> Markup:
    say = show.say
    about = f" · {_about(each, show)}" if each.about else ""
    r = f" · {numbers.signed(each.r, 2)}{numbers.THIN}R" if each.r is not None else ""
    counted = say("lessons_n", n=numbers.number(each.n), weight=numbers.number(each.weight, 2))
    link = markup(
        '<a href="{}" target="_self"><time datetime="{}">{}</time></a>',
        run_address(each.run_ids[0], path(each.flow), show.language),
        each.newest.isoformat(),
        each.newest.astimezone(UTC).strftime("%Y-%m-%d"),
    )
    by = "" if each.by == "code" else say("lessons_by", by=each.by)
    return markup(
        '<li><b>{}</b>{}{} <span class="tb-lab">{}</span> {}<div class="tb-quote">{}</div><span class="tb-lab">{}</span></li>',
        say(f"lesson_{each.kind}"),
        about,
        r,
        counted,
        link,
        show.translated(each.text),
        by,
    )
