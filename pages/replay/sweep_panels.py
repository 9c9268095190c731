"""What a sweep came to: a row for each replay of it, and their curves of equity beside each other on one scale. HTML, without streamlit."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final

from markupsafe import Markup

from engine.domain.calibration import ENOUGH
from engine.domain.replay import ReplayReport, ReplayRequest, SweepReport, SweepRow, SweepSummary
from pages.frame import numbers
from pages.frame.cards import cell, label, table, titled
from pages.frame.escape import markup, plain
from pages.frame.show import Show
from pages.replay.panels import between, in_r, replay_address, replay_line, replay_link, replay_links

ROW_HEIGHT: Final = 102
"""Pixels of one row of curves; `CURVES_HEAD` of what is above the rows."""
CURVES_HEAD: Final = 104
_COLUMNS: Final = (
    *("replay_return", "replay_drawdown", "replay_sharpe", "replay_interval", "replay_expectancy", "replay_trades", "replay_false"),
    *("sweep_decisions", "sweep_tokens"),
)
_WIDE, _TALL = 150.0, 50.0


def sweep_head(request: ReplayRequest, found: SweepSummary, show: Show) -> Markup:
    """Return the page's line: what was replayed, from when to when, and how often. request: of one of its replays."""
    tags = [show.say("sweep_tag", n=len(found.settings)), *(f"{key}: {', '.join(values)}" for key, values in found.keys.items())]
    return replay_line(show.say("sweep"), request, tags, show)


def sweep_table(report: SweepReport, show: Show) -> Markup:
    """Return a row for each replay; each leads to its report. The one with the highest Sharpe ratio has a star."""
    say = show.say
    heads = ((say("sweep_setting"), False), *((say(name), True) for name in _COLUMNS))
    rows = [_row(row, place == report.best, show) for place, row in enumerate(report.rows)]
    return titled(say("sweep_rows"), table(heads, rows), beside=label(say("sweep_star")))


def _row(row: SweepRow, is_best: bool, show: Show) -> list[Markup]:
    words = f"{'★ ' if is_best else ''}{_setting(row.setting)}"
    figures = (
        numbers.signed_percent(row.return_pct, 2),
        numbers.percent(-row.max_drawdown_pct, 2),
        numbers.signed(row.sharpe, 2),
        between(row.sharpe_interval, 2) if row.sharpe_interval is not None else numbers.DASH,
        in_r(row.expectancy_r),
        _few(numbers.number(row.trades), row.trades),
        show.say("replay_n_of", n=numbers.number(row.false_claims), all=numbers.number(row.total_claims)),
        numbers.number(row.decisions),
        numbers.number(row.tokens),
    )
    link = markup('<a href="{}" target="_self">{}</a>', replay_address(row.replay_id, show), words)
    return [cell(link), *(cell(each if isinstance(each, Markup) else plain(each), "r") for each in figures)]


def curves_panel(report: SweepReport, reports: Mapping[str, ReplayReport], show: Show) -> Markup:
    """Return the curves of equity, a row for each combination of the first settings and a column for each value of the last. reports: by
    the names of the replays."""
    say, keys = show.say, report.keys
    *first, last = keys
    lines = _lines(report)
    low, high = _bounds([_gains(each) for each in reports.values()])
    by_setting = {tuple(row.setting.values()): (place, row) for place, row in enumerate(report.rows)}
    rows = []
    for line in lines:
        cells = [markup('<th scope="row">{}</th>', _setting(dict(zip(first, line, strict=True))))] if first else []
        for value in keys[last]:
            place, row = by_setting[(*line, value)]
            cells.append(_curve(row, reports.get(row.replay_id), low, high, place == report.best, show))
        rows.append(cells)
    heads = (*((("", False),) if first else ()), *((f"{last} {value}", False) for value in keys[last]))
    scale = label(say("sweep_scale", low=numbers.signed_percent(low, 1), high=numbers.signed_percent(high, 1)))
    return titled(say("sweep_curves"), table(heads, rows, "tb-mult"), beside=scale)


def curves_height(report: SweepReport) -> int:
    """Return the pixels that `curves_panel` takes."""
    return CURVES_HEAD + ROW_HEIGHT * len(_lines(report))


def _lines(report: SweepReport) -> list[tuple[str, ...]]:
    """Return every combination of the settings but the last."""
    return list(product(*list(report.keys.values())[:-1]))


def _curve(row: SweepRow, report: ReplayReport | None, low: float, high: float, is_best: bool, show: Show) -> Markup:
    gains = _gains(report) if report is not None else []
    words = show.say("sweep_curve_says", setting=_setting(row.setting), value=numbers.signed_percent(row.return_pct, 1), n=row.trades)
    picture = markup(
        '<svg viewBox="0 0 {:.0f} {:.0f}" preserveAspectRatio="none" aria-hidden="true"><path class="zero" d="M0 {}H{:.0f}"/>'
        '<path class="v" d="{}"/></svg>',
        _WIDE, _TALL, f"{_y(0.0, low, high):.2f}", _WIDE, _path(gains, low, high),
    )  # fmt: skip
    said = markup("<b>{}</b> {}", numbers.signed_percent(row.return_pct, 1), _few(f"{show.say('col_n')} {row.trades}", row.trades))
    href = replay_address(row.replay_id, show)
    link = markup('<a href="{}" target="_self" aria-label="{}">{}<span>{}</span></a>', href, words, picture, said)
    return cell(link, "best" if is_best else "")


def _gains(report: ReplayReport) -> list[tuple[float, float]]:
    """Return (share of the time, gain in percent)."""
    began, first = report.equity[0]
    span = (report.equity[-1][0] - began).total_seconds() or 1.0
    return [((at - began).total_seconds() / span, (value / first - 1) * 100 if first else 0.0) for at, value in report.equity]


def _bounds(curves: Sequence[Sequence[tuple[float, float]]]) -> tuple[float, float]:
    values = [0.0, *(gain for curve in curves for _, gain in curve)]
    return min(values), max(values)


def _y(gain: float, low: float, high: float) -> float:
    return 2 + (_TALL - 4) * (high - gain) / ((high - low) or 1.0)


def _path(gains: Sequence[tuple[float, float]], low: float, high: float) -> str:
    return "M" + "L".join(f"{share * _WIDE:.1f} {_y(gain, low, high):.2f}" for share, gain in gains) if gains else ""


def _setting(setting: Mapping[str, str]) -> str:
    return " · ".join(f"{key} {value}" for key, value in setting.items())


def _few(words: str, trades: int) -> Markup:
    return markup('<span class="{}">{}</span>', "tb-few" if trades < ENOUGH else "tb-muted", words)


def sweeps_panel(found: Sequence[SweepSummary], chosen: str, show: Show) -> Markup:
    """Return the sweeps, each a link; nothing without any."""
    rows = []
    for each in found:
        sign = "◐" if each.running else "✓" if each.report is not None and each.report.ended == "done" else "■"
        name = f"{each.replays[0].request.base.subject} × {len(each.replays)}"
        rest = show.say("replay_n_of", n=numbers.number(each.done), all=numbers.number(each.total))
        rows.append(replay_link(each.replay_id, chosen, sign, name, rest, show))
    return replay_links(show.say("sweeps"), rows)
