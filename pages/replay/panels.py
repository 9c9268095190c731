"""What a replay came to: the word, the curves, the decisions on the price, statistics, the proof, regimes, worlds, costs. HTML, without
streamlit."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlencode

from markupsafe import Markup

from engine.domain.calibration import ENOUGH
from engine.domain.replay import ReplayReport, ReplayRequest, ReplayStep, ReplaySummary, ReplayTrade, SweepReport, SweepSummary
from engine.domain.text.reason import said_in
from pages.chart.curves import Curve, CurveMark
from pages.frame import numbers
from pages.frame.cards import cell, label, level, listed, message, table, titled, verdict_card
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show
from pages.journal.panels import chance_word

MOST_MARKS: Final = 200
MOST_LISTED: Final = 100
TRADE_COLUMNS: Final = ("opened", "closed", "side", "entry", "exit", "quantity", "result", "r", "ended")
_BINS: Final = 20
SIGNS: Final = {
    "signal_entry_long": ("▲", "up"),
    "buy": ("▲", "up"),
    "signal_entry_short": ("▼", "down"),
    "sell": ("▼", "down"),
    "signal_exit": ("■", "flat"),
    "adjust_position": ("◆", "flat"),
}
_ANSWERS: Final = {"filled": "replay_answer_filled", "sent": "replay_answer_sent"}


def verdict_of(report: ReplayReport) -> str:
    """Return `few`, `proven`, `unproven` or `loses`."""
    n, bounds = sum(each.closed_at is not None for each in report.trades), report.intervals.get("expectancy_r")
    return chance_word(n, *(bounds or (None, None)))


def replay_head(request: ReplayRequest, report: ReplayReport | None, show: Show) -> Markup:
    """Return the page's line: what was replayed, from when to when, who signed; and what it rests on."""
    tags = []
    if report is not None and report.proof is not None:
        n = len(report.proof.instants)
        words = show.say("replay_tag_proved", n=n - len(report.proof.differ), all=n)
        tags.append(f"{'✓' if report.proof.holds else '✕'} {words}")
    return replay_line(show.say("replay"), request, [*tags, request.base.model], show)


def replay_line(title: str, request: ReplayRequest, tags: Sequence[str], show: Show) -> Markup:
    """Return a page's line about what was asked. title: what the page shows of it."""
    say, base = show.say, request.base
    every = say("replay_every_1") if request.every == 1 else say("replay_every_n", n=request.every)
    parts = [
        markup('<span class="sym">{}</span>', title),
        _kv(base.subject, f"{base.candles or ''} · {every}"),
        _kv(f"{request.begins:%Y-%m-%d %H:%M}", f"→ {request.ends:%Y-%m-%d %H:%M}"),
        _kv(say("replay_signs"), request.approve.replace(">=", " ≥ ")),
    ]
    world = [say(f"world_{request.world}")] if request.world != "real" else []
    parts += [markup('<span class="tb-tag">{}</span>', each) for each in (*tags, *world)]
    return markup('<div class="tb tb-market">{}</div>', joined(parts))


def _kv(bold: str, rest: str) -> Markup:
    return markup('<span class="kv"><b>{}</b> {}</span>', bold, rest)


def verdict_panel(report: ReplayReport, show: Show) -> Markup:
    """Return whether it is more than chance, in a word, and the figures that it rests on."""
    say, word = show.say, verdict_of(report)
    n = sum(each.closed_at is not None for each in report.trades)
    means = say(f"replay_{word}_means", n=numbers.number(n), least=ENOUGH)
    held, naive = report.baselines.buy_and_hold, report.baselines.naive
    deepest = numbers.percent(-report.max_drawdown_pct, 1)
    levels = [
        level(say("replay_return"), numbers.signed_percent(report.return_pct, 1), _bounds(report, "return_pct", 1)),
        level(say("replay_hold"), numbers.signed_percent(held, 1), say("replay_hold_means")),
        level(say("replay_naive"), numbers.signed_percent(naive, 1), say("replay_naive_means")),
        level(say("replay_drawdown"), deepest, say("replay_of_hold", value=_fall(report, "buy_and_hold"))),
        level(say("replay_expectancy"), in_r(report.expectancy_r), _bounds(report, "expectancy_r", 2)),
    ]
    return verdict_card(say(f"journal_{word}"), means, levels, say("replay"))


def progress_panel(found: ReplaySummary | SweepSummary, show: Show) -> Markup:
    """Return how far a replay or a sweep has come that has no report yet."""
    say = show.say
    words = say("replay_running" if found.running else "replay_halfway", done=numbers.number(found.done), total=numbers.number(found.total))
    width = f"{found.done / found.total * 100:.1f}" if found.total else "0"
    bar = markup('<div class="tb-part" role="img" aria-label="{}"><i style="width:{}%"></i></div>', words, width)
    return titled(say("replay_progress"), bar, beside=label(words))


