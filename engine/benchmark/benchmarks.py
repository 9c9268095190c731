"""The benchmarks of `Engine`: one at a time in this process, its progress, and its result in a folder."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.bootstrap.container import Container
from engine.domain.calls.at_once import AtOnce
from engine.domain.errors import BadInput
from engine.domain.events import EventData
from engine.domain.frozen_model import FrozenModel
from engine.domain.run import DecideRequest
from engine.domain.text.language import LANGUAGES, Language
from engine.domain.text.reason import Reason

if TYPE_CHECKING:
    from engine.benchmark.figures import StruckResult
    from engine.benchmark.record import StruckSetup
    from engine.benchmark.session import Session
    from engine.benchmark.sheets import Kind, StruckSheet
    from engine.benchmark.windows import CandleWindow, WindowResult
    from engine.llm.protocol import Model

K: Final = 10
_SCRIPTED: Final = "scripted"


class StruckRequest(FrozenModel):
    """What is to be measured. folder: where the result goes; page: the language of its page. model: None = the settings'. count: how many
    sheets, None = all. k: answers to the sheets that are asked about several times. lies, seed: of the scripted model. sheets: a file of
    other sheets than the edition's."""

    folder: Path
    model: str | None = None
    count: int | None = None
    k: int = K
    languages: tuple[Language, ...] = LANGUAGES
    lies: float = 0.0
    seed: int = 0
    sheets: Path | None = None
    page: Language = "en"


class StruckProgress(FrozenModel):
    """The state of a benchmark. earlier: answers of earlier sessions. planned: questions of this one. tokens, cost: what they will probably
    take."""

    model: str
    asked: int
    planned: int
    earlier: int
    tokens: int
    cost: float | None


