"""Markets made up at random, prompts that hold them, and a whole decision played by the scripted analyst."""

import math
import re
from dataclasses import dataclass
from random import Random

from engine.desks.decision.paths import role_at
from engine.desks.decision.script.voices import decision_voices
from engine.domain.facts import Unit, number_text
from engine.domain.text.language import Language
from engine.llm.protocol import ModelCall, Script
from engine.script.model import ScriptedModel

ANALYSTS = ("indicator", "trend", "sentiment", "pattern")
UNPLANNED = "onchain"
"""An analyst that nobody has written words for."""
PATTERNS = "pattern = engulfing bullish 1\npattern = doji neutral 0\npattern = 3blackcrows bearish 7"


@dataclass(frozen=True)
class Market:
    """A made-up market. values: key -> (value, unit), consistent enough to argue about. step: of prices."""

    values: dict[str, tuple[float | str, Unit]]
    step: float

    def text(self, key: str) -> str:
        """The value as prompts write it."""
        value, unit = self.values[key]
        return value if isinstance(value, str) else number_text(value, unit, self.step)

    def lines(self) -> str:
        """All fact lines."""
        percent = {key: " %" if unit == "percent" else "" for key, (_, unit) in self.values.items()}
        return "\n".join(f"{key} = {self.text(key)}{percent[key]}" for key in self.values)

    def facts(self) -> dict[str, float | str]:
        """Key -> value as the prompt's reader sees it."""
        return {key: value if isinstance(value, str) else float(self.text(key)) for key, (value, _) in self.values.items()}


def make_market(rng: Random, *, position: bool, drop: float = 0.0) -> Market:
    """A market at random. drop: share of facts that is missing."""
    price = 10 ** rng.uniform(-2, 5)
    drift = rng.gauss(0, 1)
    values = _technical(rng, "", price, drift) | _technical(rng, "1h.", price, 0.6 * drift + rng.gauss(0, 0.6)) | _mood(rng, price, drift)
    if position:
        values |= _position(rng, price)
    kept = {key: pair for key, pair in values.items() if rng.random() >= drop}
    return Market(kept, 10.0 ** (round(math.log10(price)) - 5))


def _technical(rng: Random, prefix: str, price: float, drift: float) -> dict[str, tuple[float | str, Unit]]:
    def index(mean: float, spread: float) -> tuple[float, Unit]:
        return min(99.0, max(1.0, rng.gauss(mean, spread))), "index"

    macd = price * 0.004 * (drift + rng.gauss(0, 0.5))
    signal = macd - price * 0.001 * (0.5 * drift + rng.gauss(0, 0.7))
    middle, width = price * (1 - 0.006 * drift), price * rng.uniform(0.01, 0.03)
    atr = price * rng.uniform(0.003, 0.012)
    values: dict[str, tuple[float | str, Unit]] = {
        "rsi_14": index(50 + 15 * drift, 8),
        "adx_14": index(26, 9),
        "plus_di": index(22 + 8 * drift, 4),
        "minus_di": index(22 - 8 * drift, 4),
        "macd": (macd, "macd"),
        "macd_signal": (signal, "macd"),
        "macd_hist": (macd - signal, "macd"),
        "sma_50": (price * (1 - 0.012 * (drift + rng.gauss(0, 0.4))), "price"),
        "bb_upper": (middle + width, "price"),
        "bb_middle": (middle, "price"),
        "bb_lower": (middle - width, "price"),
        "vwap": (price * (1 - 0.004 * drift), "price"),
        "atr_14": (atr, "price"),
        "atr_pct": (atr / price * 100, "percent"),
        "volume_ratio_20": (rng.lognormvariate(0, 0.5), "ratio"),
        "stoch_k": index(50 + 30 * drift, 15),
        "stoch_d": index(50 + 28 * drift, 15),
        "cci_20": (100 * drift + rng.gauss(0, 50), "index"),
        "mfi_14": index(50 + 15 * drift, 12),
        "obv_trend": (rng.choice(["rising", "falling", "flat"]), "word"),
    }
    for length, reach in ((10, 0.2), (20, 0.5), (50, 1.0), (200, 2.2)):
        values[f"ema_{length}"] = (price * (1 - 0.01 * reach * (drift + rng.gauss(0, 0.4))), "price")
    return {prefix + key: pair for key, pair in values.items()}


