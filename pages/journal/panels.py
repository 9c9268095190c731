"""Was it right, and what were people's answers worth. HTML, without streamlit.

Nothing is claimed of too few decisions: they are counted, and called too few.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from markupsafe import Markup

from engine.domain.calibration import ENOUGH, Calibration
from engine.domain.honesty import HonestyRow
from engine.domain.interval import wilson
from engine.domain.market.instrument import FeedName
from engine.domain.outcome import JournalSummary, PersonGroup, Total
from pages.chart.curves import Curve
from pages.frame import numbers
from pages.frame.cards import head, heading, label, titled, verdict_card
from pages.frame.escape import joined, markup
from pages.frame.show import Show

Point = tuple[int, float]
"""UTC milliseconds, R."""
_MOST_POINTS = 120
_ONLY: Final[Mapping[FeedName, str]] = {
    "simulated": "journal_only_simulated",
    "recorded": "journal_only_recorded",
    "live": "journal_only_live",
}
_OWN = ("edited", "handled", "rejected", "expired")
"""What people answered, left unanswered, or did with a position."""


def journal_head(found: JournalSummary, feed: FeedName | None, show: Show) -> Markup:
    """Return the page's line: how many decisions on which prices, of how many it is known what they came to, and from when they are. feed:
    None before there is a decision."""
    counts = {"decisions": found.decisions, "none": found.nothing_to_follow, "final": found.final, "open": found.still_open}
    title, said = show.say("journal"), show.say("journal_counts", **{name: numbers.number(value) for name, value in counts.items()})
    kind, span = Markup(), Markup()
    if feed is not None:
        kind = markup('<span class="kv">{}</span>', show.say(_ONLY[feed]))
    if found.begins is not None and found.ends is not None:
        days = {"begins": f"{found.begins:%Y-%m-%d}", "ends": f"{found.ends:%Y-%m-%d}"}
        span = markup('<span class="kv">{}</span>', show.say("journal_span", **days))
    return markup('<div class="tb tb-market"><span class="sym">{}</span>{}<span class="kv">{}</span>{}</div>', title, kind, said, span)


def verdict_panel(found: JournalSummary, measured: Calibration, honesty: Sequence[HonestyRow], show: Show) -> Markup:
    """Return whether the result is better than chance, in a word, and the figures that it rests on."""
    say, total = show.say, found.orders
    word = verdict_of(total)
    means = say(f"journal_{word}_means", n=numbers.number(total.n), **({"least": ENOUGH} if word == "few" else {}))
    deepest, now = drawdowns(found)
    levels = [
        _level(say("journal_with_you"), _r(total.r if total.n else None), _interval(total, show)),
        _level(
            say("journal_machine"),
            _r(found.plans.r if found.plans.n else None),
            say("journal_machine_means", n=numbers.number(found.plans.n)),
        ),
        _level(say("journal_right"), *_right(found.plans, show)),
        _level(say("journal_drawdown"), _r(deepest), say("journal_drawdown_now", now=_r(now)) if now is not None else ""),
        _level(
            say("journal_brier"),
            numbers.number(measured.brier, 3) if measured.enough else numbers.DASH,
            say("journal_brier_means", skill=numbers.signed(measured.skill, 3)) if measured.enough else say("journal_few"),
        ),
        *_false(honesty, show),
    ]
    return verdict_card(say(f"journal_{word}"), means, levels, say("journal"))


def _false(honesty: Sequence[HonestyRow], show: Show) -> list[Markup]:
    claims, false = (sum(getattr(row, name) for row in honesty if row.by == "role") for name in ("claims", "false"))
    if not claims:
        return []
    share = f"{numbers.number(false / claims * 100, 1)}{numbers.THIN}%"
    counted = show.say("honesty_total", false=numbers.number(false), total=numbers.number(claims))
    return [_level(show.say("false_claims"), share, counted)]


def verdict_of(total: Total) -> str:
    """Return whether the results of orders are more than chance."""
    return chance_word(total.n, total.low, total.high)


def chance_word(n: int, low: float | None, high: float | None) -> str:
    """Return `few`, `proven`, `unproven` or `loses`. n, low, high: of the results, with the interval of their mean."""
    if n < ENOUGH or low is None or high is None:
        return "few"
    return "proven" if low > 0 else "loses" if high < 0 else "unproven"


def drawdowns(found: JournalSummary) -> tuple[float | None, float | None]:
    """Return the deepest fall of the account's result from its highest, and the present one, in R, 0 or below; None without an order."""
    if not found.orders.n:
        return None, None
    falls = [each for _, each in fallen(found)]
    return min(falls), falls[-1]


def fallen(found: JournalSummary) -> list[Point]:
    """Return by how much the account's result is below its highest, by day: (UTC milliseconds, R)."""
    level = peak = 0.0
    points = []
    for day, own, _ in found.days:
        level += own
        peak = max(peak, level)
        points.append((_ms(day.isoformat()), level - peak))
    return points


