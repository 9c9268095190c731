"""Who stated false numbers how often, what decisions have taught, and what became of decisions under each version of the prompts. HTML,
without streamlit.

Words of a lesson may be a model's: they are text, and what a lesson is worth is beside them, by code.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC
from typing import Final, get_args

from markupsafe import Markup

from engine.domain.calibration import ENOUGH
from engine.domain.cases import FrozenCase, MovedCase
from engine.domain.honesty import HonestyGroup, HonestyRow
from engine.domain.lesson import HALF_LIFE_DAYS, LearntLesson
from engine.domain.prompt_shares import INVALID, PromptChange, PromptGroup, PromptReport, ShareChange
from pages.frame import numbers
from pages.frame.cards import cell, label, table, titled
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show
from pages.run.compared import comparison_address
from pages.run.run_links import run_address
from pages.run.run_list import flow_word
from pages.run.states import prompted_roles
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


_SHORT: Final = slice(7, 15)  # of `sha256:...`
_MOST_GROUPS: Final = 12
_MOST_CHANGES: Final = 4
_FAR: Final = 0.05


def prompts_panel(report: PromptReport, actions: Mapping[str, Mapping[str, str]], show: Show) -> Markup:
    """Return shares by version, model and week, and whether they changed from one version to the next; "" without any. actions: flow ->
    its actions in words."""
    if not report.groups:
        return Markup()
    say = show.say
    several = len({each.language for each in report.groups}) > 1
    columns = ("week", "desk", "version", "n", "actions", "false", "sure")
    heads = tuple((say(f"prompts_{name}"), name in ("n", "false", "sure")) for name in columns)
    rows = [_prompts_row(each, actions.get(each.desk, {}), several, show) for each in report.groups[:_MOST_GROUPS]]
    changes = joined(_change(each, actions.get(each.desk, {}), several, show) for each in report.changes[:_MOST_CHANGES])
    note = label(say("prompts_note")) if any(each.enough for each in report.changes) else ""
    return titled(say("prompts"), table(heads, rows, "tb-pair"), changes, beside=note)


def _asked(each: PromptGroup | PromptChange, several: bool, show: Show) -> str:
    """Return the desk and the model, and the language of the prompts where there are several."""
    language = f" · {LANGUAGE_NAMES[each.language]}" if several else ""
    return f"{flow_word(each.desk, show.say)} · {each.model}{language}"


def _prompts_row(each: PromptGroup, actions: Mapping[str, str], several: bool, show: Show) -> list[Markup]:
    shares = " · ".join(f"{_action(name, actions, show)} {numbers.percent(n / each.n * 100, 0)}" for name, n in each.actions.items())
    false = numbers.percent(each.false_share * 100, 1) if each.false_share is not None else numbers.DASH
    return [
        cell(each.week),
        cell(_asked(each, several, show)),
        cell(markup("<code>{}</code>", each.prompts_hash[_SHORT])),
        cell(numbers.number(each.n), "r"),
        cell(shares),
        cell(false, "r"),
        cell(numbers.number(each.confidence), "r"),
    ]


def _action(name: str, actions: Mapping[str, str], show: Show) -> str:
    return show.say("invalid") if name == INVALID else actions.get(name, name)


def _change(each: PromptChange, actions: Mapping[str, str], several: bool, show: Show) -> Markup:
    say = show.say
    said = say("prompts_changed", before=each.before[_SHORT], now=each.now[_SHORT], roles=prompted_roles(each.roles, show))
    about = _asked(each, several, show)
    if not each.enough:
        tests = label(say("prompts_few", n_before=numbers.number(each.n_before), n_now=numbers.number(each.n_now), least=ENOUGH))
    else:
        rows = [(_action(name, actions, show), share, True) for name, share in each.actions.items()]
        rows += [(say("prompts_with_false"), each.false_claims, True), (say("prompts_sure"), each.confidence, False)]
        tests = joined(_test(what, share, show, is_share=is_share) for what, share, is_share in rows)
    return markup('<p class="tb-changed"><b>{}</b> {} {}</p>', said, about, tests)


def _test(what: str, share: ShareChange, show: Show, *, is_share: bool) -> Markup:
    both = [_value(value, is_share=is_share) for value in (share.before, share.now)]
    p = numbers.DASH if share.p_value is None else numbers.number(share.p_value, 3)
    words = show.say("prompts_test", what=what, before=both[0], now=both[1], p=p)
    return markup(' <span class="{}">{}</span>', "tb-warned" if share.p_value is not None and share.p_value < _FAR else "tb-muted", words)


def _value(value: float | None, *, is_share: bool) -> str:
    return numbers.percent(value * 100, 0) if is_share and value is not None else numbers.number(value)


def cases_panel(cases: Sequence[FrozenCase], newest: Sequence[MovedCase], actions: Mapping[str, Mapping[str, str]], show: Show) -> Markup:
    """Return every case beside the run that decided it again last, with a way to both side by side; "" without cases."""
    if not cases:
        return Markup()
    say, again = show.say, {each.case: each for each in newest}
    opens = markup('<span class="tb-sr">{}</span>', say("mind_compare"))
    heads = ((say("case_market"), False), (say("case_before"), False), (say("case_now"), False), (opens, False))
    rows = [_case(each, again.get(each.run_id), actions.get(each.desk or "", {}), show) for each in cases]
    moved = sum(each.before != each.now for each in newest)
    count = label(say("cases_of", moved=numbers.number(moved), n=numbers.number(len(newest)))) if newest else label(say("cases_note"))
    return titled(say("cases"), table(heads, rows, "tb-pair"), beside=count)


def _case(case: FrozenCase, again: MovedCase | None, actions: Mapping[str, str], show: Show) -> list[Markup]:
    say = show.say
    if case.problem:
        return [cell(case.run_id), cell(show.translated(case.problem), "tb-warned"), cell(numbers.DASH), cell("")]
    market = markup("{} <small>{}</small>", case.subject, numbers.stamp(case.at))
    before = actions.get(case.action or "", case.action or numbers.DASH)
    if again is None:
        return [cell(market), cell(before), cell(say("case_undecided"), "tb-muted"), cell("")]
    now = actions.get(again.now, again.now)
    words = markup("<b>≠ {}</b>", now) if again.now != again.before else markup("{}", say("case_same"))
    link = markup('<a href="{}" target="_self">{}</a>', comparison_address(case.run_id, again.run_id, show), say("mind_compare"))
    return [cell(market), cell(before), cell(words), cell(link)]
