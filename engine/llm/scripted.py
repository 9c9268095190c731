"""The scripted analyst: a model without a network, and without pretence.

It reads the measured facts in its prompt, weighs them by plain rules and argues from them in English or Chinese, a different argument for
every role, streamed at a readable pace. The same snapshot, role, seed, language and facts always give the same text. At a set rate it
states false values on purpose, so that a demonstration and a test can see them caught; each comes with its `Planted` record. With rate 0
it states nothing false. It knows nothing but its prompt, opens no connection and never fails.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Collection, Iterator, Mapping

from engine.domain.errors import ModelRefused
from engine.domain.roles import side_of
from engine.llm.protocol import Chunk, ModelCall, Script, Voice
from engine.llm.script.analysts import write_report
from engine.llm.script.chinese_facts import CHINESE_FACTS
from engine.llm.script.chinese_roles import CHINESE_EXECUTOR, CHINESE_ROLES
from engine.llm.script.debate import write_case
from engine.llm.script.dice import Dice
from engine.llm.script.english_facts import ENGLISH_FACTS
from engine.llm.script.english_roles import ENGLISH_EXECUTOR, ENGLISH_ROLES
from engine.llm.script.executor import write_decision
from engine.llm.script.judge import write_position_ruling, write_ruling
from engine.llm.script.lexicon import Lexicon
from engine.llm.script.record import read_record
from engine.llm.script.speech import Speech

LEXICONS = {
    "en": Lexicon(ENGLISH_FACTS, ENGLISH_ROLES, ENGLISH_EXECUTOR),
    "zh": Lexicon(CHINESE_FACTS, CHINESE_ROLES, CHINESE_EXECUTOR),
}
_WIDE = re.compile(r"[\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef]")
_PIECE = re.compile(r"\s*[^\s\u3000-\u9fff\uff00-\uffef]+|\s*[\u3000-\u9fff\uff00-\uffef]{1,2}|\s+$")
_WORDS_A_PIECE = 2
_PAUSE_S = (0.030, 0.060)
_UNPACED_PIECES = 4


class ScriptedModel:
    """The offline analyst; a `Model`.

    lies: share (0-1) of the stated values that are false. seed: changes phrasing and which values those are. pace: 1 writes about 35 words
    a second, 2 twice that; 0 makes no pauses. roles: those of the flow that asks, None = any analyst; another one is refused. voices: roles
    whose words come from their flow: (call) -> script. Raises ValueError for values outside those ranges.
    """

    def __init__(
        self,
        *,
        lies: float = 0.0,
        seed: int = 0,
        pace: float = 1.0,
        roles: Collection[str] | None = None,
        voices: Mapping[str, Voice] | None = None,
    ) -> None:
        if not 0 <= lies <= 1:
            raise ValueError(f"lies is a share between 0 and 1, not {lies}")
        if not 0 <= pace < float("inf"):
            raise ValueError(f"pace is 0 (no pauses) or a positive factor, not {pace}")
        self._lies = lies
        self._seed = seed
        self._pace = pace
        self._roles, self._voices = roles, voices or {}

    @property
    def name(self) -> str:
        """`scripted`: what reports and metrics show."""
        return "scripted"

    @property
    def takes_images(self) -> bool:
        """False: it reads text only."""
        return False

    async def ready(self) -> None:
        """Do nothing: it can always answer."""

    async def close(self) -> None:
        """Do nothing: nothing is open."""

    async def stream(self, call: ModelCall) -> AsyncIterator[Chunk]:
        """Yield the answer in small pieces. A planted value comes on the piece that holds it, token counts on the last one."""
        if self._roles is not None and call.role not in self._roles:
            raise ModelRefused(f"the scripted model has no words for the role {call.role[:40]!r}: its flow does not name it")
        voice = self._voices.get(call.role)
        script = voice(call) if voice is not None else self.write(call)
        dice = Dice(f"{call.context}|{call.where}|{self._seed}|pauses")
        written = 0
        for index, piece in enumerate(_pieces(script.text, whole=self._pace == 0)):
            await asyncio.sleep(self._pause(dice, index) if index else 0)
            end = written + len(piece)
            planted = tuple(plant for at, plant in script.plants if written <= at < end)
            written = end
            yield Chunk(text=piece, planted=planted)
        yield Chunk(
            prompt_tokens=approximate_tokens(call.system) + approximate_tokens(call.user),
            completion_tokens=approximate_tokens(script.text),
            finish="tool_calls" if script.tool_calls else "stop",
            tool_calls=script.tool_calls,
        )

    def write(self, call: ModelCall) -> Script:
        """Return the whole answer at once, with the places of its planted values."""
        prompt = f"{call.system}\n{call.user}"
        record = read_record(prompt)
        facts = ";".join(f"{key}={text}" for key, text in sorted(record.texts.items()))
        dice = Dice(f"{call.context}|{call.where}|{self._seed}|{call.language}|{facts}")
        lie_dice = Dice(f"{call.context}|{call.where}|{self._seed}")
        lexicon = LEXICONS[call.language]
        side = side_of(call.where)
        stance = {"bull": 1, "bear": -1}.get(side, 0)
        with_position = side != call.where
        favour = stance * (record.side or 1) if with_position else stance
        speech = Speech(call.where, record, lexicon.facts, dice, lie_dice, self._lies, favour)
        if stance:
            write_case(stance, speech, lexicon.roles, with_position)
        elif call.where == "judge":
            write_ruling(speech, lexicon.roles)
        elif call.where == "position_judge":
            write_position_ruling(speech, lexicon.roles)
        elif call.where == "executor":
            write_decision(speech, lexicon.roles, lexicon.executor)
        else:
            write_report(call.where, speech, lexicon.roles, call.language)
        return speech.finish()

    def _pause(self, dice: Dice, index: int) -> float:
        if self._pace == 0:
            return 0.0
        short, long = _PAUSE_S
        return (short + (long - short) * dice.roll(index)) / self._pace


def approximate_tokens(text: str) -> int:
    """About how many tokens a text is: one for a CJK character, one for four others."""
    wide = len(_WIDE.findall(text))
    return wide + -(-(len(text) - wide) // 4)


def _pieces(text: str, whole: bool) -> Iterator[str]:
    """Yield the text in order, in pieces of a few words or characters; in a few large ones when `whole`."""
    words = _PIECE.findall(text)
    size = -(-len(words) // _UNPACED_PIECES) if whole else _WORDS_A_PIECE
    for start in range(0, len(words), max(1, size)):
        yield "".join(words[start : start + size])
