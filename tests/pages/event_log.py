"""What the events of a run are made of, for the tests of the desk: texts, claims, a log that is filled turn by turn.

The claims are found by their words in the texts below, so their offsets are right by construction.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from engine.domain.claims import Claim, Verdict
from engine.domain.events import Event, EventKind

START = datetime(2026, 5, 17, 9, 0, 1, tzinfo=UTC)

TEXTS = {
    "indicator": "RSI 48.6 sits in the middle and MACD 5.9 has slipped under its signal 8.9. ADX 15.9 says that nothing trends.",
    "trend": "Price trades below EMA 20, 50 and 200 (78,701). It has ranged from 77,675 to 78,300, with a lower high last night.",
    "sentiment": "Funding is 0.0040 %: nobody pays to be long, nobody is squeezed. Open interest is not known here and is left out.",
    "pattern": "An engulfing bar at 06:15 followed the shooting star of 16:00. Buyers last defended 77,675 at 02:00.",
    "bull": (
        "Two days of selling failed to break 77,675.4, so every dip has found a buyer. "
        "RSI(14) at 28.4 is oversold and shorts will want out.\n\n"
        "Price has climbed back over the EMA 200 at 77,850. Funding of 0.004 % leaves no crowd to flush, "
        "and a bullish divergence is building. "
        "With ATR at 93.5 a stop under 77,590 costs little; if 78,300 breaks, 78,900 is open."
    ),
    "bear": (
        "All three averages are overhead: EMA 20 at 78,068, EMA 50 at 78,089, EMA 200 at 78,701. "
        "**MACD is below its signal** and the histogram is −3.0.\n\n"
        "- ADX(14) at 31 shows a strong downtrend\n- volume is 0.44 times its average\n"
        "- the next resistance stands at 78,850, so a stop has room"
    ),
    "judge": (
        "Both accept support at 77,675. Bull needs an oversold reading, yet RSI is near 49. "
        "Price is under the EMA 20 and the 4h downtrend agrees."
    ),
    "executor": (
        "[Decision]\naction: ENTRY_SHORT\nconfidence: 58\nleverage: 3\ndirection: SHORT\n\n"
        "[Risk management]\nstop_loss_price: 78200\ntake_profit_price: 77690\nrisk_reward_ratio: 2.4\n\n"
        "[Reasoning]\nShort, and small. On the corrected record RSI is 48.6 and price is under the EMA 200 at 78,701.5, "
        "which removes Bull's case. "
        "ADX at 15.9 means a range, so the target stays in front of 77,675.\n\n"
        "[Key factors]\n- Under EMA 20, 50 and 200\n- Bull's oversold reading was false\n- Support is four ATR away\n\n"
        "[Risk assessment]\nThin weekend volume can spike either way. A close above 78,200 ends the idea."
    ),
    "position_bull": "We are long from 77,400 and +0.82 % up after 34 bars. The best point was 1.9 %, so most of it is still there.",
    "position_bear": "Half of the gain is gone: MFE was 1.21 % and RSI is 48.6. A trailing exit is due if 77,675 gives way.",
    "position_judge": "Bear is right that the peak is behind us. Take part of it off and let the rest run to 78,300.",
}
VOTES = {
    "indicator": "direction: SHORT\nconfidence: 60\nsupport: 77675.4\nresistance: 78300",
    "trend": "direction: SHORT\nconfidence: 66\nsupport: 77675.4\nresistance: 78300",
    "sentiment": "direction: NEUTRAL\nconfidence: 50\nsupport: \nresistance: ",
    "pattern": "direction: SHORT\nconfidence: 57\nsupport: 77675.4\nresistance: 78300",
    "bull": "confidence: 62",
    "bear": "confidence: 68",
    "judge": "verdict: BEAR\ndirection: SHORT\nconfidence: 64",
    "position_bull": "confidence: 58",
    "position_bear": "confidence: 66",
    "position_judge": "verdict: PARTIAL_EXIT\nconfidence: 63\nadjustment_pct: -50",
}
ANALYSTS = ("indicator", "trend", "sentiment", "pattern")


def spoken(role: str) -> str:
    """A role's whole answer: its words and, but for the executor, the closing block."""
    return TEXTS[role] + (f"\n\n{VOTES[role]}" if role in VOTES else "")


