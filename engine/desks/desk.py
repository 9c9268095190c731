"""What a desk is to the engine, and what the apis of desks share: a request made of what is asked and of the settings."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar

from pydantic import ValidationError

from engine.bootstrap.container import Container
from engine.domain.chaos import Chaos
from engine.domain.checked_text import CheckedText
from engine.domain.claims import Claim
from engine.domain.errors import BadInput, TribunalError
from engine.domain.facts import FactSheet
from engine.domain.risk import RiskConfig
from engine.domain.run import RunRecord, RunRequest
from engine.domain.text.reason import Reason
from engine.flows.protocol import Flow
from engine.runs.origins import RECORDED, replayed

if TYPE_CHECKING:
    from engine.replay.protocol import ReplayDesk  # with numpy, which no page need wait for

Request = TypeVar("Request", bound=RunRequest)
Result = TypeVar("Result")
WAIT_S: Final = 20.0
"""How long a source of prices is waited for."""


@dataclass(frozen=True)
class Desk:
    """One desk. flow: what its runs are. apis: attribute of `Engine` -> makes what is there, given the running parts. replay: makes how it
    is replayed over history, None where it is not."""

    flow: Flow
    apis: Mapping[str, Callable[[Container], object]]
    replay: "Callable[[Container], ReplayDesk] | None" = None


class DeskApi(Generic[Request]):
    """What `Engine` offers of one desk beside what every run has.

    Every method may be called from any thread but the engine's own, blocks no longer than a read from the journal unless it says so, and
    raises a TribunalError with one clear line when it cannot do what it says.
    """

    flow: ClassVar[Flow]
    request_type: type[Request]

    def __init__(self, container: Container) -> None:
        self._container = container

    def facts_of(self, run_id: str, result: Mapping[str, Any]) -> tuple[FactSheet, str] | None:
        """Return the facts that the words of one of its runs are about, and the path they are checked on (`entry`, `position`, `equity`);
        None for runs of other desks, and where the inputs are not kept any more. result: the final state of the run that says them."""
        return None

    def history_of(self, run_id: str) -> Mapping[str, Sequence[float | None]]:
        """Return key -> the values that a fact of one of its runs had up to its clock, oldest first; none for runs of other desks, and
        where the inputs are not kept any more."""
        return {}

    def check_text(self, run_id: str, result: Mapping[str, Any], text: str, source: str) -> CheckedText | None:
        """Return a text, read and judged as the words of one of its runs were; None where `facts_of` is. Nothing is kept of it. source: who
        says it."""
        from engine.grounding.one_text import check_text  # noqa: PLC0415 - all its words, and no page need wait for them
        from engine.grounding.reading import read_claims  # noqa: PLC0415 - late, as above
        from engine.grounding.tables.markets import table_of  # noqa: PLC0415 - late, as above

        known = self.facts_of(run_id, result)
        if known is None:
            return None
        sheet, table = known[0], table_of(known[1])
        claims = self.settled(run_id, text, read_claims(text, sheet, source, table=table))
        return check_text(text, claims, sheet, table)

    def settled(self, run_id: str, text: str, claims: Sequence[Claim]) -> Sequence[Claim]:
        """Return claims as the desk judges them, beyond the rules that all desks share. claims: of all of `text`."""
        return claims

    def usual_requests(self) -> Sequence[Request]:
        """Return requests that stand for the runs of the desk, of the script on simulated markets, so that what a run asks can be counted
        before there was one; none where that takes more than reading."""
        return ()

    def make(
        self, asked: Mapping[str, object], roles: Sequence[str], defaults: Mapping[str, object] | None = None, **own: object
    ) -> Request:
        """Return a request: `own`, else what is asked for, else the defaults, else the settings. None in `asked` is nothing asked for.
        roles: those that a planted lie may be in. Raises BadInput naming what is wrong."""
        settings = self._container.settings
        given = {key: value for key, value in asked.items() if value is not None}
        if "data_dir" in given and "feed" not in given and settings.feed != "live":
            given["feed"] = "recorded"
        feed = given.get("feed", settings.default_feed)
        settled: dict[str, Any] = {
            "feed": feed,
            "data_dir": str(settings.data_dir) if settings.data_dir and feed == "recorded" else None,
            "exchange": settings.exchange if feed == "live" else None,
            "model": settings.default_model,
            "reader": settings.reader_of(str(given.get("model", settings.default_model))),
            "language": settings.language,
            "correct": settings.correct,
            "similar": settings.similar,
            **(defaults or {}),
        }
        if isinstance(given.get("chaos"), str):
            given["chaos"] = Chaos.parse(str(given["chaos"]), tuple(roles))
        fields = self.request_type.model_fields
        if "risk" in fields:
            given["risk"] = self.limits(given.get("risk"))
        known = {key: value for key, value in settled.items() if key in fields}
        try:
            request = self.request_type.model_validate({**known, **given, **own})
        except ValidationError as problem:
            raise BadInput(self.in_one_line(problem)) from None
        self.flow.admit(request, settings.risk)
        return request

    def limits(self, given: object) -> object:
        """Return the limits that were asked for; what they leave out is as TRIBUNAL_RISK has it."""
        own = self._container.settings.risk
        if isinstance(given, RiskConfig):
            given = given.model_dump(exclude_unset=True)
        if given is None:
            return own
        return {**own.model_dump(exclude_unset=True), **given} if isinstance(given, Mapping) else given

    def recorded_run(self, asked: Mapping[str, object]) -> RunRecord | None:
        """Return the run that `model` asks to be played again (`recorded:RUN_ID`), None where it names a model. Raises BadInput for a run
        that is not known, or that another desk made."""
        model = str(asked.get("model") or self._container.settings.default_model)
        if not model.startswith(RECORDED):
            return None
        record = self.require_run(model.removeprefix(RECORDED))
        self.own(record.request)
        return record

    def played_again(self, record: RunRecord, changes: Mapping[str, object] | None = None) -> Request:
        """Return the request of a run that gives the recorded answers of another again, bound by today's limits."""
        again = replayed(record, self.flow, changes)
        if changes:
            self.flow.admit(again, self._container.settings.risk)
        else:
            again = self.flow.tighten(again, self._container.settings.risk)
        return self.own(again)

    def own(self, request: RunRequest) -> Request:
        """Return a request as this desk's. Raises BadInput for one of another desk."""
        if not isinstance(request, self.request_type):
            raise BadInput(Reason("run_is_of_another_flow", flow=request.flow, wanted=self.flow.name))
        return request

    def wait_for(self, question: Coroutine[Any, Any, Result], late: Reason) -> Result:
        """Return what the engine's loop answers. Raises a TribunalError for the reason `late` where that takes longer than `WAIT_S`."""
        try:
            return self._container.loop.submit(question).result(WAIT_S)
        except TimeoutError:
            raise TribunalError(late) from None

    def require_run(self, run_id: str) -> RunRecord:
        """Return a run with its result. Raises BadInput if the id is unknown."""
        record = self._container.journal.run(run_id)
        if record is None:
            raise BadInput(Reason("run_is_not_known", run_id=run_id))
        return record

    def in_one_line(self, problem: ValidationError) -> str:
        """Return what is wrong with a request: where, and what."""
        first = problem.errors(include_input=False, include_url=False)[0]
        return f"{' '.join(map(str, first['loc']))}: {first['msg'][0].lower()}{first['msg'][1:]}".removeprefix(": ")
