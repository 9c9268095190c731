"""The part of the door for benches: one at a time in this process, its progress, its result, and what was found of a model before."""

import asyncio
import secrets
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.bootstrap.container import Container
from engine.domain.account_ref import AccountRef
from engine.domain.bench import BenchEstimate, BenchProgress, BenchResult
from engine.domain.ended import Memory
from engine.domain.errors import BadInput, StoreError, TribunalError
from engine.domain.events import EventData
from engine.domain.run import DecideRequest
from engine.settings import ENV_FILE, write_settings

if TYPE_CHECKING:
    from engine.bench.bench import Bench

FLOW: Final = "bench"
"""Under which results are kept among the journal's memories: subject = the model, name = the hash of the prompts."""
MINUTES: Final = 10.0
_SCRIPTED: Final = "scripted"


class Benches:
    """Methods may be called from any thread but the engine's own."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._lock = threading.Lock()
        self._future: Future[BenchResult] | None = None
        self._bench: Bench | None = None
        self._model = ""
        self._estimate: BenchEstimate | None = None

    def start(self, model: str | None = None, minutes: float = MINUTES, prompts: Path | None = None) -> None:
        """Begin to measure a model, None = the settings'. prompts: a folder of role prompts instead of the built-in ones. Raises BadInput
        while another bench goes on."""
        with self._lock:
            if self._future is not None and not self._future.done():
                raise BadInput(f"a bench of {self._model} goes on: wait for it, or stop it")
            self._model = model or self._container.settings.default_model
            self._bench = self._estimate = None
            self._future = self._container.loop.submit(self._run(self._model, minutes, prompts))

    async def _run(self, model: str, minutes: float, prompts: Path | None) -> BenchResult:
        from engine.bench.bench import Bench  # noqa: PLC0415 - it brings the desk's graph and TA-Lib
        from engine.bench.exam import make_exam  # noqa: PLC0415 - late, as above
        from engine.bench.sheets import SEED  # noqa: PLC0415 - late, as above

        settings, providers = self._container.settings, self._container.providers
        request = DecideRequest(model=model, symbol="BTC/USDT:USDT", feed="simulated", seed=SEED)
        await providers.ready(request)
        asked = providers.named(model, request)
        await asked.ready()
        feed = providers.feed(AccountRef(feed="simulated", seed=SEED))
        exam = await asyncio.to_thread(lambda: asyncio.run(make_exam(feed, settings.risk, prompts)))
        self._bench = Bench(exam, asked, providers.access(request, FLOW, _unheard), minutes, providers.clock)
        self._estimate = self._bench.estimate()
        result = await self._bench.run()
        memory = Memory(flow=FLOW, subject=model, name=result.prompts_hash, body=result.model_dump(mode="json"))
        await asyncio.to_thread(self._container.journal.remember, memory, f"{FLOW}-{secrets.token_hex(12)}")
        return result

    def progress(self) -> BenchProgress | None:
        """Return how this process's last bench stands, None before the first."""
        future, bench = self._future, self._bench
        if future is None:
            return None
        known = BenchProgress(model=self._model, asked=bench.asked if bench is not None else 0, estimate=self._estimate)
        if not future.done():
            return known
        if future.cancelled():
            return known.model_copy(update={"error": "stopped before its first question"})
        problem = future.exception()
        if problem is None:
            return known.model_copy(update={"result": future.result()})
        if not isinstance(problem, TribunalError):
            raise problem
        return known.model_copy(update={"error": str(problem)})

    def stop(self) -> None:
        """End the bench that goes on; what was answered is measured and kept."""
        if self._bench is not None:
            self._container.loop.call(self._bench.stop)
        elif self._future is not None:
            self._future.cancel()

    def wait(self, timeout: float | None = None) -> BenchResult:
        """Return the result once the bench has ended. Raises TimeoutError while it goes on, and what it failed with; BadInput where there
        is none or it was stopped before its first question."""
        future = self._future
        if future is None:
            raise BadInput("no bench was started")
        if future.cancelled():
            raise TribunalError("the bench was stopped before its first question")
        return future.result(timeout)

    def newest(self, model: str) -> BenchResult | None:
        """Return what the last bench of a model found, None where there was none that this version can read."""
        memory = self._container.journal.newest_memory(FLOW, model, None)
        try:
            return BenchResult.model_validate(memory.body) if memory is not None else None
        except ValueError:
            return None

    def is_untested(self, model: str) -> bool:
        """Return whether no bench has ever measured a model; False for the script, and where nobody knows."""
        try:
            return model != _SCRIPTED and self.newest(model) is None
        except StoreError:
            return False

    def apply(self, result: BenchResult) -> None:
        """Write the settings that a result proposes into `.env`, for the next start. Raises BadInput."""
        write_settings(result.env, ENV_FILE)


def _unheard(node: str | None, data: EventData) -> None:
    """Take an event that nobody follows."""
