"""The judges: they weigh bull, bear, consensus and the facts themselves, and name the facts that carried it.

The entry judge rules for a side or for neither; the position judge says what becomes of the position.
"""

from collections.abc import Sequence

from engine.domain.opinion import DebateWinner, Direction, PositionVerdict
from engine.flows.decision.script.analysts import focus_keys
from engine.flows.decision.script.debate import for_and_against
from engine.flows.decision.script.lexicon import POSITION_KEYS, RoleWords
from engine.flows.decision.script.record import Record, direction_of
from engine.flows.decision.script.signals import balance, stay_score
from engine.flows.decision.script.speech import Speech
from engine.flows.decision.script.votes import close_with, confidence_of

_DECIDED = 0.09
_WINNER = {1: DebateWinner.BULL, -1: DebateWinner.BEAR, 0: DebateWinner.NEUTRAL}


def write_ruling(speech: Speech, words: RoleWords) -> None:
    """Return the entry judge's ruling, closing block included."""
    market = market_weight(1, speech)
    side = 0 if market is None or abs(market) < _DECIDED else (1 if market > 0 else -1)
    verdict, direction = _WINNER[side].value, direction_of(side)
    confidence = 20 if market is None else confidence_of(min(1.0, 0.85 * abs(market)), speech.dice, direction)
    _reason(verdict, side or 1, speech, words, [], confidence)
    close_with(speech, words.vote_heading, verdict=verdict, direction=direction.value, confidence=confidence)


def write_position_ruling(speech: Speech, words: RoleWords) -> None:
    """Return the position judge's ruling, closing block included."""
    record = speech.record
    if not record.side:
        verdict, confidence, adjustment = PositionVerdict.HOLD, 30, None
        speech.say(words.side_unknown)
    else:
        edge = market_weight(record.side, speech) or 0.0
        verdict = position_verdict(edge, record)
        adjustment = _adjustment(verdict, edge, speech)
        strength = abs(edge) if verdict is not PositionVerdict.HOLD else max(0.0, edge)
        confidence = confidence_of(min(1.0, 0.15 + 0.8 * strength), speech.dice, Direction.LONG)
    stays = verdict in (PositionVerdict.HOLD, PositionVerdict.SCALE_IN)
    position = speech.sayable(["profit_pct"])
    position += sorted(speech.sayable(POSITION_KEYS[1:]), key=lambda key: -(1 if stays else -1) * stay_score(key, record))[:1]
    _reason(verdict.value, (record.side or 1) * (1 if stays else -1), speech, words, position, confidence)
    direction = direction_of(0 if verdict is PositionVerdict.EXIT else record.side)
    close_with(
        speech,
        words.vote_heading,
        verdict=verdict.value,
        direction=direction.value,
        confidence=confidence,
        adjustment_pct=None if adjustment is None else f"{adjustment:+d}",
    )


def market_weight(side: int, speech: Speech) -> float | None:
    """Return how far everything heard speaks for `side` (+1 up, -1 down), -1 to +1; None when there is nothing to weigh.

    With a position the bull speaks for keeping it, so his margin already is one for the position's side.
    """
    record, keys = speech.record, focus_keys("", speech)
    if not keys and record.consensus is None and not record.cases:
        return None
    margin = (record.cases.get("bull", 50.0) - record.cases.get("bear", 50.0)) / 100
    consensus = record.consensus.lean if record.consensus else 0.0
    return 0.45 * margin + side * (0.35 * consensus + 0.45 * balance(record, keys)) + 0.06 * (speech.dice.roll("leaning") - 0.5)


def position_verdict(edge: float, record: Record) -> PositionVerdict:
    """Return what becomes of a position. edge: how far the market works for it, -1 to +1."""
    profit = record.number("profit_pct") or 0.0
    peak = record.number("mfe_pct") or 0.0
    given_back = abs(record.number("drawdown_from_peak_pct") or 0.0) / peak if peak > 0.5 else 0.0
    if edge < -0.3 or (edge < -0.12 and profit < -1.0):
        return PositionVerdict.EXIT
    if edge < -0.1 or (given_back > 0.5 and edge < 0.2):
        return PositionVerdict.PARTIAL_EXIT
    if edge > 0.22 and profit > 0.1 and given_back < 0.45:
        return PositionVerdict.SCALE_IN
    return PositionVerdict.HOLD


def _adjustment(verdict: PositionVerdict, edge: float, speech: Speech) -> int | None:
    """Return percent of the position to add or to close, in steps of five."""
    step = 5 * round(2 * speech.dice.roll("adjustment"))
    if verdict is PositionVerdict.SCALE_IN:
        return min(50, 20 + step + 5 * int(8 * max(0.0, edge - 0.22)))
    if verdict is PositionVerdict.PARTIAL_EXIT:
        return -min(70, 30 + step + 5 * int(10 * max(0.0, -edge)))
    return None


def _reason(verdict: str, side: int, speech: Speech, words: RoleWords, position: Sequence[str], confidence: int) -> None:
    speech.say_one_of(words.judge_opening[verdict], "opening")
    if not speech.sayable(speech.record.values):
        speech.say(words.nothing)
        return
    mine, theirs = for_and_against(side, focus_keys("", speech), speech)
    carried = [*mine[: 3 - len(position)], *position]
    undecided = verdict == "NEUTRAL"
    if carried:
        speech.fact(carried[0], speech.choose(words.judge_reason[0 if undecided else side], "reason"))
        speech.facts(carried[1:])
    if theirs:
        speech.fact(theirs[0], speech.choose(words.judge_against, "against"))
    margin = words.margin[0 if confidence < 60 else 1 if confidence < 70 else 2]
    speech.say_one_of(words.judge_closing[verdict], "closing", margin=margin)