class Benchmarks:
    """Methods may be called from any thread but the engine's own."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._lock = threading.Lock()
        self._future: Future[StruckResult] | None = None
        self._session: Session | None = None
        self._progress: StruckProgress | None = None

    def start(self, request: StruckRequest) -> None:
        """Begin to measure a model, or go on where an earlier session ended in the same folder. Raises BadInput while another benchmark
        goes on."""
        with self._lock:
            if self._future is not None and not self._future.done():
                raise BadInput(Reason("struck_goes_on"))
            self._session = self._progress = None
            self._future = self._container.loop.submit(self._run(request))

    async def _run(self, request: StruckRequest) -> "StruckResult":
        from engine.benchmark.prompts import ROLE  # noqa: PLC0415 - it brings the grounding's words, which no page need wait for
        from engine.benchmark.record import KeptAnswers, record_of  # noqa: PLC0415 - late, as above
        from engine.benchmark.session import Session  # noqa: PLC0415 - late, as above
        from engine.benchmark.written import write_result  # noqa: PLC0415 - late, as above

        providers = self._container.providers
        asked = DecideRequest(model=request.model or self._container.settings.default_model, symbol="BTC/USDT:USDT", feed="simulated")
        setup, models = await self._setup(request, asked.model), self._models(request, asked)
        await models["entry"].ready()
        kept = await asyncio.to_thread(KeptAnswers, request.folder, setup)
        try:
            access = providers.access(asked, ROLE, _unheard)
            session = self._session = Session(setup, kept, models, access)
            usage = session.probable_usage(asked.model)
            tokens = usage.prompt_tokens + usage.completion_tokens
            self._progress = StruckProgress(
                model=asked.model,
                asked=0,
                planned=session.planned,
                earlier=len(kept.answers),
                tokens=tokens,
                cost=access.budget.cost(usage),
            )
            ended = await session.run()
            record = record_of(setup, kept.answers, ended, providers.clock())
            result = await asyncio.to_thread(write_result, request.folder, record, request.page)
            kept.forget() if ended == "done" else kept.close()
        finally:
            kept.close()
        return result

    async def _setup(self, request: StruckRequest, model: str) -> "StruckSetup":
        from engine.benchmark.prompts import read_prompts  # noqa: PLC0415 - late, as above
        from engine.benchmark.record import StruckSetup  # noqa: PLC0415 - late, as above
        from engine.benchmark.sheets import read_manifest  # noqa: PLC0415 - late, as above

        sheets = await self._sheets(request)
        if not sheets:
            raise BadInput(Reason("struck_no_sheets"))
        return StruckSetup(
            edition=read_manifest().edition,
            model=model,
            k=request.k,
            lies=request.lies if model == _SCRIPTED else 0.0,
            seed=request.seed if model == _SCRIPTED else 0,
            shipped=request.sheets is None,
            prompts={language: dict(texts) for language, texts in read_prompts().texts.items()},
            sheets=tuple(sheets),
        )

    async def _sheets(self, request: StruckRequest) -> "list[StruckSheet]":
        from engine.benchmark.sheets import read_sheets, shipped_sheets  # noqa: PLC0415 - late, as above

        if request.sheets is not None:
            found = await asyncio.to_thread(read_sheets, request.sheets)
            return [sheet for sheet in found if sheet.language in request.languages][: request.count]
        return await asyncio.to_thread(lambda: asyncio.run(shipped_sheets(request.languages, request.count)))

    def _models(self, request: StruckRequest, asked: DecideRequest) -> "Mapping[Kind, Model]":
        from engine.benchmark.voices import scripted_models  # noqa: PLC0415 - late, as above

        if asked.model == _SCRIPTED:
            return scripted_models(request.lies, request.seed)
        model = self._container.providers.named(asked.model, asked)
        return {"entry": model, "position": model, "company": model}

    def predicted(self, folder: Path, fee: float, model: str | None, language: Language) -> "WindowResult":
        """Return the directional accuracy on a folder of windows, of a model too where one is named: a question a window. Raises BadInput,
        and ModelUnavailable."""
        from engine.benchmark.windows import read_windows, result_of  # noqa: PLC0415 - late, as above

        windows = read_windows(folder)
        if model is None:
            return result_of(windows, fee)
        verdicts = self._container.loop.submit(self._asked(windows, model, language)).result()
        return result_of(windows, fee, verdicts, model)

    async def _asked(self, windows: "Sequence[CandleWindow]", model: str, language: Language) -> dict[str, str | None]:
        from engine.benchmark.asking import answer_of, verdict_in  # noqa: PLC0415 - late, as above
        from engine.benchmark.prompts import ROLE  # noqa: PLC0415 - late, as above
        from engine.benchmark.session import AT_ONCE  # noqa: PLC0415 - late, as above
        from engine.benchmark.windows import question_of  # noqa: PLC0415 - late, as above

        request = DecideRequest(model=model, symbol="BTC/USDT:USDT", feed="simulated")
        models = self._models(StruckRequest(folder=Path()), request)
        await models["entry"].ready()
        access = self._container.providers.access(request, ROLE, _unheard)
        verdicts: dict[str, str | None] = {}

        async def ask(window: "CandleWindow") -> None:
            answer = await answer_of(question_of(window, language), models, access)
            verdicts[window.name] = verdict_in(answer.text, "entry")

        await AtOnce(AT_ONCE, ask).run(windows)
        return verdicts

    def progress(self) -> StruckProgress | None:
        """Return the state of this process's last benchmark; None before its questions are made."""
        known, session = self._progress, self._session
        return known.model_copy(update={"asked": session.asked}) if known is not None and session is not None else None

    def stop(self) -> None:
        """End the benchmark that goes on; what was answered is measured and kept."""
        if self._session is not None:
            self._container.loop.call(self._session.stop)
        elif self._future is not None:
            self._future.cancel()

    def wait(self, timeout: float | None = None) -> "StruckResult":
        """Return the result once the benchmark has ended. Raises TimeoutError while it goes on, what it failed with, and BadInput where
        there is none or it was stopped before its first question."""
        future = self._future
        if future is None or future.cancelled():
            raise BadInput(Reason("struck_not_begun"))
        return future.result(timeout)


def _unheard(node: str | None, data: EventData) -> None:
    """Take an event that no one follows."""
