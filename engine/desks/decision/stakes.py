"""What is decided, as every deciding role is told it: question, horizon, what a confidence means, costs, limits, the cost of waiting.

Pure. One text for debaters and judge, so that it is the same bytes in each of their prompts; the executor has its own rules and takes the
sentences it lacks from here.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from engine.domain.holding import Holding
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.language import Language
from engine.prompts.render import Text, render

if TYPE_CHECKING:
    from engine.desks.decision.context import DecisionContext

HORIZON_BARS = 24
_HOUR_MS, _DAY_MS = 3_600_000, 86_400_000

_HEAD: Text = {"en": "=== What is decided ===", "zh": "=== 要决定的事 ==="}
_QUESTION: Mapping[str, Text] = {
    "entry": {
        "en": "Whether to open a long or a short now, or to wait.",
        "zh": "现在开多、开空，还是等待。",
    },
    "spot": {
        "en": (
            "Whether to buy now or to wait. This is a spot market, paid in full: no short, no leverage, no liquidation. SHORT is the view "
            "that price falls; it speaks for waiting."
        ),
        "zh": "现在买入做多，还是等待。这是现货市场，须全额付款：不能做空，没有杠杆与强平。SHORT 表示看跌，即主张等待。",
    },
    "position": {
        "en": "What becomes of the open position: keep it, add to it, reduce it or close it. {held}",
        "zh": "未平仓位如何处理：继续持有、加仓、减仓或平仓。{held}",
    },
}
_HELD: Mapping[str, Text] = {
    "long": {
        "en": "The open position is LONG: it earns when price rises and loses when price falls.",
        "zh": "当前持有多单（LONG）：价格上涨时盈利，下跌时亏损。",
    },
    "short": {
        "en": "The open position is SHORT: it earns when price falls and loses when price rises.",
        "zh": "当前持有空单（SHORT）：价格下跌时盈利，上涨时亏损。",
    },
}
_WITHIN: Text = {
    "en": "Horizon: the next {bars} candles of {timeframe} (about {span}).",
    "zh": "期限：接下来 {bars} 根 {timeframe} K线（约 {span}）。",
}
_CONFIDENCE: Mapping[str, Text] = {
    "entry": {
        "en": (
            "Your confidence is the probability in percent that within it price goes 1 ATR your way before 1 ATR against you; "
            "50 means no view. State it as yourself, not as an advocate."
        ),
        "zh": (
            "置信度是你认为在此期间价格先朝你的方向走 1 个 ATR、而非先反向走 1 个 ATR 的概率（%），50 表示没有看法。"
            "按你本人的判断填写，不要按辩护立场填写。"
        ),
    },
    "position": {
        "en": (
            "Your confidence is the probability in percent that within it your choice proves right: price goes 1 ATR for the position "
            "(keeping, adding) or 1 ATR against it (reducing, closing) before 1 ATR the other way; 50 means no view. State it as yourself, "
            "not as an advocate."
        ),
        "zh": (
            "置信度是你认为在此期间你的选择正确的概率（%）：价格先朝有利于仓位的方向走 1 个 ATR（持有、加仓），"
            "或先朝不利的方向走 1 个 ATR（减仓、平仓）；50 表示没有看法。按你本人的判断填写，不要按辩护立场填写。"
        ),
    },
}
_COSTS: Text = {
    "en": "Costs: a trade in and out takes {cost} % of the price{in_atr}{funding}.",
    "zh": "成本：一进一出约为价格的 {cost}%{in_atr}{funding}。",
}
_AND_FUNDING: Text = {"en": "; funding comes on top", "zh": "，另有资金费用"}
_IN_ATR: Text = {"en": " ({n} ATR)", "zh": "（{n} 个 ATR）"}
_LIMITS: Text = {
    "en": (
        "Limits that code checks afterwards: reward to risk at least {ratio}, {after_costs} after costs; stop at most {stop} % from the "
        "price; leverage at most {leverage}."
    ),
    "zh": "程序事后核验的限制：盈亏比不低于 {ratio}，计成本后不低于 {after_costs}；止损距价格不超过 {stop}%；杠杆不超过 {leverage} 倍。",
}
WAITING: Mapping[str, Text] = {
    "entry": {
        "en": "Waiting has a cost too: the move that is missed. Name it.",
        "zh": "等待也有代价，即错过的行情：请说明。",
    },
    "position": {
        "en": "Leaving things as they are has a cost too: what is given back, or the move that is missed. Name it.",
        "zh": "维持不变也有代价，即回吐的利润或错过的行情：请说明。",
    },
}


def stakes(context: "DecisionContext") -> str:
    """Return what debaters and judge are told of the decision."""
    language, path, risk = context.language, context.path.name, context.risk
    limits = render(
        _LIMITS[language],
        ratio=f"{risk.min_risk_reward_ratio:g}",
        after_costs=f"{risk.min_risk_reward_after_costs:g}",
        stop=f"{risk.max_stop_distance_pct:g}",
        leverage=f"{risk.max_leverage:g}",
    )
    lines = (
        _HEAD[language],
        _question(context),
        f"{horizon(context.snapshot.timeframe, language)} {_CONFIDENCE[path][language]}",
        _costs(context),
        limits,
        WAITING[path][language],
    )
    return "\n".join(filter(None, lines))


def view_stakes(timeframe: Timeframe, language: Language) -> str:
    """Return what an analyst is told: the horizon, and what its confidence means."""
    return f"{horizon(timeframe, language)} {_CONFIDENCE['entry'][language]}"


def horizon(timeframe: Timeframe, language: Language) -> str:
    """Return how far a decision looks ahead."""
    return render(_WITHIN[language], bars=str(HORIZON_BARS), timeframe=str(timeframe), span=_span(HORIZON_BARS * timeframe.ms))


def held(holding: Holding | None, language: Language) -> str:
    """Return which side an open position has and what earns on it; "" without one."""
    return _HELD[holding.side][language] if holding is not None else ""


def cost_pct(snapshot: Snapshot) -> float | None:
    """Return what a trade in and out costs, percent of the price; None where the market's terms are not known."""
    from engine.trading.figures import round_trip_cost_pct  # noqa: PLC0415 - pages read the analysts' titles, not what an order costs

    return round_trip_cost_pct(snapshot.price, snapshot.terms) if snapshot.terms is not None else None


def _question(context: "DecisionContext") -> str:
    on_spot = context.path.paid_in_full and context.path.name == "entry"
    template = _QUESTION["spot" if on_spot else context.path.name][context.language]
    side = held(context.snapshot.holding, context.language)
    return render(template, held=side) if side else template


def _costs(context: "DecisionContext") -> str:
    cost, atr_pct, language = cost_pct(context.snapshot), context.sheet.number("atr_pct"), context.language
    if cost is None:
        return ""
    in_atr = render(_IN_ATR[language], n=f"{cost / atr_pct:.2g}") if atr_pct else ""
    funding = "" if context.path.paid_in_full else _AND_FUNDING[language]
    return render(_COSTS[language], cost=f"{cost:.2g}", in_atr=in_atr, funding=funding)


def _span(ms: int) -> str:
    if ms >= 2 * _DAY_MS:
        return f"{ms / _DAY_MS:g} d"
    return f"{ms / _HOUR_MS:g} h" if ms >= _HOUR_MS else f"{ms / 60_000:g} min"
