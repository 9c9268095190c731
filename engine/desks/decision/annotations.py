"""What the chart draws of a decision: the state's `chart_annotations`. Pure.

`{"type", "price", "timestamp"}` with `label`, `direction`, `source`, `claimed`, `actual` where they apply. `type`: support, resistance,
pattern, false_level (a false price, or a false RSI value, that a debater stated), entry, stop, target.
"""

from datetime import UTC, datetime

from engine.desks.decision.context import DecisionContext
from engine.desks.decision.paths import GROUNDING_RESULT, Path
from engine.desks.decision.state import Json
from engine.domain.decision import Signal
from engine.domain.market.snapshot import Snapshot

_SHOWN_PATTERNS = 6


def annotations(final: Json, path: Path, context: DecisionContext) -> list[Json]:
    """Return what the chart draws: key levels, patterns, false price levels, and the decision's entry, stop and target."""
    snapshot = context.snapshot
    last = _iso(int(snapshot.candles.opened_at[-1]))
    marks: list[Json] = [
        {"type": kind, "price": final[field], "timestamp": last}
        for kind, field in (("support", "key_support"), ("resistance", "key_resistance"))
        if final[field] is not None
    ]
    recent = sorted((p for p in context.sheet.patterns if p.timeframe == context.sheet.timeframe), key=lambda p: p.bars_ago)
    marks += [_pattern_mark(snapshot, pattern.bar_time, pattern.name, pattern.direction) for pattern in recent[:_SHOWN_PATTERNS]]
    result = final[path.key(GROUNDING_RESULT)] or {"claims": []}
    marks += [
        {"type": "false_level", "price": c["claimed"], "timestamp": last, "label": c["key"]}
        | {"source": c["source"], "claimed": c["claimed"], "actual": c["actual"]}
        for c in result["claims"]
        if c["verdict"] == "false"
        and c["source"] in path.debaters
        and (c["unit"] == "price" or c["key"] == "rsi_14")
        and c["relation"] == "="
        and isinstance(c["claimed"], float)
    ]
    if final["final_action"] in (Signal.ENTRY_LONG, Signal.ENTRY_SHORT):
        marks += [
            {"type": kind, "price": price, "timestamp": last}
            for kind, price in (
                ("entry", snapshot.price),
                ("stop", final["stop_loss_price"]),
                ("target", final["take_profit_price"]),
            )
        ]
    elif snapshot.holding is not None:
        opened = snapshot.holding.opened_at.astimezone(UTC).isoformat()
        marks.append({"type": "entry", "price": snapshot.holding.entry_price, "timestamp": opened, "direction": snapshot.holding.sign()})
    return marks


def _pattern_mark(snapshot: Snapshot, bar_time: int, name: str, direction: int) -> Json:
    index = int((snapshot.candles.opened_at == bar_time).argmax())
    candle = snapshot.candles[index]
    price = candle.high if direction < 0 else candle.low
    return {"type": "pattern", "price": price, "timestamp": _iso(bar_time), "label": name, "direction": direction}


def _iso(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat()