def claim(source: str, words: str, key: str, claimed: Any, actual: Any, **more: Any) -> Claim:
    """A claim on `words`, which stand once in the source's text. `value`: the part that carries the value, else all of it."""
    text = spoken(source)
    start = text.index(words)
    part = more.pop("value", words)
    at = start + words.index(part)
    verdict: Verdict = more.pop("verdict", "true")
    kind = "qualitative" if isinstance(claimed, str) else "quantitative"
    unit = more.pop("unit", "price")
    span = {"start": start, "end": start + len(words), "value_start": at, "value_end": at + len(part)}
    relation = "state" if kind == "qualitative" else "="
    fields = {"source": source, "text": words, "key": key, "kind": kind, "relation": relation, "claimed": claimed, "actual": actual}
    return Claim.model_validate({**fields, **span, "verdict": verdict, "unit": unit, **more})


def entry_claims() -> tuple[Claim, ...]:
    """What grounding finds in the entry debate: four false, one that cannot be checked."""
    false: dict[str, Any] = {"verdict": "false"}
    return (
        claim("indicator", "RSI 48.6", "rsi_14", 48.6, 48.6, value="48.6", unit="index"),
        claim("indicator", "ADX 15.9", "adx_14", 15.9, 15.9, value="15.9", unit="index"),
        claim("trend", "200 (78,701)", "ema_200", 78701.0, 78701.5, value="78,701"),
        claim("sentiment", "Funding is 0.0040 %", "funding_rate_pct", 0.004, 0.004, value="0.0040 %", unit="percent"),
        claim("bull", "77,675.4", "support", 77675.4, 77675.4),
        claim("bull", "RSI(14) at 28.4", "rsi_14", 28.4, 48.6, value="28.4", unit="index", deviation=-0.4156, tolerance=2.43, **false),
        claim("bull", "EMA 200 at 77,850", "ema_200", 77850.0, 78701.5, value="77,850", deviation=-0.01082, tolerance=393.5, **false),
        claim("bull", "Funding of 0.004 %", "funding_rate_pct", 0.004, 0.004, value="0.004 %", unit="percent"),
        claim(
            "bull",
            "bullish divergence",
            "rsi_14",
            "bullish_divergence",
            None,
            unit="index",
            verdict="unverifiable",
            reason="it needs past readings",
        ),
        claim("bull", "ATR at 93.5", "atr_14", 93.5, 93.5, value="93.5"),
        claim("bear", "EMA 20 at 78,068", "ema_20", 78068.0, 78068.2, value="78,068"),
        claim("bear", "EMA 50 at 78,089", "ema_50", 78089.0, 78089.3, value="78,089"),
        claim("bear", "EMA 200 at 78,701", "ema_200", 78701.0, 78701.5, value="78,701"),
        claim("bear", "MACD is below its signal", "macd", "dead_cross", 5.9, unit="macd"),
        claim("bear", "histogram is −3.0", "macd_hist", -3.0, -3.0, value="−3.0", unit="macd"),
        claim("bear", "ADX(14) at 31", "adx_14", 31.0, 15.9, value="31", unit="index", deviation=0.9497, tolerance=2.0, **false),
        claim("bear", "volume is 0.44 times", "volume_ratio_20", 0.44, 0.44, value="0.44 times", unit="ratio"),
        claim(
            "bear", "resistance stands at 78,850", "resistance", 78850.0, 78300.0, value="78,850", deviation=0.007, tolerance=391.5, **false
        ),
        claim("judge", "support at 77,675", "support", 77675.0, 77675.4, value="77,675"),
        claim("judge", "RSI is near 49", "rsi_14", 49.0, 48.6, value="49", unit="index", hedged=True),
        claim("judge", "under the EMA 20", "ema_20", "price_below", 78068.2),
        claim("judge", "4h downtrend", "4h.adx_14", "bearish_align", None, verdict="unverifiable", reason="there are no 4h facts"),
    )


