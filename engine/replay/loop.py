"""Plays a desk over history, one instant after the other:

    clock to T -> decide -> approve or reject as the rule says -> note the step

Every step that ended is in the step log, and everything it did is in the journal, so that a replay that was killed at any moment goes on to
the same result.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final

from engine.domain.decision import Signal
from engine.domain.errors import BrokerError, MarketError, NotAllowed
from engine.domain.proposal import Proposal
from engine.domain.replay import Ending, ReplayRequest, ReplayStep
from engine.domain.text.reason import Reason
from engine.replay.budget import is_spent
from engine.replay.clock import ReplayClock
from engine.replay.names import run_name
from engine.replay.protocol import Played
from engine.replay.step_log import StepLog

OUTCOMES_EVERY: Final = 24
"""Steps after which outcomes are followed, as a live process does in the background."""
_ADDS_RISK: Final = {Signal.ENTRY_LONG, Signal.ENTRY_SHORT, "buy"}


class Replayer:
    """One stretch of a replay. key: of its runs' names. report: is given (steps that are done, all of them) after every step. is_stopped:
    whether a person asked it to end."""

    def __init__(
        self,
        key: str,
        request: ReplayRequest,
        instants: Sequence[datetime],
        played: Played,
        clock: ReplayClock,
        log: StepLog,
        report: Callable[[int, int], None],
        is_stopped: Callable[[], bool],
    ) -> None:
        self._key, self._request, self._instants = key, request, instants
        self._played, self._clock, self._log = played, clock, log
        self._report, self._is_stopped = report, is_stopped

    def run(self) -> Ending:
        """Play what is left, until the end, the budget or a person ends it. Raises the TribunalError of a model, a journal or a request; it
        can be continued then. An instant at which the market cannot be read is passed over, and says why."""
        for number in range(len(self._log.steps), len(self._instants)):
            if self._is_stopped():
                return "stopped"
            if is_spent(self._request.budget, self._log.steps):
                return "budget"
            self._clock.move(self._instants[number])
            if number and number % OUTCOMES_EVERY == 0:
                self._played.follow_outcomes()
            self._log.add(self._step(number))
            self._report(number + 1, len(self._instants))
        return "done"

    def _step(self, number: int) -> ReplayStep:
        at = self._instants[number]
        try:
            self._played.follow_account()
            record = self._played.decide(run_name(self._key, number), self._played.request_at(at))
        except (MarketError, BrokerError) as problem:  # a gap in a recording; an account that has lost everything
            return ReplayStep(number=number, at=at, equity=self._played.equity(), why=str(problem))
        state = record.result
        assert state is not None  # a finished run has a state
        proposal, why = self._answered(state, record.run_id)
        metrics = state["metrics"]
        confidence = state.get("final_confidence")
        return ReplayStep(
            number=number,
            at=at,
            equity=self._played.equity(),
            run_id=record.run_id,
            action=state.get("final_action") or state.get("trader_action"),
            price=state.get("current_price"),
            confidence=float(confidence) if confidence is not None else None,
            is_valid=bool(state["is_valid"]),
            answer=proposal.state if proposal is not None else None,
            order=proposal.order_ids[-1] if proposal is not None and proposal.order_ids else None,
            calls=int(metrics["llm_calls_count"]),
            tokens=int(metrics["total_tokens"]),
            cost=state.get("total_cost"),
            false_claims=int(state.get("false_claims") or 0),
            total_claims=int(state.get("total_claims") or 0),
            why=why,
        )

    def _answered(self, state: dict[str, Any], run_id: str) -> tuple[Proposal | None, str | None]:
        """Return the outcome of a decision's proposal, and why it was not signed. One that was answered before a kill stays as it is."""
        proposal = self._played.proposal_of(run_id)
        if proposal is None or not proposal.is_waiting:
            return proposal, None
        least, confidence = self._request.least_confidence, state.get("final_confidence")
        action = state.get("final_action") or state.get("trader_action")
        adds_risk = action in _ADDS_RISK or state.get("execution_result", {}).get("adjustment_type") == "scale_in"
        if least is not None and adds_risk and (confidence is None or confidence < least):
            why = Reason("replay_confidence_is_below", confidence=f"{confidence or 0:g}", least=f"{least:g}")
            return self._played.reject(proposal.id, why), why
        try:
            return self._played.approve(proposal.id), None
        except (NotAllowed, BrokerError) as problem:
            return self._played.proposal_of(run_id), str(problem)
