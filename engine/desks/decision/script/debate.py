"""Bull, bear and the judge.

Each side picks the facts that favour it, concedes one that does not, and says how sure it is; with a position both argue about the position
as well. A judge weighs both sides, the consensus and the facts: without a position it rules for a side or for neither, with one it says
what is done about the position.
"""

from collections.abc import Iterable, Sequence

from engine.desks.decision.script.market_speech import MarketSpeech, confidence_of, varied, weighable
from engine.desks.decision.script.record import Record, direction_of
from engine.domain.opinion import DebateWinner, Direction, PositionVerdict
from engine.script.signals import POSITION_KEYS, balance, score_of, split_key, stay_score
from engine.script.speech import LEANS

_POINTS = 5
_POINTS_WITH_POSITION = 3
_WEIGHTY = 0.1
_DECIDED = 0.09
_WINNER = {1: DebateWinner.BULL, -1: DebateWinner.BEAR, 0: DebateWinner.NEUTRAL}


def write_case(stance: int, speech: MarketSpeech, with_position: bool) -> None:
    """Write one side's argument. stance: +1 bull, -1 bear; with a position, +1 for keeping it, -1 for leaving it."""
    record, keys, room = speech.record, weighable(speech), "position" if with_position else "case"
    side = stance * (record.side or 1) if with_position else stance
    mine, theirs = _for_and_against(side, keys, speech)
    if not speech.sayable(record.texts):
        speech.say("nothing")
        speech.close("vote_heading", confidence=20)
        return
    points = mine[: _POINTS_WITH_POSITION if with_position else _POINTS]
    confidence = _confidence(side, keys, record.believing(speech.to_state(points)), speech)
    if with_position:
        about = [stay_score(key, record.texts) for key in POSITION_KEYS if key in record.texts]
        confidence += round(8 * stance * sum(about) / len(about)) if about else 0
    speech.say(f"{room}_opening.{LEANS[stance]}" if mine or with_position else f"case_weak.{LEANS[stance]}")
    if stance < 0 and "bull" in record.cases:
        speech.say("answer")
    elif record.consensus is not None:
        speech.say(f"consensus.{LEANS[record.consensus.sign * side]}")
    speech.facts(points)
    if with_position:
        ranked = sorted(speech.sayable(POSITION_KEYS), key=lambda key: -stance * stay_score(key, record.texts))
        useful = sum(stance * stay_score(key, record.texts) > _WEIGHTY for key in ranked)
        speech.facts(ranked, max(2, min(3, useful)))
    if theirs:
        speech.fact(theirs[0], "case_concession")
    speech.say(f"{room}_closing.{LEANS[stance]}", conviction=speech.conviction(confidence))
    speech.close("vote_heading", confidence=confidence)


def write_ruling(speech: MarketSpeech, with_position: bool) -> None:
    """Write a judge's ruling, closing block included."""
    (_write_position_ruling if with_position else _write_entry_ruling)(speech)


def _write_entry_ruling(speech: MarketSpeech) -> None:
    market = _market_weight(1, speech)
    side = 0 if market is None or abs(market) < _DECIDED else (1 if market > 0 else -1)
    verdict, direction = _WINNER[side].value, direction_of(side)
    confidence = 20 if market is None else confidence_of(min(1.0, 0.85 * abs(market)), speech, direction)
    _reason(verdict, side or 1, speech, [], confidence)
    speech.close("vote_heading", verdict=verdict, direction=direction.value, confidence=confidence)


def _write_position_ruling(speech: MarketSpeech) -> None:
    record, verdict, confidence, adjustment = speech.record, PositionVerdict.HOLD, 30, None
    if not record.side:
        speech.say("side_unknown")
    else:
        edge = _market_weight(record.side, speech) or 0.0
        verdict = _position_verdict(edge, record)
        adjustment = _adjustment(verdict, edge, speech)
        strength = abs(edge) if verdict is not PositionVerdict.HOLD else max(0.0, edge)
        confidence = confidence_of(min(1.0, 0.15 + 0.8 * strength), speech, Direction.LONG)
    stays = 1 if verdict in (PositionVerdict.HOLD, PositionVerdict.SCALE_IN) else -1
    others = sorted(speech.sayable(POSITION_KEYS[1:]), key=lambda key: -stays * stay_score(key, record.texts))
    _reason(verdict.value, (record.side or 1) * stays, speech, [*speech.sayable(["profit_pct"]), *others[:1]], confidence)
    direction = direction_of(0 if verdict is PositionVerdict.EXIT else record.side)
    speech.close("vote_heading", verdict=verdict.value, direction=direction.value, confidence=confidence, adjustment_pct=adjustment)