def position_claims() -> tuple[Claim, ...]:
    """What grounding finds in the position debate: one false."""
    return (
        claim("position_bull", "+0.82 %", "profit_pct", 0.82, 0.82, unit="percent"),
        claim("position_bull", "34 bars", "hold_count", 34.0, 34.0, value="34", unit="bars"),
        claim(
            "position_bull",
            "best point was 1.9 %",
            "mfe_pct",
            1.9,
            1.21,
            value="1.9 %",
            unit="percent",
            verdict="false",
            deviation=0.57,
            tolerance=0.2,
        ),
        claim("position_bear", "MFE was 1.21 %", "mfe_pct", 1.21, 1.21, value="1.21 %", unit="percent"),
        claim("position_bear", "RSI is 48.6", "rsi_14", 48.6, 48.6, value="48.6", unit="index"),
    )


@dataclass
class Log:
    """An event log under construction; `seconds` is the time of the next event after the start."""

    run_id: str = "run-test"
    seconds: float = 0.0
    events: list[Event] = field(default_factory=list)

    def add(self, kind: EventKind, node: str | None = None, /, after: float = 0.0, **data: Any) -> None:
        """One more event, `after` seconds later."""
        self.seconds += after
        at = START + timedelta(seconds=self.seconds)
        self.events.append(Event(seq=len(self.events) + 1, run_id=self.run_id, at=at, kind=kind, node=node, data=data))

    def start(self, path: str = "entry", **request: Any) -> None:
        """The run itself."""
        asked = {"symbol": "BTC/USDT:USDT", "feed": "recorded", "timeframe": "15m", "model": "scripted", "lies": 0.2, "seed": 7, **request}
        names = {"snapshot_id": "snap-5b1f0c44aa91e07b", "snapshot_hash": "5b1f0c44aa91e07b" * 4, "at": "2026-05-17T09:00:00+00:00"}
        market = {
            "price": 78034.2,
            "symbol": "BTC/USDT:USDT",
            "venue": "binance",
            "feed": "recorded",
            "timeframe": "15m",
            "timeframe_htf": "1h",
        }
        rest = {"path": path, "model": "scripted", "language": "en", "analysts": list(ANALYSTS), "notes": ["open interest: not recorded"]}
        self.add("run.started", request=asked, **names, **market, **rest)

    def say(self, role: str, stage: str, result: dict[str, Any], seconds: float = 4.0, upto: float = 1.0) -> None:
        """A role's whole turn, or (`upto` < 1) its beginning only."""
        text = spoken(role)
        self.add("node.started", role, stage=stage)
        shown = text[: int(len(text) * upto)]
        pieces = [shown[at : at + 60] for at in range(0, len(shown), 60)]
        for piece in pieces:
            self.add("node.tokens", role, after=seconds / len(pieces), text=piece, attempt=1)
        if upto >= 1:
            self.finish(role, result, seconds)

    def finish(self, role: str, result: dict[str, Any], seconds: float, attempt: int = 1) -> None:
        """The end of a role's turn."""
        usage = {"model": "scripted", "requests": attempt, "failed": attempt - 1, "prompt_tokens": 900, "completion_tokens": 210}
        self.add("node.finished", role, attempt=attempt, usage={**usage, "duration_ms": seconds * 1000}, result=result)

    def analysis(self, silent: Sequence[str] = ()) -> None:
        """The four analysts at once and the aggregator. `silent`: who abstains."""
        for role in ANALYSTS:
            self.add("node.started", role, stage="analysis")
        texts = {role: spoken(role) for role in ANALYSTS if role not in silent}
        for at in range(0, max(map(len, texts.values())), 40):
            for role, text in texts.items():
                if text[at : at + 40]:
                    self.add("node.tokens", role, after=0.2, text=text[at : at + 40], attempt=1)
        for role in silent:
            self.add("node.failed", role, after=0.1, reason="no answer within 90 s", consequence="abstains")
        for role in texts:
            self.finish(role, report(role), 4.0)
        self.add("node.started", "aggregator", stage="analysis")
        levels = {"key_support": 77675.4, "key_resistance": 78300.0, "weighted_scores": {"long": 0.1, "short": 0.7, "neutral": 0.2}}
        self.add("node.finished", "aggregator", after=0.01, consensus_direction="SHORT", consensus_confidence=61.0, **levels)

    def ground(self, node: str, claims: Sequence[Claim], sides: Sequence[str]) -> None:
        """The grounding node over `claims`; scores count those of `sides`."""
        self.add("node.started", node, stage="grounding")
        counted = [item for item in claims if item.source in sides]
        false = [item for item in counted if item.verdict == "false"]
        good = sum(item.verdict == "true" for item in counted)
        for item in false:
            self.add("grounding.corrected", node, **correction(item))
        total = len(false) + good
        score = 100 * len(false) / total if total else 0.0
        result = {
            "claims": [item.model_dump(mode="json") for item in claims],
            "corrections": [],
            "total_claims": total,
            "verified_claims": good,
            "false_claims": len(false),
            "unverifiable_claims": sum(item.verdict == "unverifiable" for item in counted),
            "hallucination_score": score if total else None,
            "penalty_pct": 10.0 if score < 50 else 30.0,
            "gate_closed": score > 70,
            "source_scores": {"bull": 40.0},
        }
        summary = f"Verified {good}/{total} | hallucination score {score:.0f}% | corrected {len(false)} | penalty -10%"
        self.add("node.finished", node, after=0.008, result=result, corrected_context="...", grounding_summary=summary)

    def finish_run(self, action: str, valid: bool = True, errors: Sequence[str] = (), warnings: Sequence[str] = ()) -> None:
        """The end."""
        calls = {"llm_calls_count": 9, "successful_llm_calls": 8, "failed_llm_calls": 1}
        tokens = {"total_tokens": 14208, "prompt_tokens": 11800, "completion_tokens": 2408}
        metrics = {"total_duration_ms": self.seconds * 1000, **tokens, **calls}
        ended = {"status": "finished", "final_action": action, "is_valid": valid}
        self.add("run.finished", after=0.01, **ended, errors=list(errors), warnings=list(warnings), metrics=metrics)


def report(role: str) -> dict[str, Any]:
    """The result of an analyst, without its text."""
    vote = dict(line.split(": ", 1) for line in VOTES[role].splitlines())
    return {"agent": role, "direction": vote["direction"], "confidence": float(vote["confidence"]), "abstained": False}


def correction(item: Claim) -> dict[str, Any]:
    """The data of `grounding.corrected`."""
    told = {"source", "key", "text", "kind", "claimed", "actual", "unit", "deviation", "start", "end"}
    return item.model_dump(mode="json", include=told)


def decision(action: str, **more: Any) -> dict[str, Any]:
    """The result of the executor."""
    base = {
        "action": action,
        "confidence": 58.0,
        "executor_confidence": 65.0,
        "confidence_penalty": 10.0,
        "direction": "SHORT",
        "leverage": 3,
        "reasoning": "",
        "key_factors": [],
        "risk_assessment": "",
    }
    return {**base, "confidence_breakdown": {"analysis": 61.0, "debate": 64.0, "grounding": 76.5}, **more}


def with_data(event: Event, data: object, **changes: object) -> Event:
    """The event with other data, read as a log's."""
    return Event.model_validate({**event.to_json(), **changes, "data": data})
