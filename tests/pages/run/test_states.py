"""Every state of a run has one sign and one word, and every place that shows the run shows these: sidebar, title, bar, steps, lists,
approvals, the saved page and the shell.
"""

from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import get_args

import pytest

from engine.cli.runs import run_line
from engine.cli.trading import proposal_line
from engine.domain.proposal import WAITING, Proposal, ProposalState, Signature
from engine.domain.run import OPEN, RunState, RunSummary
from engine.domain.shown_state import ASKS, ShownState, state_of_proposal, state_of_run
from engine.domain.text.language import LANGUAGES, Language
from pages.desks.decision.decision_view import DECISION
from pages.desks.decision.steps import step_strip
from pages.desks.decision.verdict import verdict_bar
from pages.desks.equities.equity_steps import step_strip as equity_strip
from pages.desks.equities.equity_view import EquityView
from pages.desks.equities.verdict import verdict_bar as equity_bar
from pages.frame.show import Show
from pages.run.run_links import RunLine, run_title, runs_aside
from pages.run.run_list import RunFollowUp, RunListing, runs_panel
from pages.run.states import STATE_SIGNS, STEP_SIGNS, StepState
from pages.run.view import Ending, Turn
from pages.trading.answered import answered_panel, signature_panel
from pages.trading.proposal_state import PreviewState
from pages.trading.queue_rows import proposal_row
from pages.trading.signed_numbers import sign_clock
from pages.words.texts import words_in
from tests.pages.events import RUNS, entry_run
from tests.pages.proposals import LIMITS, START, made_proposal, seen_at
from tests.pages.reader import Reader

NOW = START + timedelta(seconds=198)
BROKEN = (LIMITS[0].model_copy(update={"passed": False}),)
TWO = made_proposal(signers_needed=2)
SIGNED = TWO.model_copy(update={"signatures": (Signature(who="op-2", at=START, hash=TWO.hash),)})
OPEN_LOOK, LOCKED = PreviewState(seen_at(78_034.2)), PreviewState(seen_at(78_150.0))

FILED: dict[ShownState, tuple[Proposal, PreviewState]] = {
    "waits": (made_proposal(), OPEN_LOOK),
    "edited": (made_proposal(state="edited"), OPEN_LOOK),
    "signed": (SIGNED, OPEN_LOOK),
    "locked": (made_proposal(), LOCKED),
    "halted": (made_proposal(), replace(OPEN_LOOK, halted=True)),
    "blocked": (made_proposal(state="blocked", limits=BROKEN), PreviewState()),
    "no_order": (made_proposal(state="blocked", limits=()), PreviewState()),
    "expired": (made_proposal(), PreviewState()),
    **{
        shown: (made_proposal(state=shown), PreviewState()) for shown in ("approved", "sent", "filled", "rejected", "superseded", "unknown")
    },
    "not_ordered": (made_proposal(state="failed"), PreviewState()),
}
"""State -> a proposal that is in it, and what pages have seen of it."""
BARE: dict[ShownState, tuple[RunState, bool | None]] = {
    "starting": ("starting", None),
    "running": ("running", None),
    "interrupted": ("interrupted", None),
    "stopped": ("stopped", False),
    "failed": ("failed", False),
    "invalid": ("finished", False),
    "finished": ("finished", True),
}
"""State -> the run's own state, and whether it is valid, of a run without a proposal."""


def words(html: str) -> str:
    return " ".join(" ".join(Reader(html).words).split())


def sign_and_word(state: ShownState, language: Language) -> tuple[str, str]:
    return STATE_SIGNS[state][0], words_in(language)(f"state_{state}")


def at_moment(state: ShownState) -> tuple[Proposal, PreviewState]:
    proposal, look = FILED[state]
    return proposal.as_at(proposal.expires_at if state == "expired" else NOW), look


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_states_have_the_same_sign_or_the_same_word(language: Language) -> None:
    assert set(STATE_SIGNS) == set(get_args(ShownState))
    assert set(STEP_SIGNS) == set(get_args(StepState))
    for signs, said in ((STATE_SIGNS, [f"state_{state}" for state in STATE_SIGNS]), (STEP_SIGNS, [*STEP_SIGNS])):
        assert len({sign for sign, _ in signs.values()}) == len(signs)
        assert len({words_in(language)(key) for key in said}) == len(signs)


def test_every_case_has_one_state_and_only_what_can_be_signed_asks() -> None:
    filed = [None, *(made_proposal(state=state) for state in get_args(ProposalState)), SIGNED]
    seen = set()
    for status, proposal, valid, halted, locked, over in product(get_args(RunState), filed, (True, False), *[(False, True)] * 3):
        then = proposal.as_at(proposal.expires_at if over else NOW) if proposal is not None else None
        state = state_of_run(status, then, is_valid=valid, halted=halted, locked=locked)
        seen.add(state)
        can_be_signed = proposal is not None and proposal.state in WAITING and not (over or halted or locked)
        assert (state in ASKS) == (can_be_signed and status not in ("starting", "running"))
        if proposal is not None and status not in ("starting", "running") and proposal.state not in WAITING:
            assert state not in ("halted", "locked", "waits"), "what was answered stays as it was answered"
    assert seen == set(get_args(ShownState)) - {"levels_filled", "levels_failed", "blocked"}
    assert {state_of_proposal(*FILED[each][:1]) for each in ("blocked",)} == {"blocked"}


