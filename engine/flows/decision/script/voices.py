"""What the scripted model says for the roles of a decision.

A voice reads the measured facts in its prompt, weighs them by plain rules and argues from them in English or Chinese, a different argument
for every role. The same snapshot, node, seed, language and facts always give the same text. At a set rate it states false values on
purpose, so that a demonstration and a test can see them caught; each comes with its `Planted` record. With rate 0 it states nothing false.
"""

import re
from collections.abc import Iterable, Mapping
from functools import partial

from engine.agents.quoting import fitting_quote
from engine.domain.decision import DEBATE_SIDES
from engine.domain.roles import Role
from engine.domain.text.language import Language
from engine.flows.decision.paths import POSITION, path_at
from engine.flows.decision.script.analysts import write_report
from engine.flows.decision.script.chinese_executor import CHINESE_EXECUTOR
from engine.flows.decision.script.chinese_facts import CHINESE_FACTS
from engine.flows.decision.script.chinese_roles import CHINESE_ROLES
from engine.flows.decision.script.debate import write_case
from engine.flows.decision.script.english_executor import ENGLISH_EXECUTOR
from engine.flows.decision.script.english_facts import ENGLISH_FACTS
from engine.flows.decision.script.english_roles import ENGLISH_ROLES
from engine.flows.decision.script.executor import write_decision
from engine.flows.decision.script.judge import write_position_ruling, write_ruling
from engine.flows.decision.script.lexicon import Lexicon
from engine.flows.decision.script.record import read_record
from engine.flows.decision.script.speech import Lie, Speech, Turn
from engine.llm.dice import Dice
from engine.llm.protocol import ModelCall, Script, Voice

LEXICONS: Mapping[Language, Lexicon] = {
    "en": Lexicon(ENGLISH_FACTS, ENGLISH_ROLES, ENGLISH_EXECUTOR),
    "zh": Lexicon(CHINESE_FACTS, CHINESE_ROLES, CHINESE_EXECUTOR),
}
_SAID = re.compile(r"<said by=[^>]*>(.*?)</said>", re.DOTALL)
_STANCE = {"bull": 1, "bear": -1}
_QUOTING: Mapping[Role, tuple[str, ...]] = {
    "indicator": ("momentum",),
    "trend": ("trend",),
    "sentiment": ("crowd", "news"),
    "pattern": ("pattern",),
}
"""Analyst -> what a statement of evidence must be about that it quotes; the first of all others is quoted by `_OTHERS`."""
_OTHERS = "sentiment"


def decision_voices(analysts: Iterable[Role], *, lies: float = 0.0, seed: int = 0) -> Mapping[Role, Voice]:
    """Return a voice for every role. analysts: keys; one that nobody planned for reports on whatever facts its prompt holds. lies: share
    (0-1) of the stated values that are false. seed: changes phrasing and which values those are. Raises ValueError for other shares."""
    if not 0 <= lies <= 1:
        raise ValueError(f"lies is a share between 0 and 1, not {lies}")
    roles = tuple(dict.fromkeys((*analysts, *DEBATE_SIDES, "executor")))
    return {role: partial(write, lies=lies, seed=seed, place=place) for place, role in enumerate(roles)}


def write(call: ModelCall, *, lies: float, seed: int, place: int = 0) -> Script:
    """Return the whole answer of a role, with the places of its planted values. place: of the role among all that speak."""
    record = read_record(f"{call.system}\n{call.user}")
    facts = ";".join(f"{key}={text}" for key, text in sorted(record.texts.items()))
    heard = "\n".join(_SAID.findall(call.user))
    own_turns = call.user.count(f'<said by="{path_at(call.where).speaker(call.role)} ')
    again = f"|{own_turns}" if own_turns else ""  # another round is told in another order
    dice = Dice(f"{call.context}|{call.where}|{seed}|{call.language}|{facts}{again}")
    turn = Turn(place, Dice(f"{call.context}|{seed}|{call.language}|{own_turns}"), heard)
    lie_dice = Dice(f"{call.context}|{call.where}|{seed}")
    lexicon = LEXICONS[call.language]
    with_position = path_at(call.where) is POSITION
    stance = _STANCE.get(call.role, 0)
    favour = stance * (record.side or 1) if with_position else stance
    speech = Speech(record, lexicon.facts, dice, Lie(call.where, lie_dice, lies, favour), turn)
    if stance:
        write_case(stance, speech, lexicon.roles, with_position)
    elif call.role == "judge":
        (write_position_ruling if with_position else write_ruling)(speech, lexicon.roles)
    elif call.role == "executor":
        write_decision(speech, lexicon.roles, lexicon.executor)
    else:
        quote = fitting_quote(call.user, call.language, *_QUOTING.get(call.role, ()), or_first=call.role == _OTHERS)
        write_report(call.role, speech, lexicon.roles, call.language, quote)
    return speech.finish()
