"""What became of a plan: whether the candles after the decision touched its stop or its target, and which came first. Pure."""

from engine.domain.market.candles import Candles
from engine.domain.opinion import Direction
from pages.frame import json_fields, numbers
from pages.frame.show import Show


def aftermath_text(result: json_fields.Fields, later: Candles, show: Show) -> str:
    """Return one sentence over these candles. result: the run's final state."""
    say, count = show.say, len(later)
    last = numbers.price(float(later.close[-1]), show.step)
    until = say("later_until", n=count, at=numbers.bar_time(later.closed_at), price=last)
    stop, target = json_fields.number(result, "stop_loss_price"), json_fields.number(result, "take_profit_price")
    side = json_fields.words(result, "final_direction")
    if stop is None or target is None or side not in (Direction.LONG, Direction.SHORT):
        return until
    for index in range(count):
        low, high = float(later.low[index]), float(later.high[index])
        stopped, won = (low <= stop, high >= target) if side == Direction.LONG else (high >= stop, low <= target)
        if stopped or won:
            found = "later_both" if stopped and won else "later_stop" if stopped else "later_target"
            return f"{until} · {say(found, n=index + 1, at=numbers.bar_time(int(later.opened_at[index])))}"
    return f"{until} · {say('later_neither')}"