def warnings_panel(report: ReplayReport | SweepReport, show: Show) -> Markup:
    """Return what keeps the figures from meaning what they seem to."""
    return joined(message(said_in(each, show.language)) for each in report.warnings)


def equity_curves(report: ReplayReport, show: Show) -> list[Curve]:
    """Return equity against both baselines, and the drawdown; none without two points."""
    if len(report.equity) < 2:
        return []
    instants = [int(at.timestamp() * 1000) for at, _ in report.equity]
    first = report.equity[0][1] or 1.0
    own = tuple((ms, (value / first - 1) * 100) for ms, (_, value) in zip(instants, report.equity, strict=True))
    held, naive = (
        (show.say(f"replay_{key}"), tuple((ms, (value - 1) * 100) for ms, value in zip(instants, report.curves[name], strict=True)))
        for key, name in (("hold", "buy_and_hold"), ("naive", "naive"))
    )
    peak, fallen = 0.0, []
    for ms, (_, value) in zip(instants, report.equity, strict=True):
        peak = max(peak, value)
        fallen.append((ms, (value / peak - 1) * 100 if peak else 0.0))
    return [
        Curve(show.say("replay_this"), "%", own, second=held, third=naive),
        Curve(show.say("replay_drawdown"), "%", tuple(fallen), falls=True),
    ]


def decision_curve(report: ReplayReport, steps: Sequence[ReplayStep], path: str, show: Show) -> Curve | None:
    """Return the price at each decision, with those that wanted an order on it; each leads to its run. path: of the page of such runs."""
    priced = [each for each in steps if each.price is not None]
    if len(priced) < 2:
        return None
    won = {each.run_id: each.pnl for each in report.trades}
    marked = [each for each in priced if each.action in SIGNS][-MOST_MARKS:]
    marks = tuple(_mark(each, won, report.replay_id, path, show) for each in marked)
    points = tuple((int(each.at.timestamp() * 1000), each.price or 0.0) for each in priced)
    return Curve(show.say("replay_decisions"), "", points, note=show.say("replay_decisions_note", n=len(marks)), marks=marks)


def _mark(step: ReplayStep, won: dict[str | None, float | None], replay_id: str, path: str, show: Show) -> CurveMark:
    glyph, look = SIGNS[step.action or ""]
    pnl = won.get(step.run_id)
    result = "" if pnl is None else f" · {numbers.signed(pnl, 2)}"
    answer = show.say(_ANSWERS.get(step.answer or "", "replay_answer_none"))
    words = f"{step.at:%Y-%m-%d %H:%M} · {show.say(f'replay_did_{step.action}')} · {answer}{result}"
    gone = "" if pnl is None else " gained" if pnl > 0 else " lost"
    look = f"{look}{gone}{'' if step.answer == 'filled' or pnl is not None else ' unfilled'}"
    return CurveMark(
        int(step.at.timestamp() * 1000), step.price or 0.0, glyph, look, words, run_address(step.run_id, replay_id, path, show)
    )


def run_address(run_id: str | None, replay_id: str, path: str, show: Show) -> str:
    """Return the address of the page of a replay's run."""
    return f"./{path}?{urlencode({'run': run_id or '', 'replay': replay_id, 'lang': show.language})}"


def statistics_panel(report: ReplayReport, show: Show) -> Markup:
    """Return every figure with what chance would give, and the baselines beside it."""
    say, hold, naive = show.say, report.baselines.buy_and_hold, report.baselines.naive
    closed = [each for each in report.trades if each.closed_at is not None]
    rows = [
        ("return", numbers.signed_percent(report.return_pct, 2), _bounds(report, "return_pct", 1), numbers.signed_percent(hold, 1),
         numbers.signed_percent(naive, 1)),
        ("drawdown", numbers.percent(-report.max_drawdown_pct, 2), _bounds(report, "max_drawdown_pct", 1, -1),
         _fall(report, "buy_and_hold"), _fall(report, "naive")),
        ("sharpe", numbers.signed(report.sharpe, 2), _bounds(report, "sharpe", 2), "", ""),
        ("sortino", numbers.signed(report.sortino, 2), _bounds(report, "sortino", 2), "", ""),
        ("expectancy", in_r(report.expectancy_r), _bounds(report, "expectancy_r", 2), "", ""),
        ("right", numbers.share(report.hit_rate), _bounds(report, "hit_rate", 2), "", ""),
        ("trades", numbers.number(len(closed)), "", "1", ""),
        ("exposure", numbers.percent(report.exposure_pct, 0), "", numbers.percent(100, 0), ""),
        ("turnover", numbers.number(report.turnover, 1), "", "", ""),
    ]  # fmt: skip
    heads = (("", False), *((say(f"replay_{name}"), True) for name in ("this", "interval", "hold", "naive")))
    made = [[cell(say(f"replay_{name}")), *_bold_first(figures)] for name, *figures in rows]
    return titled(say("replay_statistics"), table(heads, made), beside=label(say("replay_statistics_note")))


