"""Tokens into events: the first piece at once, later ones gathered for about 100 ms, so that a run costs tens of events, not thousands."""

import asyncio

from engine.agents.access import Emit
from engine.domain.events import ModelPlanted, NodeRetried, NodeTokens
from engine.llm.protocol import Planted

GATHER_S = 0.1
ROUND_BREAK = "\n\n"


class TokenLog:
    """The listener of one role's calls: turns what a call does into events of its node. Lives on the engine's loop."""

    def __init__(self, emit: Emit, node: str, said: str = "", attempt: int = 1) -> None:
        """Begin with nothing gathered. said: what the role said in earlier rounds; attempt: the attempt that wrote it."""
        self._emit = emit
        self._node = node
        self._said = said
        self._pieces: list[str] = []
        self._break = ROUND_BREAK if said else ""  # comes before the first words of this turn
        self._attempt = attempt
        self._timer: asyncio.TimerHandle | None = None

    def text(self, piece: str, attempt: int) -> None:
        """Take the next characters of an attempt."""
        if attempt != self._attempt:
            self.flush()
            self._attempt = attempt
            self._break = self._said
        if self._break:
            self._pieces.append(self._break)
            self._break = ""
        self._pieces.append(piece)
        if self._timer is None:
            self.flush()
            self._timer = asyncio.get_running_loop().call_later(GATHER_S, self._ring)

    def planted(self, planted: Planted) -> None:
        """Emit that a scripted or chaotic model states a false value here."""
        self._emit(self._node, ModelPlanted(role=planted.role, key=planted.key, stated=planted.stated, true=planted.true))

    def retrying(self, attempt: int, reason: str, wait_s: float) -> None:
        """Emit that the attempt `attempt` begins after `wait_s` seconds; what earlier ones wrote is superseded."""
        self.again(attempt, reason, wait_s, repair=False)

    def again(self, attempt: int, reason: str, wait_s: float = 0.0, *, repair: bool, cause: str = "") -> None:
        """Say that another attempt begins. repair: the last answer could not be read. cause: of that (`model_faults.py`)."""
        self.flush()
        why = {"cause": cause} if cause else {}
        self._emit(self._node, NodeRetried(attempt=attempt, reason=reason, wait_s=round(wait_s, 3), repair=repair, **why))

    def flush(self) -> None:
        """Write what has been gathered."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._pieces:
            self._emit(self._node, NodeTokens(text="".join(self._pieces), attempt=self._attempt))
            self._pieces.clear()

    def _ring(self) -> None:
        self._timer = None
        had_text = bool(self._pieces)
        self.flush()
        if had_text:  # keep gathering while text keeps coming; after a silence the next piece goes out at once again
            self._timer = asyncio.get_running_loop().call_later(GATHER_S, self._ring)
