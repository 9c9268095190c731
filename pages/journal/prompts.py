"""What decisions came to under each version of the prompts, and the cases that were decided again. HTML, without streamlit."""

from collections.abc import Mapping, Sequence
from typing import Final

from markupsafe import Markup

from engine.domain.calibration import ENOUGH
from engine.domain.cases import FrozenCase, MovedCase
from engine.domain.prompt_shares import INVALID, PromptChange, PromptGroup, PromptReport, ShareChange
from pages.frame import numbers
from pages.frame.cards import cell, label, table, titled
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.compared import comparison_address
from pages.run.node_state import prompted_roles
from pages.run.run_list import flow_word
from pages.words.texts import LANGUAGE_NAMES

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
    rows = [_group(each, actions.get(each.desk, {}), several, show) for each in report.groups[:_MOST_GROUPS]]
    changes = joined(_change(each, actions.get(each.desk, {}), several, show) for each in report.changes[:_MOST_CHANGES])
    note = label(say("prompts_note")) if any(each.enough for each in report.changes) else ""
    return titled(say("prompts"), table(heads, rows, "tb-pair"), changes, beside=note)


def _asked(each: PromptGroup | PromptChange, several: bool, show: Show) -> str:
    """Return the desk and the model, and the language of the prompts where there are several."""
    language = f" · {LANGUAGE_NAMES[each.language]}" if several else ""
    return f"{flow_word(each.desk, show.say)} · {each.model}{language}"


def _group(each: PromptGroup, actions: Mapping[str, str], several: bool, show: Show) -> list[Markup]:
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
