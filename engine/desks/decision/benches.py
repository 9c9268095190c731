"""The benches of `Engine`: one at a time in this process, its progress, its result, and what was found of a model before."""

import asyncio
import secrets
import sys
import threading
from concurrent.futures import Future
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.agents.access import unheard
from engine.bootstrap.container import Container
from engine.domain.account_ref import AccountRef
from engine.domain.bench import BenchEstimate, BenchResult
from engine.domain.ended import Memory
from engine.domain.errors import BadInput, StoreError, TribunalError
from engine.domain.opinion import Usage
from engine.domain.run import DecideRequest
from engine.domain.text.language import LANGUAGES
from engine.domain.text.reason import Reason
from engine.runs.run_budget import cost_of
from engine.settings import ENV_FILE, write_settings

if TYPE_CHECKING:
    from engine.desks.decision.bench.bench import Bench

FLOW: Final = "bench"
"""Under which results are kept among the journal's memories: subject = the model, name = the hash of the prompts."""
MINUTES: Final = 10.0
_USUAL: Final = BenchEstimate(questions=98, prompt_tokens=235_000, completion_tokens=25_000, cost=None)
"""What a bench with the built-in prompts usually takes, rounded: known without making its questions, which takes seconds."""
_SCRIPTED: Final = "scripted"
_ROLES: Final = "engine.desks.decision.graph"


class Benches:
    """Methods may be called from any thread but the engine's own."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._lock = threading.Lock()
        self._future: Future[BenchResult] | None = None
        self._bench: Bench | None = None
        self._model = ""

    def estimate(self, model: str | None = None) -> BenchEstimate:
        """Return what a bench of a model usually takes, None = the settings'; said before one is started."""
        settings = self._container.settings
        tokens = {"prompt_tokens": _USUAL.prompt_tokens, "completion_tokens": _USUAL.completion_tokens}
        usage = Usage(model=model or settings.default_model, requests=_USUAL.questions, **tokens)
        return _USUAL.model_copy(update={"cost": cost_of(usage, settings.prices)})

    def start(self, model: str | None = None, minutes: float = MINUTES, prompts: Path | None = None) -> None:
        """Begin to measure a model, None = the settings'. prompts: a folder of role prompts instead of the built-in ones. Raises BadInput
        while another bench goes on."""
        with self._lock:
            if self._future is not None and not self._future.done():
                raise BadInput(Reason("bench_of_goes_on", model=self._model))
            self._model = model or self._container.settings.default_model
            self._bench = None
            self._future = self._container.loop.submit(self._run(self._model, minutes, prompts))

    async def _run(self, model: str, minutes: float, prompts: Path | None) -> BenchResult:
        from engine.desks.decision.bench.bench import Bench  # noqa: PLC0415 - it brings the desk's graph and TA-Lib
        from engine.desks.decision.bench.exam import make_exam  # noqa: PLC0415 - late, as above
        from engine.desks.decision.bench.sheets import SEED  # noqa: PLC0415 - late, as above

        settings, providers = self._container.settings, self._container.providers
        request = DecideRequest(model=model, symbol="BTC/USDT:USDT", feed="simulated", seed=SEED)
        await providers.ready(request)
        asked = providers.named(model, request)
        await asked.ready()
        feed = providers.feed(AccountRef(feed="simulated", seed=SEED))
        exam = await asyncio.to_thread(lambda: asyncio.run(make_exam(feed, settings.risk, prompts)))
        self._bench = Bench(exam, asked, providers.access(request, FLOW, unheard), minutes, providers.clock)
        result = await self._bench.run()
        if not result.has_answers:
            return result
        memory = Memory(flow=FLOW, subject=model, name=result.prompts_hash, body=result.model_dump(mode="json"))
        await asyncio.to_thread(self._container.journal.remember, memory, f"{FLOW}-{secrets.token_hex(12)}")
        return result

    def progress(self) -> tuple[int, int] | None:
        """Return how many questions were asked so far, and of how many; None while they are made."""
        return (self._bench.asked, self._bench.questions) if self._bench is not None else None

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
            raise BadInput(Reason("no_bench_was_started"))
        if future.cancelled():
            raise TribunalError(Reason("bench_was_stopped_before_its_first_question"))
        return future.result(timeout)

    @cached_property
    def prompts_hash(self) -> str:
        """The name of the built-in prompts, as results have it."""
        from engine.desks.decision.bench.exam import hash_of  # noqa: PLC0415 - late, as above

        return hash_of({}, LANGUAGES)

    def newest(self, model: str) -> BenchResult | None:
        """Return what the last bench of a model found with the built-in prompts of this version, None where there was none that it can
        read or that got an answer."""
        if not self._was_measured(model):
            return None
        memory = self._container.journal.newest_memory(FLOW, model, self.prompts_hash)
        try:
            result = BenchResult.model_validate(memory.body) if memory is not None else None
        except ValueError:
            return None
        return result if result is not None and result.has_answers else None

    def is_untested(self, model: str) -> bool:
        """Return whether no bench has measured a model with these prompts; False for the script, and while that is unknown: a form does not
        wait until the roles are imported."""
        try:
            if model == _SCRIPTED or not self._was_measured(model):
                return model != _SCRIPTED
            return _ROLES in sys.modules and self.newest(model) is None
        except StoreError:
            return False

    def _was_measured(self, model: str) -> bool:
        """Return whether any result of a model is kept, of whatever prompts."""
        return self._container.journal.newest_memory(FLOW, model, None) is not None

    def apply(self, result: BenchResult) -> None:
        """Write the settings that a result proposes into `.env`, for the next start. Raises BadInput."""
        write_settings(result.env, ENV_FILE)
