"""The decisions, a row each, with what came of them; a row opens its run. HTML, without streamlit."""

from collections.abc import Callable, Mapping
from datetime import UTC
from typing import Final

from markupsafe import Markup

from engine.domain.outcome import FoundLines, JournalFilter, JournalLine, Sort
from engine.domain.shown_state import ANSWERED, ShownState
from pages.frame import numbers
from pages.frame.cards import card, cell, label, share, titled
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show
from pages.positions.position_money import tone
from pages.run.run_links import run_address
from pages.run.run_list import flow_word
from pages.run.states import state_chip

Actions = Mapping[str, Mapping[str, str]]
"""desk -> action -> its words."""
_COLUMNS: Final = (
    *("col_when", "col_subject", "col_decision", "col_r", "col_outcome", "journal_answer", "col_checked", "col_conf", "journal_desk"),
    *("col_model", "col_pct", "col_hold", "col_way", "col_bars"),
)
_RIGHT: Final = ("col_r", "col_checked", "col_conf", "col_pct", "col_hold", "col_way", "col_bars")
_SORTED: Final[Mapping[str, Sort]] = {
    "col_when": "time",
    "col_subject": "symbol",
    "col_conf": "confidence",
    "col_r": "r",
    "col_pct": "result",
}
SORTS: Final[Mapping[str, tuple[Sort, bool]]] = {
    "newest": ("time", True),
    "oldest": ("time", False),
    "best": ("r", True),
    "worst": ("r", False),
    "gained": ("result", True),
    "lost": ("result", False),
    "sure": ("confidence", True),
    "unsure": ("confidence", False),
    "market": ("symbol", False),
}
"""Name in the address -> the column, and whether the largest comes first."""
_MOST_R: Final = 3.0
"""What the bar of a result is as long as it can be for."""
_WAITING: Mapping[str, ShownState] = {"pending": "waits", "edited": "edited"}
_MOST_SUBJECT: Final = 40


def decisions_panel(
    found: FoundLines, first: int, wanted: JournalFilter, actions: Actions, path: Callable[[str], str], show: Show
) -> Markup:
    """Return one page of the decisions. first: number of its first line, from 1. wanted: how they were chosen and sorted. path: desk -> the
    path of its page."""
    say = show.say
    title = say("journal_decisions")
    if not found.lines:
        is_filtered = wanted != JournalFilter(sort=wanted.sort, descending=wanted.descending)
        return card(markup("<p>{}</p>", say("journal_not_found" if is_filtered else "journal_none")), label=title)
    last = first + len(found.lines) - 1
    counted = say("runs_found", first=numbers.number(first), last=numbers.number(last), total=numbers.number(found.total))
    heads = joined(_head(name, wanted, show) for name in _COLUMNS)
    rows = joined(markup("<tr>{}</tr>", joined(_row(line, actions, path, show))) for line in found.lines)
    body = markup('<table class="tb-tab tb-jn"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>', heads, rows)
    return titled(
        title,
        markup('<div class="tb-scroll" tabindex="0">{}</div>', body),
        markup('<p class="tb-lab">{}</p>', say("journal_note")),
        beside=label(counted),
    )


def _head(name: str, wanted: JournalFilter, show: Show) -> Markup:
    css_class = "r" if name in _RIGHT else ""
    if _SORTED.get(name) != wanted.sort:
        return markup('<th scope="col" class="{}">{}</th>', css_class, show.say(name))
    order, sign = ("descending", "▼") if wanted.descending else ("ascending", "▲")
    shown = markup('{} <span aria-hidden="true">{}</span>', show.say(name), sign)
    return markup('<th scope="col" class="so {}" aria-sort="{}">{}</th>', css_class, order, shown)


def _row(line: JournalLine, actions: Actions, path: Callable[[str], str], show: Show) -> list[Markup]:
    at, say = line.created_at.astimezone(UTC), show.say
    came, ordered = line.came, line.known is not None and line.known.followed == "order"
    way = (numbers.signed(came.mfe_pct, 2), numbers.signed(came.mae_pct, 2))
    return [
        cell(markup('<time datetime="{}"><span>{}-</span>{}</time>', at.isoformat(), at.year, f"{at:%m-%d %H:%M}"), "when"),
        cell(_subject(line, path, show)),
        cell(plain(actions.get(line.desk, {}).get(line.action or "", line.action or numbers.DASH))),
        cell(_result(came.r, ordered=ordered), "r"),
        cell(plain(say(f"exit_{came.exit_reason}") if came.exit_reason is not None else numbers.DASH)),
        cell(_answer(line, show)),
        cell(_false(line), "r"),
        cell(plain(numbers.number(line.confidence)), "r"),
        cell(plain(flow_word(line.desk, say))),
        cell(plain(line.model or numbers.DASH)),
        cell(_figure(came.pnl_pct, ordered=ordered), "r"),
        cell(_figure(came.buy_and_hold_pct, ordered=False), "r"),
        cell(plain(" / ".join(way) if came.mfe_pct is not None else numbers.DASH), "r"),
        cell(plain(numbers.number(came.bars)), "r"),
    ]


def _subject(line: JournalLine, path: Callable[[str], str], show: Show) -> Markup:
    subject = line.symbol if len(line.symbol) <= _MOST_SUBJECT else f"{line.symbol[: _MOST_SUBJECT - 1].rstrip()}…"
    frame = markup('<span class="tb-muted">{}</span>', line.timeframe or "")
    if not line.has_run:
        return markup("<b>{}</b> {}", subject, frame)
    address = run_address(line.run_id, path(line.desk), show.language)
    return markup('<a href="{}" target="_self"><b>{}</b></a> {}', address, subject, frame)


def _result(r: float | None, *, ordered: bool) -> Markup:
    """Return a bar from zero and the result in R: hollow to the right for a gain, filled to the left for a loss, grey on paper."""
    if r is None:
        return plain(numbers.DASH)
    width = share(min(abs(r) / _MOST_R, 1.0) * 100)
    left, right = (Markup("<i></i>"), markup('<i class="g" style="width:{}%"></i>', width))
    if r <= 0:
        left, right = markup('<i class="l" style="width:{}%"></i>', width), Markup("<i></i>")
    bar = markup('<span class="tb-rb{}" aria-hidden="true">{}{}</span>', "" if ordered else " sh", left, right)
    return bar + markup('<span class="v">{}</span>', _figure(r, ordered=ordered))


def _figure(value: float | None, *, ordered: bool) -> Markup:
    if value is None:
        return plain(numbers.DASH)
    return markup('<span class="{}">{}</span>', tone(value) if ordered else "tb-muted", numbers.signed(value, 2))


def _false(line: JournalLine) -> Markup:
    """Return `4 / 17`: false of the claims that could be checked."""
    if not line.claims:
        return plain(numbers.DASH)
    count = markup('<span class="tb-muted">{}</span>', 0)
    if line.false_claims:
        count = markup('<b class="tb-false"><span aria-hidden="true">✕ </span>{}</b>', numbers.number(line.false_claims))
    return markup('{}<span class="tb-muted"> / {}</span>', count, numbers.number(line.claims))


def _answer(line: JournalLine, show: Show) -> Markup:
    if line.answer is None:
        return markup('<span class="tb-muted">{}</span>', show.say("answer_none"))
    state: ShownState = _WAITING.get(line.answer) or ANSWERED[line.answer]
    chip = state_chip(state, show.say)
    return markup("{} ✎", chip.line()) if line.is_edited else chip.line()