def _mood(rng: Random, price: float, drift: float) -> dict[str, tuple[float | str, Unit]]:
    return {
        "close": (price, "price"),
        "change_24h_pct": (2.5 * drift + rng.gauss(0, 1), "percent"),
        "funding_rate_pct": (rng.gauss(0.008, 0.015), "percent"),
        "oi_change_pct": (rng.gauss(0, 4), "percent"),
        "fear_greed": (float(rng.randint(3, 97)), "index"),
        "support": (price * (1 - abs(rng.gauss(0.012, 0.01)) - 0.001), "price"),
        "resistance": (price * (1 + abs(rng.gauss(0.012, 0.01)) + 0.001), "price"),
    }


def _position(rng: Random, price: float) -> dict[str, tuple[float | str, Unit]]:
    side = rng.choice(["long", "short"])
    profit = rng.gauss(0.8, 2)
    best = max(0.0, profit) + abs(rng.gauss(0, 1.5))
    return {
        "side": (side, "word"),
        "entry_price": (price / (1 + (1 if side == "long" else -1) * profit / 100), "price"),
        "profit_pct": (profit, "percent"),
        "mfe_pct": (best, "percent"),
        "mae_pct": (min(0.0, profit) - abs(rng.gauss(0, 1)), "percent"),
        "drawdown_from_peak_pct": (best - profit, "percent"),
        "hold_count": (float(rng.randint(1, 150)), "bars"),
        "leverage": (float(rng.randint(1, 20)), "multiple"),
        "size": (rng.uniform(0.1, 5), "amount"),
    }


RULES = "max_leverage = 10\nmin_confidence = 55\nmin_risk_reward_ratio = 1.5\nmax_stop_distance_pct = 5"


def call(node: str, user: str, language: Language = "en", context: str = "c0ffee", system: str = "") -> ModelCall:
    """A call as the desk makes it. node: where; the role follows from it."""
    return ModelCall(role=role_at(node), node=node, language=language, system=system, user=user, context=context)


def scripted(*, lies: float = 0.0, seed: int = 0, pace: float = 1.0) -> ScriptedModel:
    """The scripted model with the voices of a decision."""
    return ScriptedModel(decision_voices((*ANALYSTS, UNPLANNED), lies=lies, seed=seed), seed=seed, pace=pace)


def vote_of(text: str, key: str) -> str:
    """The value behind a key of a closing block or an executor's form, by the plainest reading."""
    found = re.findall(rf"^{key}: (\S+)$", text, re.MULTILINE)
    assert len(found) == 1, (key, found, text)
    return str(found[0])


def play(model: ScriptedModel, market: Market, language: Language, context: str, *, position: bool) -> dict[str, Script]:
    """A whole decision: role -> what it said, each prompt built from the answers before."""
    prefix = "position_" if position else ""
    said: dict[str, Script] = {}
    notes: list[str] = []

    def ask(role: str, user: str, system: str = "") -> str:
        said[role] = model.write(call(role, user, language, context, system))
        return said[role].text

    for role in ANALYSTS:
        text = ask(role, market.lines() + (f"\n{PATTERNS}" if role == "pattern" else ""))
        notes.append(f"{role}: {vote_of(text, 'direction')} {vote_of(text, 'confidence')}")
    notes.append(consensus_line(notes))
    for side in ("bull", "bear"):
        text = ask(prefix + side, "\n".join((market.lines(), *notes)))
        notes.append(f'{prefix}{side}: confidence {vote_of(text, "confidence")}\n<said by="{side}">\nrsi_14 = 1.0\n{text}</said>')
    ruling = ask(prefix + "judge", "\n".join((market.lines(), *notes)))
    notes.append(f"judge: {vote_of(ruling, 'verdict')} {vote_of(ruling, 'direction')} {vote_of(ruling, 'confidence')}")
    price = f"price = {market.text('close')}\n" if "close" in market.values else ""
    ask("executor", f"{price}path = {'position' if position else 'entry'}\n{market.lines()}\n" + "\n".join(notes), RULES)
    return said


def consensus_line(votes: list[str]) -> str:
    """The consensus of the analysts' lines: the direction with the most confidence behind it."""
    weight: dict[str, float] = {}
    for vote in votes:
        _, direction, confidence = vote.split()
        weight[direction] = weight.get(direction, 0.0) + float(confidence)
    best = max(weight, key=lambda direction: weight[direction])
    return f"consensus: {best} {weight[best] / sum(weight.values()) * 80:.1f} (long 0.50 short 0.25 neutral 0.25)"