def proof_panel(report: ReplayReport, show: Show) -> Markup:
    """Return whether a decision knew what came later."""
    say, proof = show.say, report.proof
    title = say("replay_proof")
    if proof is None:
        return titled(title, markup("<p>{}</p>", say("replay_proof_none")))
    n, differ = len(proof.instants), set(proof.differ)
    boxes = joined(markup('<i class="{}"></i>', "bad" if each in differ else "") for each in proof.instants)
    word = say("replay_proof_holds" if proof.holds else "replay_proof_broken")
    figures = (
        (say("replay_proof_instants"), say("replay_proof_seed", n=n, seed=proof.seed)),
        (say("replay_proof_changed"), numbers.number(len(differ))),
        (say("replay_proof_control"), say("replay_n_of", n=proof.changed, all=n)),
    )
    body = markup(
        '<p><b>{} {}</b></p><div class="tb-squares" aria-hidden="true">{}</div>{}',
        "✓" if proof.holds else "✕",
        word,
        boxes,
        listed(figures),
    )
    return titled(title, body, beside=label(say("replay_n_of", n=n - len(differ), all=n)))


def regimes_panel(report: ReplayReport, show: Show) -> Markup:
    """Return what it came to in each kind of market."""
    say = show.say
    heads = (("", False), (say("col_n"), True), (say("replay_mean"), True), (say("replay_interval"), True), (say("replay_of_time"), True))
    rows = []
    for each in report.regimes:
        bounds = between((each.low, each.high), 2) if each.low is not None and each.high is not None else say("replay_few")
        rest = _bold_first((numbers.signed(each.mean_r, 2), bounds, numbers.share(each.share)))
        rows.append([cell(say(f"regime_{each.name}")), cell(numbers.number(each.n), "r"), *rest])
    return titled(say("replay_regimes"), table(heads, rows))


def worlds_panel(report: ReplayReport, show: Show) -> Markup:
    """Return the result among those of worlds without an edge; nothing where none were replayed."""
    say, worlds = show.say, report.worlds
    if worlds is None:
        return Markup()
    low, high = min(*worlds.returns, report.return_pct), max(*worlds.returns, report.return_pct)
    width = (high - low) / _BINS or 1.0
    counts = [0] * _BINS
    for each in worlds.returns:
        counts[min(_BINS - 1, int((each - low) / width))] += 1
    own = min(_BINS - 1, int((report.return_pct - low) / width))
    bars = joined(
        markup('<i class="{}" style="height:{}%"></i>', "own" if place == own else "", f"{count / max(counts) * 100:.0f}")
        for place, count in enumerate(counts)
    )
    words = say("replay_worlds_said", n=worlds.n, world=say(f"world_{worlds.kind}"), value=numbers.signed_percent(report.return_pct, 1),
                rank=numbers.number(worlds.rank, 2))  # fmt: skip
    ends = markup(
        '<div class="tb-ends"><span>{}</span><span>{}</span></div>', numbers.signed_percent(low, 1), numbers.signed_percent(high, 1)
    )
    body = markup('<div class="tb-luck" role="img" aria-label="{}">{}</div>{}<p>{}</p>', words, bars, ends, words)
    return titled(say("replay_worlds"), body)


def costs_panel(report: ReplayReport, show: Show) -> Markup:
    """Return what was earned before and after costs."""
    say, after = show.say, report.equity[-1][1] - report.equity[0][1]
    figures = (
        (say("replay_before"), numbers.signed(after + report.costs, 2)),
        (say("replay_costs"), numbers.signed(-report.costs, 2)),
        (say("replay_after"), numbers.signed(after, 2)),
    )
    return titled(say("replay_cost"), listed(figures))


def facts_panel(report: ReplayReport, request: ReplayRequest, show: Show) -> Markup:
    """Return how it was played."""
    say, spent = show.say, report.spent
    figures = (
        (say("replay_n_decisions"), numbers.number(report.decisions)),
        (say("replay_rate"), say("replay_a_second", n=numbers.number(report.decisions_per_s, 1))),
        (say("replay_calls"), numbers.number(spent.calls)),
        (say("replay_tokens"), numbers.number(spent.tokens)),
        (say("replay_false"), say("replay_n_of", n=numbers.number(report.false_claims), all=numbers.number(report.total_claims))),
        (say("replay_money"), numbers.number(spent.money, 2)),
        (say("replay_seed"), str(request.base.seed)),
        (say("replay_name"), report.replay_id),
    )
    return titled(say("replay_facts"), listed(figures))