def _for_and_against(side: int, keys: Iterable[str], speech: MarketSpeech) -> tuple[list[str], list[str]]:
    """Return the keys that favour a side and those that do not, the weightiest first; silent ones in neither."""
    weights = {
        key: side * score_of(key, speech.texts) * (0.8 + 0.4 * speech.dice.roll("weight", key)) * (0.9 if split_key(key)[0] else 1.0)
        for key in keys
    }
    ranked = sorted(weights, key=lambda key: -weights[key])
    mine, theirs = [key for key in ranked if weights[key] > _WEIGHTY], [key for key in reversed(ranked) if weights[key] < -_WEIGHTY]
    return varied(mine), varied(theirs)


def _confidence(side: int, keys: Iterable[str], believed: Record, speech: MarketSpeech) -> int:
    """Return what follows from the share of the weight that favours the side, and from the consensus. believed: the record with the values
    that are about to be stated."""
    weights = [side * score_of(key, believed.texts) for key in keys]
    total = sum(map(abs, weights))
    share = sum(max(0.0, weight) for weight in weights) / total if total else 0.5
    push = 10 * side * believed.lean
    return round(max(25.0, min(90.0, 30 + 44 * share + push + speech.dice.roll("confidence") * 4)))


def _market_weight(side: int, speech: MarketSpeech) -> float | None:
    """Return how far everything heard speaks for `side` (+1 up, -1 down), -1 to +1; None when there is nothing to weigh.

    With a position the bull speaks for keeping it, so his margin already is one for the position's side.
    """
    record, keys = speech.record, weighable(speech)
    if not keys and record.consensus is None and not record.cases:
        return None
    margin = (record.cases.get("bull", 50.0) - record.cases.get("bear", 50.0)) / 100
    facts = side * (0.35 * record.lean + 0.45 * balance(record.texts, keys))
    return 0.45 * margin + facts + 0.06 * (speech.dice.roll("leaning") - 0.5)


def _position_verdict(edge: float, record: Record) -> PositionVerdict:
    """Return what is done about a position. edge: how far the market works for it, -1 to +1."""
    profit, peak = record.number("profit_pct"), record.number("mfe_pct")
    given_back = abs(record.number("drawdown_from_peak_pct")) / peak if peak > 0.5 else 0.0
    if edge < -0.3 or (edge < -0.12 and profit < -1.0):
        return PositionVerdict.EXIT
    if edge < -0.1 or (given_back > 0.5 and edge < 0.2):
        return PositionVerdict.PARTIAL_EXIT
    if edge > 0.22 and profit > 0.1 and given_back < 0.45:
        return PositionVerdict.SCALE_IN
    return PositionVerdict.HOLD


def _adjustment(verdict: PositionVerdict, edge: float, speech: MarketSpeech) -> str | None:
    """Return percent of the position to add or to close, in steps of five."""
    step = 5 * round(2 * speech.dice.roll("adjustment"))
    if verdict is PositionVerdict.SCALE_IN:
        return f"{min(50, 20 + step + 5 * int(8 * max(0.0, edge - 0.22))):+d}"
    if verdict is PositionVerdict.PARTIAL_EXIT:
        return f"{-min(70, 30 + step + 5 * int(10 * max(0.0, -edge))):+d}"
    return None


def _reason(verdict: str, side: int, speech: MarketSpeech, position: Sequence[str], confidence: int) -> None:
    """Write what a ruling rests on. side: of the market, that it favours; position: facts of the position to name."""
    speech.say(f"judge_opening.{verdict}")
    if not speech.sayable(speech.texts):
        speech.say("nothing")
        return
    mine, theirs = _for_and_against(side, weighable(speech), speech)
    carried = [*mine[: 3 - len(position)], *position]
    if carried:
        speech.fact(carried[0], "judge_reason.even" if verdict == "NEUTRAL" else "judge_reason.decided")
        speech.facts(carried[1:])
    if theirs and theirs[0] not in speech.stated:
        speech.fact(theirs[0], "judge_against")
    speech.say(f"judge_closing.{verdict}", margin=speech.words["margin"][0 if confidence < 60 else 1 if confidence < 70 else 2])
