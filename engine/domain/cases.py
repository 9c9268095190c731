"""Cases: frozen decisions that are made again with another model or other prompts."""

from pydantic import AwareDatetime

from engine.domain.frozen_model import FrozenModel
from engine.domain.text.reason import Said


class FrozenCase(FrozenModel):
    """One case. desk: the name of its flow. at: the clock it was decided at. action: in the word of its state. problem: why it cannot be
    decided again, "" when it can; of a run that is gone nothing else is known."""

    run_id: str
    added_at: AwareDatetime
    desk: str | None = None
    subject: str | None = None
    model: str | None = None
    at: AwareDatetime | None = None
    action: str | None = None
    problem: Said = ""


class MovedCase(FrozenModel):
    """A case that is decided otherwise now. case: its run. run_id: the run that decided it now. is_valid: whether that is a sound decision,
    not the safe action for a fault."""

    case: str
    before: str
    now: str
    run_id: str
    is_valid: bool = True


class UndecidedCase(FrozenModel):
    """A case that could not be decided again, and why."""

    case: str
    why: Said


class CasesResult(FrozenModel):
    """What became of all cases. cases: how many there are. p_value: how often the actions shift at least as far by chance
    (`exact_tests.one_sided_moves`); None where none moved."""

    cases: int
    moved: tuple[MovedCase, ...]
    p_value: float | None
    not_decided: tuple[UndecidedCase, ...] = ()
