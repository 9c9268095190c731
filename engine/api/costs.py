"""What a run of a desk takes in tokens, money and seconds: measured on the last runs of a model, before the first estimated."""

import hashlib
import statistics
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING, Final

from engine.bootstrap.container import Container
from engine.desks import DESKS, desk_of
from engine.domain.connection import DEFAULT_ADDRESS, ModelTest, RunCost, Spread
from engine.domain.errors import BadInput, TribunalError
from engine.domain.run import RunRequest
from engine.domain.text.reason import Reason
from engine.runs.engine_loop import EngineLoop
from engine.runs.run_budget import MILLION

if TYPE_CHECKING:
    from engine.bootstrap.rehearsal import RehearsedCall

LAST_RUNS: Final = 40
TEST: Final = "model test"
"""Under which tests of models are kept among the journal's memories: subject = the model, name = its endpoint's."""
_LONGEST: Final = 200
_P95: Final = 0.95
_UNPACED: Final = "scripted"


class Costs:
    """One per engine. usual: (desk) -> requests that stand for its runs, none for a desk whose runs cannot be rehearsed."""

    def __init__(self, container: Container, usual: Callable[[str], Sequence[RunRequest]]) -> None:
        self._container, self._usual = container, usual
        self._lock = threading.Lock()
        self._loop: EngineLoop | None = None
        self._is_closed = False
        self._rehearsed: dict[str, Future[list[list[RehearsedCall]]]] = {}

    def close(self) -> None:
        """Cancel the rehearsal that goes on; begin no other. May be called more than once."""
        with self._lock:
            self._is_closed = True
        if self._loop is not None:
            self._loop.close()

    def of(self, desk: str, model: str | None = None, *, waits: bool = True) -> RunCost | None:
        """Return what a run of a desk takes. model: None = the settings'. waits: for an estimate, which takes seconds the first time; else
        None is returned until it is there, and where the engine ends before. Raises BadInput for a desk that there is not, StoreError."""
        if desk not in DESKS:
            raise BadInput(Reason("desk_is_not_known", desk=desk[:40], desks=", ".join(DESKS)))
        name = model or self._container.settings.default_model
        return self._measured(desk_of(desk).flow.name, name) or self._estimated(desk, name, waits=waits)

    def of_flow(self, flow: str, model: str) -> RunCost | None:
        """Return what a run of a flow takes, None while that is being counted and for a flow that is not known here."""
        desk = next((each for each in DESKS if desk_of(each).flow.name == flow), None)
        return self.of(desk, model, waits=False) if desk is not None else None

    def expected(self, desk: str, test: ModelTest) -> RunCost | None:
        """Return what a run of a desk would take with a model as its test found it; None while it is being counted."""
        return self._estimated(desk, test.model, waits=False, test=test)

    def _measured(self, flow: str, model: str) -> RunCost | None:
        runs = self._container.journal.run_search.costs(flow, model, LAST_RUNS)
        if not runs:
            return None
        money = [run.cost for run in runs if run.cost is not None]
        seconds = [run.duration_ms / 1000 for run in runs if run.duration_ms is not None]
        tokens = [run.tokens for run in runs if run.tokens is not None]
        return RunCost(
            runs=len(runs),
            tokens=spread(tokens),
            seconds=spread(seconds),
            money=spread(money) if money else None,
            estimated=False,
        )

    def _estimated(self, desk: str, model: str, *, waits: bool, test: ModelTest | None = None) -> RunCost | None:
        if not self._usual(desk):
            return RunCost(runs=0, tokens=Spread(), seconds=Spread(), money=None, estimated=False)
        rehearsed = self._rehearsal(desk)
        if rehearsed is None or (not waits and not rehearsed.done()):
            return None
        try:
            runs = rehearsed.result()
        except CancelledError:
            return None
        price = self._container.settings.prices.get(model)
        money = None
        if model == _UNPACED:
            money = Spread(median=0.0, p95=0.0)
        elif price is not None:
            money = spread([sum(call.sent * price[0] + call.written * price[1] for call in calls) / MILLION for calls in runs])
        return RunCost(
            runs=0,
            tokens=spread([sum(call.sent + call.written for call in calls) for calls in runs]),
            seconds=self._seconds(test or self.last_test(model), runs),
            money=money,
            estimated=True,
            calls=round(statistics.median(len(calls) for calls in runs)),
        )

    def _seconds(self, test: ModelTest | None, runs: Sequence[Sequence["RehearsedCall"]]) -> Spread:
        """Return how long the runs would take at the speed that the last test of a model measured; unknown without one."""
        from engine.bootstrap.rehearsal import Speeds, duration_s  # noqa: PLC0415 - it brings LangGraph

        if test is None or not test.tokens_per_s:
            return Spread()
        at_once = int(test.settings.get("TRIBUNAL_MODEL_CONCURRENCY", self._container.settings.model_concurrency))
        speeds = Speeds(test.first_word_s or 0.0, test.reads_per_s, test.tokens_per_s, at_once)
        return spread([duration_s(calls, speeds) for calls in runs])

    def last_test(self, model: str) -> ModelTest | None:
        """Return what the last test of a model found at the endpoint of the settings; None where there was none that can be read."""
        return self.test_of(self._container.settings.openai_base_url or DEFAULT_ADDRESS, model)

    def test_of(self, address: str, model: str) -> ModelTest | None:
        """Return what the last test of a model at an endpoint found; None where there was none that can be read."""
        try:
            memory = self._container.journal.newest_memory(TEST, model[:_LONGEST], name_of_endpoint(address))
            return ModelTest.model_validate(memory.body) if memory is not None else None
        except (ValueError, TribunalError):
            return None

    def _rehearsal(self, desk: str) -> "Future[list[list[RehearsedCall]]] | None":
        """Return the calls of rehearsed runs, which are counted once a process, on a loop of their own; None once the engine ends."""
        with self._lock:
            if self._is_closed:
                return self._rehearsed.get(desk)
            self._loop = self._loop or EngineLoop("rehearsing")
            if desk not in self._rehearsed:
                self._rehearsed[desk] = self._loop.submit(self._rehearse(desk))
            return self._rehearsed[desk]

    async def _rehearse(self, desk: str) -> "list[list[RehearsedCall]]":
        from engine.bootstrap.rehearsal import rehearse  # noqa: PLC0415 - late, as above

        return await rehearse(desk_of(desk).flow, self._usual(desk), self._container.flow_deps)


def name_of_endpoint(address: str) -> str:
    """Return the name under which tests at an address are kept: it is not readable, since an address may hold a password."""
    return hashlib.sha256(address.strip().rstrip("/").encode()).hexdigest()[:32]


def spread(values: Sequence[float]) -> Spread:
    """Return the median and the 95th percentile: the smallest of the values that 95 of 100 do not exceed."""
    if not values:
        return Spread()
    ordered = sorted(values)
    at = max(0, -(-round(_P95 * 100) * len(ordered) // 100) - 1)
    return Spread(median=float(statistics.median(ordered)), p95=float(ordered[at]))
