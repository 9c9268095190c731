"""What is decided, as every deciding role is told it: question, horizon, what a confidence means, costs, limits, the cost of waiting.

Pure. One text for debaters and judge, so that it is the same bytes in each of their prompts; the executor has its own rules and takes the
sentences it lacks from here.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engine.domain.holding import Holding
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.language import Language
from engine.domain.text.word_files import read_paragraphs
from engine.prompts.render import Text, render

if TYPE_CHECKING:
    from engine.desks.decision.context import DecisionContext

HORIZON_BARS = 24
_HOUR_MS, _DAY_MS = 3_600_000, 86_400_000

_TEXTS = read_paragraphs(Path(__file__).parent, "stakes")
WAITING: Mapping[str, Text] = _TEXTS.pop("waiting")


def stakes(context: "DecisionContext") -> str:
    """Return what debaters and judge are told of the decision."""
    language, path, risk = context.language, context.path.name, context.risk
    limits = render(
        _TEXTS["limits"][language],
        ratio=f"{risk.min_risk_reward_ratio:g}",
        after_costs=f"{risk.min_risk_reward_after_costs:g}",
        stop=f"{risk.max_stop_distance_pct:g}",
        leverage=f"{risk.max_leverage:g}",
    )
    lines = (
        _TEXTS["head"][language],
        _question(context),
        f"{horizon(context.snapshot.timeframe, language)} {_TEXTS['confidence'][path][language]}",
        _costs(context),
        limits,
        WAITING[path][language],
    )
    return "\n".join(filter(None, lines))


def view_stakes(timeframe: Timeframe, language: Language) -> str:
    """Return what an analyst is told: the horizon, and what its confidence means."""
    return f"{horizon(timeframe, language)} {_TEXTS['confidence']['entry'][language]}"


def horizon(timeframe: Timeframe, language: Language) -> str:
    """Return how far a decision looks ahead."""
    return render(_TEXTS["within"][language], bars=str(HORIZON_BARS), timeframe=str(timeframe), span=_span(HORIZON_BARS * timeframe.ms))


def held(holding: Holding | None, language: Language) -> str:
    """Return which side an open position has and what earns on it; "" without one."""
    return str(_TEXTS["held"][holding.side][language]) if holding is not None else ""


def cost_pct(snapshot: Snapshot) -> float | None:
    """Return what a trade in and out costs, percent of the price; None where the market's terms are not known."""
    from engine.trading.figures import round_trip_cost_pct  # noqa: PLC0415 - pages read the analysts' titles, not what an order costs

    return round_trip_cost_pct(snapshot.price, snapshot.terms) if snapshot.terms is not None else None


def _question(context: "DecisionContext") -> str:
    on_spot = context.path.paid_in_full and context.path.name == "entry"
    template: str = _TEXTS["question"]["spot" if on_spot else context.path.name][context.language]
    side = held(context.snapshot.holding, context.language)
    return render(template, held=side) if side else template


def _costs(context: "DecisionContext") -> str:
    cost, atr_pct, language = cost_pct(context.snapshot), context.sheet.number("atr_pct"), context.language
    if cost is None:
        return ""
    in_atr = render(_TEXTS["in_atr"][language], n=f"{cost / atr_pct:.2g}") if atr_pct else ""
    funding = "" if context.path.paid_in_full else _TEXTS["and_funding"][language]
    return render(_TEXTS["costs"][language], cost=f"{cost:.2g}", in_atr=in_atr, funding=funding)


def _span(ms: int) -> str:
    if ms >= 2 * _DAY_MS:
        return f"{ms / _DAY_MS:g} d"
    return f"{ms / _HOUR_MS:g} h" if ms >= _HOUR_MS else f"{ms / 60_000:g} min"
