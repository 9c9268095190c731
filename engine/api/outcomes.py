"""What decisions have come to and how well their confidence agrees with it, as pages and shell see it.

Every method may be called from any thread but the engine's own, and raises a TribunalError with one clear line when it cannot do what it
says.
"""

from collections import Counter
from datetime import UTC, datetime
from typing import get_args

from engine.api.disputes import Disputes
from engine.api.seats import role_of
from engine.bootstrap.container import Container
from engine.domain.calibration import Calibration
from engine.domain.clock import utc_now
from engine.domain.errors import BadInput, TribunalError
from engine.domain.honesty import HonestyGroup, HonestyRow, RoleHonesty
from engine.domain.lesson import LearntLesson
from engine.domain.market.instrument import FeedName
from engine.domain.outcome import DecisionOutcome, ExportForm, FoundLines, JournalFilter, JournalSummary, PersonGroup
from engine.domain.run import RunRequest
from engine.domain.text.reason import Reason
from engine.outcomes.calibration import calibration_of
from engine.outcomes.honesty import honesty_of
from engine.outcomes.lessons import learnt

_WAIT_S = 540.0
_MOST_LESSONS = 5_000


class Outcomes:
    """The part of `Engine` that is about outcomes."""

    def __init__(self, container: Container, disputes: Disputes) -> None:
        self._container, self._store, self._disputes = container, container.journal.outcomes, disputes

    def catch_up(self, run_id: str | None = None) -> dict[str, str]:
        """Work out what is known by now of every unfinished decision, or of one. Reads markets. Returns run -> why it could not be."""
        found = self._container.loop.submit(self._container.outcome_service.catch_up(run_id))
        try:
            return found.result(_WAIT_S)
        except TimeoutError:
            raise TribunalError(Reason("there_was_no_answer_within_s", wait_s=f"{_WAIT_S:.0f}")) from None

    def all(self, limit: int | None = None) -> list[DecisionOutcome]:
        """Return what is known of every decision, the newest first. Reads the journal only."""
        return self._store.outcomes(limit)

    def of(self, run_id: str) -> DecisionOutcome | None:
        """Return what is known of one decision; None before its market was looked at. Raises BadInput for a run that decided nothing, and
        for a demo."""
        if self._store.seen(run_id) is None:
            record = self._container.journal.run(run_id)
            if record is None:
                raise BadInput(Reason("run_is_not_known", run_id=run_id[:60]))
            account = record.request.account_ref
            is_demo = account is not None and account.starts_over
            raise BadInput(Reason("run_is_demo" if is_demo else "run_decided_nothing", run_id=run_id[:60]))
        return self._store.outcome(run_id)

    def calibration(self, desk: str | None = None, model: str | None = None, feed: FeedName | None = None) -> Calibration:
        """Return how well the stated confidence of entries agrees with how many of them gained after costs. desk: the flow's name. feed: of
        decisions on such prices."""
        return calibration_of(self._store.cases(desk, model, feed))

    def calibrate(self, request: RunRequest) -> RunRequest:
        """Return a request with the calibration of its desk and model, out of decisions on the same kind of prices that were over at its
        clock, and with how often its analysts were wrong before it, where that weighs them. Unchanged where there is too little, where it
        has them already, for a demo, which remembers nothing, and where its recorded market cannot be read."""
        account = request.account_ref
        if account is None or account.starts_over or request.origin is not None:
            return request
        about = (request.flow, request.model, account.feed)
        wants_calibration = getattr(request, "calibration", False) is None and calibration_of(self._store.cases(*about)).enough
        wants_honesty = getattr(request, "honesty", None) == () and self._container.settings.weigh_honesty
        clock = self._clock(request) if wants_calibration or wants_honesty else None
        if clock is None:
            return request
        found: dict[str, object] = {}
        if wants_calibration and (calibration := calibration_of(self._store.cases(*about, until=clock))).enough:
            found["calibration"] = calibration
        if wants_honesty:
            found["honesty"] = self._analysts_honesty(request, account.feed, clock)
        return request.model_copy(update=found)

    def _clock(self, request: RunRequest) -> datetime | None:
        """Return the instant that a request is about; None where a recorded market cannot be read, of which its run will say why."""
        flow, deps = self._container.flows[request.flow], self._container.flow_deps
        try:
            return self._container.loop.submit(flow.clock(request, deps)).result(_WAIT_S) or utc_now()
        except (TribunalError, TimeoutError):
            return None

    def _analysts_honesty(self, request: RunRequest, feed: FeedName, clock: datetime) -> tuple[RoleHonesty, ...]:
        """Return how often each analyst was wrong on such prices with the model that speaks it, on days before a clock."""
        seats = [each for each in self._container.flows[request.flow].seats() if each.stage == "analysis"]
        own = self._container.settings.role_models
        models = {each.role: own.get(each.node, own.get(each.role, request.model)) for each in seats}
        counts = self._container.journal.claim_sums.of_roles(models, feed, clock.astimezone(UTC).date())
        return tuple(RoleHonesty(role=role, claims=each.claims, false=each.false) for role, each in counts.items())

    def honesty(self, feed: FeedName | None = None) -> list[HonestyRow]:
        """Return the shares of false claims by role, model, indicator, language and week, with what people dispute of them now. feed: in
        runs on such prices, and those about no market."""
        sums, open_disputes = self._container.journal.claim_sums, self._disputes.all()
        about = sums.said_by(tuple({each.run_id for each in open_disputes}), feed)
        disputed: dict[HonestyGroup, Counter[str]] = {group: Counter() for group in get_args(HonestyGroup)}
        for each in open_disputes:
            said_by = about.get(each.run_id, {})
            if said_by is None:  # its run is not counted
                continue
            disputed["role"][role_of(each.claim.source)] += 1
            disputed["indicator"][each.claim.key.rpartition(".")[2]] += 1
            for group, name in said_by.items():
                disputed[group][name] += 1
        return honesty_of(sums.counts(feed), disputed)

    def lessons(self, feed: FeedName | None = None) -> list[LearntLesson]:
        """Return what decisions have taught, what counts most first. feed: decisions on such prices."""
        now = utc_now()
        return learnt(self._container.journal.lessons.lessons(_MOST_LESSONS, feed), now)

    def learn(self) -> dict[str, str]:
        """Write the lesson of every decision that is over and has none yet. Reads markets and asks models. Returns run -> why it could not
        be."""
        found = self._container.loop.submit(self._container.lesson_service.catch_up())
        try:
            return found.result(_WAIT_S)
        except TimeoutError:
            raise TribunalError(Reason("there_was_no_answer_within_s", wait_s=f"{_WAIT_S:.0f}")) from None

    def lines(self, wanted: JournalFilter, limit: int | None = 50, offset: int = 0) -> FoundLines:
        """Return `limit` lines of the journal from `offset` on. limit: None = all."""
        return self._store.lines(wanted, limit, offset)

    def summary(self, feed: FeedName | None = None) -> JournalSummary:
        """Return all decisions at a glance. feed: those on such prices."""
        return self._store.summary(feed)

    def export(self, wanted: JournalFilter, form: ExportForm) -> bytes:
        """Return every line that is wanted as a file."""
        from engine.outcomes.export import exported  # noqa: PLC0415 - it brings pyarrow, which no page need wait for

        return exported(self._store.lines(wanted, None).lines, form)

    def choices(self) -> dict[str, list[str]]:
        """Return the markets, desks, models and feeds that there are decisions of."""
        return self._store.choices()

    def person_groups(self, feed: FeedName | None = None) -> list[PersonGroup]:
        """Return what people's refusals, edits and missed answers were worth against the machine's plans. feed: of decisions on such
        prices."""
        return self._store.person_groups(feed)