def result_curves(found: JournalSummary, show: Show) -> list[Curve]:
    """Return the account's result beside the machine's, and below it the drawdown, over the days on which something ended; none without two
    days."""
    if len(found.days) < 2:
        return []
    own = machine = 0.0
    with_you, alone, below = list[Point](), list[Point](), fallen(found)
    for day, its, plans in found.days:
        own, machine = own + its, machine + plans
        with_you.append((_ms(day.isoformat()), own))
        alone.append((_ms(day.isoformat()), machine))
    size = -(-len(found.days) // _MOST_POINTS)  # so many days are one point: where they left the result, and their deepest fall
    ends = sorted({*range(size - 1, len(with_you), size), len(with_you) - 1})
    with_you, alone = [with_you[at] for at in ends], [alone[at] for at in ends]
    below = [min(below[at : at + size], key=lambda point: point[1]) for at in range(0, len(below), size)]
    name = show.say("journal_curve_machine")
    if not found.orders.n:
        return [Curve(name, "R", tuple(alone))]
    both = Curve(show.say("journal_curve_you"), "R", tuple(with_you), second=(f"{name} {_r(machine)}", tuple(alone)))
    return [both, Curve(show.say("journal_curve_drawdown"), "R", tuple(below), falls=True)]


def curves_head(show: Show, n: int) -> Markup:
    """Return the head of the result's curves."""
    return head(heading(show.say("journal_curve")), label(show.say("col_n"), numbers.number(n)))


def person_panel(groups: Sequence[PersonGroup], show: Show) -> Markup:
    """Return the way from what the machine's plans would have brought to what the account got: what limits, refusals, edits and missed
    answers were worth, with how many there were."""
    say, title = show.say, show.say("person")
    answers = [each for each in groups if each.answer != "filled"]
    if not answers:
        return titled(title, markup("<p>{}</p>", say("person_none")))
    machine, n = sum(each.machine_r for each in groups), sum(each.n for each in groups)
    steps, level = [(say("person_machine"), n, 0.0, machine, "all")], machine
    for each in answers:
        steps.append((say(f"person_{each.answer}"), each.n, level, level + each.worth, "step"))
        level += each.worth
    steps.append((say("person_you"), n, 0.0, level, "own"))
    lowest = min(min(begin, end) for _, _, begin, end, _ in steps)
    scale = max(max(begin, end) for _, _, begin, end, _ in steps) - lowest or 1.0
    bars = joined(_step(*step, lowest=lowest, scale=scale) for step in steps)
    own = [each for each in answers if each.answer in _OWN]
    count = sum(each.n for each in own)
    worth = numbers.signed(sum(each.worth for each in own), 2)
    said = markup("<p>{}</p>", say("person_worth", worth=worth, n=numbers.number(count))) if count else ""
    few = markup('<p><span class="tb-few">{}</span></p>', say("person_few", n=numbers.number(count))) if 0 < count < ENOUGH else ""
    note = markup('<p class="tb-lab">{}</p>', say("person_note"))
    way = markup('<div class="tb-wf way">{}</div>', bars)
    return titled(title, way, said, few, note, beside=label(say("person_unit")))


def _step(name: str, n: int, begin: float, end: float, kind: str, *, lowest: float, scale: float) -> Markup:
    """Return a row of the way: name and number, and a bar between two levels, in R."""
    room = 80 / scale  # percent of the row for one R: its figure comes after the bar
    left, right = (min(begin, end) - lowest) * room, (max(begin, end) - lowest) * room
    value = numbers.signed(end - begin, 2)
    bar = markup('<span class="b {}" style="left:{}%;width:{}%"></span>', kind, f"{left:.1f}", f"{max(right - left, 0.8):.1f}")
    figure = markup('<b style="left:{}%">{}</b>', f"{max(right, left + 0.8):.1f}", value)
    return markup(
        '<span class="n {}">{} <span class="tb-lab">{}</span></span><span class="w">{}{}</span>', kind, name, numbers.number(n), bar, figure
    )


def _right(total: Total, show: Show) -> tuple[str, str]:
    if not total.n:
        return numbers.DASH, ""
    low, high = wilson(total.right, total.n)
    words = show.say("journal_right_means", low=numbers.number(low * 100), high=numbers.number(high * 100), n=numbers.number(total.n))
    return f"{numbers.number(total.right / total.n * 100)}{numbers.THIN}%", words


def _interval(total: Total, show: Show) -> str:
    if total.low is None or total.high is None:
        return ""
    return show.say("journal_interval", low=numbers.signed(total.low, 1), high=numbers.signed(total.high, 1))


def _level(name: str, value: str, small: str) -> Markup:
    return markup('<div><span class="tb-lab">{}</span><span class="v">{}</span><span class="s">{}</span></div>', name, value, small)


def _r(value: float | None) -> str:
    return f"{numbers.signed(value, 1)}{numbers.THIN}R" if value is not None else numbers.DASH


def _ms(day: str) -> int:
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000)
