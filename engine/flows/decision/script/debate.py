"""Bull and bear: each picks the facts that favour its side, concedes one that does not, and says how sure it is.

With a position both argue about the position as well: the market they expect, and what the trade has shown so far.
"""

from engine.flows.decision.script.analysts import focus_keys, varied
from engine.flows.decision.script.lexicon import POSITION_KEYS, RoleWords
from engine.flows.decision.script.record import Record, sign_of, split_key
from engine.flows.decision.script.signals import score, stay_score
from engine.flows.decision.script.speech import Speech
from engine.flows.decision.script.votes import close_with, conviction

_POINTS = 5
_POINTS_WITH_POSITION = 3
_WEIGHTY = 0.1
_CONCEDES_FIRST = 0.35


def write_case(stance: int, speech: Speech, words: RoleWords, with_position: bool) -> None:
    """One side's argument, closing block included. stance: +1 bull, -1 bear; with a position, +1 for keeping it, -1 for leaving it."""
    record = speech.record
    keys = focus_keys("", speech)
    side = stance * (record.side or 1) if with_position else stance
    mine, theirs = for_and_against(side, keys, speech)
    if speech.sayable(record.values):
        confidence = _confidence(side, keys, speech) + (round(8 * stance * _position_record(record)) if with_position else 0)
        speech.say_one_of(_opening(stance, mine, words, with_position), "opening")
        points = mine[: _POINTS_WITH_POSITION if with_position else _POINTS]
        concedes_first = bool(theirs) and speech.dice.roll("order") < _CONCEDES_FIRST
        if concedes_first:
            speech.fact(theirs[0], speech.choose(words.case_concession, "concession"))
        _answer_others(stance, side, speech, words)
        speech.facts(points)
        if with_position:
            speech.say_one_of(words.position_stands[1 if stance * _position_record(record) > 0 else -1], "stands")
            speech.facts(_position_points(stance, speech))
        if theirs and not concedes_first:
            speech.fact(theirs[0], speech.choose(words.case_concession, "concession"))
        closing = (words.position_closing if with_position else words.case_closing)[stance]
        speech.say_one_of(closing, "closing", conviction=conviction(words.conviction, confidence))
    else:
        confidence = 20
        speech.say(words.nothing)
    close_with(speech, words.vote_heading, confidence=confidence)


def _opening(stance: int, mine: list[str], words: RoleWords, with_position: bool) -> tuple[str, ...]:
    if with_position:
        return words.position_opening[stance]
    return (words.case_opening if mine else words.case_weak)[stance]


def for_and_against(side: int, keys: list[str], speech: Speech) -> tuple[list[str], list[str]]:
    """Return the keys that favour a side and those that do not, the weightiest first; silent ones in neither."""
    weights = {key: side * _weight(key, speech) for key in keys}
    mine = sorted((key for key in keys if weights[key] > _WEIGHTY), key=lambda key: -weights[key])
    theirs = sorted((key for key in keys if weights[key] < -_WEIGHTY), key=lambda key: weights[key])
    return varied(mine, []), varied(theirs, [])


def _weight(key: str, speech: Speech) -> float:
    points = score(key, speech.record.values[key], speech.record)
    return points * (0.8 + 0.4 * speech.dice.roll("weight", key)) * (0.9 if split_key(key)[0] else 1.0)


def _confidence(side: int, keys: list[str], speech: Speech) -> int:
    """From the share of the weight that favours the side, the consensus, and the position's own record."""
    weights = [score(key, speech.record.values[key], speech.record) for key in keys]
    total = sum(abs(weight) for weight in weights)
    share = sum(weight * side for weight in weights if weight * side > 0) / total if total else 0.5
    consensus = speech.record.consensus
    push = 10 * side * consensus.lean if consensus else 0.0
    return round(max(25.0, min(90.0, 30 + 44 * share + push + speech.dice.roll("confidence") * 4)))


def _answer_others(stance: int, side: int, speech: Speech, words: RoleWords) -> None:
    consensus = speech.record.consensus
    if stance < 0 and "bull" in speech.record.cases:
        speech.say_one_of(words.answer, "answer")
    elif consensus is not None:
        agreement = sign_of(consensus.direction) * side
        row = "with" if agreement > 0 else "against" if agreement < 0 else "none"
        speech.say_one_of(words.consensus[row], "consensus")


def _position_points(stance: int, speech: Speech) -> list[str]:
    """Return what the position shows for the stance, at most three points; two in any case."""
    ranked = sorted(speech.sayable(POSITION_KEYS), key=lambda key: -stance * stay_score(key, speech.record))
    useful = sum(stance * stay_score(key, speech.record) > _WEIGHTY for key in ranked)
    return ranked[: max(2, min(3, useful))]


def _position_record(record: Record) -> float:
    """Return what the position's own facts say about staying in it, -1 to +1."""
    points = [stay_score(key, record) for key in POSITION_KEYS if key in record.values]
    return sum(points) / len(points) if points else 0.0