def header_panel(report: ReplayReport, show: Show) -> Markup:
    """Return the seven columns that tell what the result rests on."""
    say = show.say
    rows = joined(
        markup("<dt>{}</dt><dd>{}</dd>", say(f"column_{name}"), said_in(text, show.language)) for name, text in report.header.items()
    )
    return titled(say("replay_rests"), markup('<dl class="tb-columns">{}</dl>', rows))


def trades_panel(report: ReplayReport, path: str, show: Show) -> Markup:
    """Return the newest trades; each leads to the run that opened it."""
    say = show.say
    title = say("replay_trade_list")
    if not report.trades:
        return titled(title, markup("<p>{}</p>", say("replay_no_trades")))
    heads = tuple((say(f"trade_{name}"), name in ("entry", "exit", "quantity", "result", "r")) for name in TRADE_COLUMNS)
    rows = [_trade(each, report.replay_id, path, show) for each in reversed(report.trades[-MOST_LISTED:])]
    shown = label(say("replay_n_of", n=len(rows), all=len(report.trades)))
    return titled(title, table(heads, rows), beside=shown)


def _trade(trade: ReplayTrade, replay_id: str, path: str, show: Show) -> list[Markup]:
    say = show.say
    opened = f"{trade.opened_at:%Y-%m-%d %H:%M}"
    link = (
        markup('<a href="{}" target="_self">{}</a>', run_address(trade.run_id, replay_id, path, show), opened)
        if trade.run_id
        else plain(opened)
    )
    return [
        cell(link),
        cell(f"{trade.closed_at:%Y-%m-%d %H:%M}" if trade.closed_at is not None else numbers.DASH),
        cell(say(f"replay_{trade.side}")),
        cell(numbers.price(trade.entry_price), "r"),
        cell(numbers.price(trade.exit_price), "r"),
        cell(numbers.number(trade.quantity, 4), "r"),
        cell(markup("<b>{}</b>", numbers.signed(trade.pnl, 2)), "r"),
        cell(numbers.signed(trade.r, 2), "r"),
        cell(say(f"exit_{trade.exit_reason}")),
    ]


def list_panel(found: Sequence[ReplaySummary], chosen: str, show: Show) -> Markup:
    """Return the replays there are, each a link."""
    say = show.say
    rows = []
    for each in found:
        name = f"{each.request.base.subject} {each.request.base.candles or ''}".strip()
        if each.report is not None:
            sign, rest = "✓", f"{numbers.number(each.report.decisions)} · {say(f'journal_{verdict_of(each.report)}')}"
            sign = sign if each.report.ended == "done" else "■"
        else:
            sign, rest = ("◐" if each.running else "■"), say("replay_n_of", n=numbers.number(each.done), all=numbers.number(each.total))
        rows.append(replay_link(each.replay_id, chosen, sign, name, rest, show))
    return replay_links(say("replays"), rows)


def replay_address(replay_id: str, show: Show) -> str:
    """Return the address of a replay or a sweep."""
    return f"./replay?{urlencode({'replay': replay_id, 'lang': show.language})}"


def replay_link(replay_id: str, chosen: str, sign: str, name: str, rest: str, show: Show) -> Markup:
    """Return a row of the sidebar. sign: of its state. rest: what comes after its name."""
    current = Markup(' aria-current="page"') if replay_id == chosen else Markup()
    return markup(
        '<a class="tb-rp" href="{}" target="_self"{}><i aria-hidden="true">{}</i><b>{}</b><span>{}</span></a>',
        replay_address(replay_id, show),
        current,
        sign,
        name,
        rest,
    )


def replay_links(title: str, rows: Sequence[Markup]) -> Markup:
    """Return rows of the sidebar under a title; nothing without rows."""
    return markup('<nav class="tb" aria-label="{}"><h3>{}</h3>{}</nav>', title, title, joined(rows)) if rows else Markup()


def _bounds(report: ReplayReport, name: str, decimals: int, sign: int = 1) -> str:
    found = report.intervals.get(name)
    if found is None:
        return ""
    return between(sorted(sign * each for each in found), decimals)


def between(bounds: Sequence[float], decimals: int) -> str:
    """Return `−0.20 – +0.41`."""
    return " – ".join(numbers.signed(each, decimals) for each in bounds)


def _bold_first(figures: Sequence[str]) -> list[Markup]:
    """Return cells of figures, the first of them in bold."""
    first, *rest = figures
    return [cell(markup("<b>{}</b>", first), "r"), *(cell(plain(each), "r") for each in rest)]


def _fall(report: ReplayReport, name: str) -> str:
    value = report.drawdowns.get(name)
    return numbers.percent(-value, 1) if value is not None else numbers.DASH


def in_r(value: float | None) -> str:
    """Return a value in units of what was at risk."""
    return f"{numbers.signed(value, 2)}{numbers.THIN}R" if value is not None else numbers.DASH
