"""What the scripted model says for the roles of a decision.

A voice reads the measured facts in its prompt, weighs them by plain rules and argues from them in English or Chinese, a different argument
for every role. The same snapshot, node, seed, language and facts always give the same text, but in a repetition, which varies by its
number; of one market in two languages, what is decided is the same. At a set rate it states false values on
purpose, so that a demonstration and a test can see them caught; each comes with its `Planted` record. With rate 0 it states nothing false.
"""

from collections.abc import Iterable, Mapping
from functools import partial

from engine.agents.script.quoting import fitting_quote
from engine.desks.decision.paths import POSITION, path_at
from engine.desks.decision.script.analysts import write_report
from engine.desks.decision.script.debate import write_case, write_position_ruling, write_ruling
from engine.desks.decision.script.executor import write_decision
from engine.desks.decision.script.record import read_record
from engine.desks.decision.script.speech import WORDS, MarketSpeech
from engine.domain.decision import DEBATE_SIDES
from engine.domain.roles import Role
from engine.grounding.tables.crypto import CRYPTO
from engine.llm.dice import Dice
from engine.llm.protocol import ModelCall, Script, Voice

_STANCE = {"bull": 1, "bear": -1}
_QUOTING: Mapping[Role, tuple[str, ...]] = {
    "indicator": ("momentum",),
    "trend": ("trend",),
    "sentiment": ("crowd", "news"),
    "pattern": ("pattern",),
}
"""Analyst -> what a statement of evidence must be about that it quotes; the first of all others is quoted by `_OTHERS`."""
_OTHERS = "sentiment"
_ANY_LANGUAGE = "en"
"""Stands in the seed in every language: what is weighed, said falsely and decided does not depend on the language it is written in."""


def decision_voices(analysts: Iterable[Role], *, lies: float = 0.0, seed: int = 0) -> Mapping[Role, Voice]:
    """Return a voice for every role. analysts: keys; one that no one planned for reports on whatever facts its prompt holds. lies: share
    (0-1) of the stated values that are false. seed: changes phrasing and which values those are. Raises ValueError for other shares."""
    if not 0 <= lies <= 1:
        raise ValueError(f"lies is a share between 0 and 1, not {lies}")
    return dict.fromkeys((*analysts, *DEBATE_SIDES, "executor"), partial(_write, lies=lies, seed=seed))


def _write(call: ModelCall, *, lies: float, seed: int) -> Script:
    """Return the whole answer of a role, with the places of its planted values."""
    record, path = read_record(f"{call.system}\n{call.user}"), path_at(call.where)
    facts = ";".join(f"{key}={text}" for key, text in sorted(record.texts.items()))
    own_turns = call.user.count(f'<said by="{path.speaker(call.role)} ')
    again = f"|again {call.again}" if call.again else ""
    dice = Dice(f"{call.context}|{call.where}|{seed}|{_ANY_LANGUAGE}|{facts}{f'|{own_turns}' if own_turns else ''}{again}")
    lie_dice, stance = Dice(f"{call.context}|{call.where}|{seed}{again}"), _STANCE.get(call.role, 0)
    favour = stance * (record.side or 1) if path is POSITION else stance
    speech = MarketSpeech(
        call.where, WORDS[call.language], record.texts, CRYPTO, dice, lie_dice, lies, call.again, record=record, favour=favour
    )
    if stance:
        write_case(stance, speech, path is POSITION)
    elif call.role == "judge":
        (write_position_ruling if path is POSITION else write_ruling)(speech)
    elif call.role == "executor":
        write_decision(speech)
    else:
        quote = fitting_quote(call.user, call.language, *_QUOTING.get(call.role, ()), or_first=call.role == _OTHERS)
        write_report(call.role, speech, quote)
    return speech.finish()