def summary(status: RunState, *, valid: bool | None) -> RunSummary:
    return RunSummary(
        run_id="run-1", flow="decision", created_at=START, finished_at=None, status=status, subject="BTC/USDT:USDT",
        headline="signal_entry_short" if status == "finished" else None, is_valid=valid, duration_ms=None, error=None,
    )  # fmt: skip


def in_lists(state: ShownState, run: RunSummary, show: Show) -> dict[str, str]:
    def headline(*_: object) -> str:
        return "▼ Enter short"

    listing = RunListing(headline=headline, follow_ups={run.run_id: RunFollowUp(state)})
    return {
        "sidebar": words(runs_aside([RunLine(run, state)], None, show, NOW, headline, lambda _: "")),
        "runs": words(runs_panel([run], show, "", listing)),
        "title": run_title(state, run.subject, None, "short", show),
    }


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("state", FILED)
def test_every_place_says_what_became_of_a_proposal_in_one_sign_and_one_word(state: ShownState, language: Language) -> None:
    proposal, look = at_moment(state)
    show, view = Show(language, now=NOW), DECISION.reduce(entry_run())
    equities = EquityView(seq=9, ending=view.ending)
    sign, word = sign_and_word(state, language)
    if state in ("locked", "signed"):  # with their why, and how many
        word = {"locked": ("locked:", "锁定："), "signed": ("1 of 2 signatures", "已签 1/2")}[state][language == "zh"]
    places = {
        "steps": words(step_strip(view, show, proposal, look)),
        "equity steps": words(equity_strip(equities, show, proposal, look)),
        "approvals row": words(proposal_row(proposal, look, show, NOW)),
    }
    if state != "waits":  # then the strip below the bar says so, and the button
        places["bar"] = words(sign_clock(proposal, look, show, NOW))
    if not proposal.is_waiting:
        places["answered"] = words(answered_panel([proposal], {}, show))
        places["signature"] = words(signature_panel(proposal, show))
        places["saved page"] = words(step_strip(view, show, proposal, still=True))
    check = {name: (said, sign, word) for name, said in places.items()}
    short = sign_and_word(state, language)
    check |= {name: (said, *short) for name, said in in_lists(state, summary("finished", valid=True), show).items()}
    for name, (said, its_sign, its_word) in check.items():
        assert its_word in said, name
        assert its_sign in said, name
        others = {f"{other} {other_word}" for other, other_word in (sign_and_word(each, language) for each in FILED if each != state)}
        assert not [each for each in others if each in said], name
    assert ("6:42" in places["steps"]) == (state in ASKS), "the clock runs where the reader is asked"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("state", BARE)
def test_every_place_says_how_a_run_without_a_proposal_stands(state: ShownState, language: Language) -> None:
    status, valid = BARE[state]
    show = Show(language, now=NOW)
    run, (sign, word) = summary(status, valid=valid), sign_and_word(state, language)
    assert state_of_run(status, None, is_valid=valid) == state
    for name, said in in_lists(state, run, show).items():
        assert sign in said, name
        if not (state in ("starting", "running", "finished") and name in ("title", "sidebar")):
            assert word in said, name
    if state in ("starting", "finished"):
        return
    ending = None
    if status not in OPEN:
        ending = Ending(NOW, status, "signal_wait" if status == "finished" else None, bool(valid), (), (), {}, headline="hold")
    seen = replace(DECISION.reduce(RUNS["debating"]()), ending=ending, interrupted=state == "interrupted")
    shown = EquityView(seq=9, run_id="run-1", started_at=START, last_at=NOW, ending=ending, interrupted=state == "interrupted")
    for bar in (verdict_bar(seen, show), equity_bar(shown, show)):
        assert words(bar).startswith(sign)


@pytest.mark.parametrize("state", [state for state in FILED if state != "locked"])
def test_the_shell_says_the_same_state(state: ShownState) -> None:
    proposal, look = at_moment(state)
    lines = run_line(summary("finished", valid=True), proposal, halted=look.halted), proposal_line(proposal, halted=look.halted)
    assert {line.split("  ")[1].strip() for line in lines} == {state.replace("_", " ")}


def node(name: str, state: str, stage: str = "analysis") -> Turn:
    return Turn(name, stage=stage, state=state, started_at=START, ended_at=NOW)  # type: ignore[arg-type]


@pytest.mark.parametrize("silent", [1, 4])
def test_a_stage_says_how_many_abstained_and_fails_with_all(silent: int) -> None:
    names = ("indicator", "trend", "sentiment", "pattern")
    nodes = {name: node(name, "abstained" if at < silent else "done") for at, name in enumerate(names)}
    nodes["aggregator"] = node("aggregator", "done")
    ending = Ending(NOW, "finished", "signal_wait", silent < 2, (), (), {})
    view = replace(DECISION.reduce([]), seq=9, turns=tuple(nodes.values()), ending=ending)
    first = words(step_strip(view, Show())).partition("Debate")[0]
    expected = {1: "◑ 1 of 4 abstained", 4: "✕ 4 of 4 abstained"}[silent]
    assert expected in first
