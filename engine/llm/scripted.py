"""The scripted model: a model without a network, and without pretence.

What it says comes from the flow that asks: a voice for each of its roles, which reads the prompt and nothing else. Here is how that is
said: streamed at a readable pace, with the records of values that are false on purpose, and with counts of tokens. The same call always
gives the same answer. A role without a voice is refused. It opens no connection and never fails.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Mapping

from engine.domain.errors import ModelRefused
from engine.domain.roles import Role
from engine.domain.text.reason import Reason
from engine.llm.dice import Dice
from engine.llm.protocol import Chunk, ModelCall, Script, Voice

_WIDE = re.compile(r"[\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef]")
_PIECE = re.compile(r"\s*[^\s\u3000-\u9fff\uff00-\uffef]+|\s*[\u3000-\u9fff\uff00-\uffef]{1,2}|\s+$")
_WORDS_A_PIECE = 2
_PAUSE_S = (0.030, 0.060)
_UNPACED_PIECES = 4


class ScriptedModel:
    """The offline model; a `Model`.

    voices: role -> what is said for it, (call) -> script. seed: of the pauses. pace: 1 writes about 35 words a second, 2 twice that; 0
    makes no pauses. Raises ValueError for a pace that is neither.
    """

    def __init__(self, voices: Mapping[Role, Voice], *, seed: int = 0, pace: float = 1.0) -> None:
        if not 0 <= pace < float("inf"):
            raise ValueError(f"pace is 0 (no pauses) or a positive factor, not {pace}")
        self._seed = seed
        self._pace = pace
        self._voices = voices

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
        script = self.write(call)
        dice = Dice(f"{call.context}|{call.where}|{self._seed}|pauses")
        written = 0
        for index, piece in enumerate(_pieces(script.text, whole=self._pace == 0)):
            await asyncio.sleep(self._pause(dice, index) if index else 0)
            end = written + len(piece)
            planted = tuple(plant for at, plant in script.plants if written <= at < end)
            written = end
            yield Chunk(text=piece, planted=planted)
        for number, asked in enumerate(script.tool_calls):  # arguments are written too, if unseen
            for index, _ in enumerate(_pieces(f"{asked.name} {asked.arguments}", whole=self._pace == 0)):
                await asyncio.sleep(self._pause(dice, (number + 1) * 1000 + index))
        yield Chunk(
            prompt_tokens=approximate_tokens(call.system) + approximate_tokens(call.user),
            completion_tokens=approximate_tokens(script.text),
            finish="tool_calls" if script.tool_calls else "stop",
            tool_calls=script.tool_calls,
        )

    def write(self, call: ModelCall) -> Script:
        """Return the whole answer at once, with the places of its planted values. Raises ModelRefused for a role without a voice."""
        voice = self._voices.get(call.role)
        if voice is None:
            raise ModelRefused(Reason("scripted_model_has_no_words_for_role", role=f"{call.role[:40]!r}"))
        return voice(call)

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
