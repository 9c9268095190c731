"""The scripted model: a model without a network. `ChaosModel` puts one lie before the answer of any model.

What it says comes from the flow that asks: a voice for each of its roles, which reads the prompt and nothing else. Here it is streamed at a
readable pace, with the records of values that are false on purpose and with counts of tokens. The same call always gives the same answer.
It opens no connection and never fails; a role without a voice is refused.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import cast

from engine.domain.chaos import ChaosKind
from engine.domain.errors import ModelRefused
from engine.domain.roles import Role
from engine.domain.text.reason import Reason
from engine.llm.protocol import Chunk, Model, ModelCall, PlantedSentence, Script, Voice
from engine.script.dice import Dice

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

    name = "scripted"
    takes_images = False

    def __init__(self, voices: Mapping[Role, Voice], *, seed: int = 0, pace: float = 1.0) -> None:
        if not 0 <= pace < float("inf"):
            raise ValueError(f"pace is 0 (no pauses) or a positive factor, not {pace}")
        self._voices, self._seed, self._pace = voices, seed, pace

    async def ready(self) -> None:
        """Do nothing: it can always answer."""

    async def close(self) -> None:
        """Do nothing: nothing is open."""

    async def stream(self, call: ModelCall) -> AsyncIterator[Chunk]:
        """Yield the answer in small pieces. A planted value comes on the piece that holds it, token counts on the last one."""
        script = self.write(call)
        dice = Dice(f"{call.context}|{call.where}|{self._seed}|pauses")
        written = 0
        for index, piece in enumerate(self._pieces(script.text)):
            await asyncio.sleep(self._pause(dice, index) if index else 0)
            end = written + len(piece)
            yield Chunk(text=piece, planted=tuple(plant for at, plant in script.plants if written <= at < end))
            written = end
        for number, asked in enumerate(script.tool_calls, 1):  # arguments are written too, if unseen
            for index, _ in enumerate(self._pieces(f"{asked.name} {asked.arguments}")):
                await asyncio.sleep(self._pause(dice, number * 1000 + index))
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
        short, long = _PAUSE_S
        return (short + (long - short) * dice.roll(index)) / self._pace if self._pace else 0.0

    def _pieces(self, text: str) -> Iterator[str]:
        """Yield the text in order, in pieces of a few words or characters; without pauses in a few large ones."""
        words = _PIECE.findall(text)
        size = _WORDS_A_PIECE if self._pace else max(1, -(-len(words) // _UNPACED_PIECES))
        for start in range(0, len(words), size):
            yield "".join(words[start : start + size])


def approximate_tokens(text: str) -> int:
    """About how many tokens a text is: one for a CJK character, one for four others."""
    wide = len(_WIDE.findall(text))
    return wide + -(-(len(text) - wide) // 4)


class ChaosModel:
    """A model that tells one lie: a `Model` around another, for a demonstration and a test of the checker.

    kind: of the lie. lie: makes it out of what a role is asked; None where that holds nothing to lie about. The answer, its failures and
    its cost are the wrapped model's.
    """

    def __init__(self, model: Model, kind: ChaosKind, lie: Callable[[ModelCall, ChaosKind], PlantedSentence | None]) -> None:
        self._model, self._kind, self._lie = model, kind, lie
        self.name, self.takes_images = model.name, model.takes_images

    async def ready(self) -> None:
        """Check the wrapped model. Raises ModelUnavailable when no call could succeed."""
        await self._model.ready()

    async def close(self) -> None:
        """Release the wrapped model's connections."""
        await self._model.close()

    async def stream(self, call: ModelCall) -> AsyncIterator[Chunk]:
        """Yield the wrapped model's answer; its first piece brings the lie. An answer that may call tools is waited for: the lie belongs to
        what is said in the end, and is before no call."""
        lie = self._lie(call, self._kind)
        waits, whole = lie is not None and call.may_call, list[Chunk]()
        async with aclosing(cast(AsyncGenerator[Chunk, None], self._model.stream(call))) as chunks:
            async for chunk in chunks:
                if waits:
                    whole.append(chunk)
                    continue
                lie, piece = _with_lie(lie, chunk)
                yield piece
        if any(chunk.tool_calls for chunk in whole):
            lie = None
        for chunk in whole:
            lie, piece = _with_lie(lie, chunk)
            yield piece


def _with_lie(lie: PlantedSentence | None, chunk: Chunk) -> tuple[PlantedSentence | None, Chunk]:
    """Return the lie where it is still to come, and a piece with the lie before it where it has text."""
    if lie is None or not chunk.text:
        return lie, chunk
    sentence, planted = lie
    return None, replace(chunk, text=sentence + chunk.text, planted=(planted, *chunk.planted))
