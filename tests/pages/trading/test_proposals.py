"""What pages say of proposals and positions: every lock its reason, money after costs, nothing as HTML."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from engine.approvals.filing import fill_summary
from engine.domain.holding import Holding
from engine.domain.orders import OrderReport, Outcome
from engine.domain.proposal import Signature
from engine.domain.risk import LimitCheck
from engine.domain.text.language import LANGUAGES, Language
from engine.domain.text.reason import Reason
from engine.instruments.limits import breach_reason
from engine.trading.figures import plan_figures
from pages.desks.decision.decision_view import DECISION, DecisionView
from pages.desks.decision.page import brief_panel
from pages.frame import numbers
from pages.frame.show import Show
from pages.positions.position_card import position_card
from pages.trading.answered import FollowUp, answered_panel
from pages.trading.change_table import change_faults, change_table, wrong_sides
from pages.trading.proposal_state import NOT_PREVIEWED, PreviewState, chip_of, lock_lines, why_lines
from pages.trading.queue_rows import approvals_head, proposal_row
from pages.trading.signed_numbers import limits_now, signed_numbers
from pages.words.texts import words_in
from tests.pages.events import RUNS
from tests.pages.proposals import FIGURES, LIMITS, PLAN, START, made_position, made_proposal, seen_at
from tests.pages.reader import Reader

SAY = words_in("en")
RATIO_BROKEN = (*LIMITS[:2], LimitCheck(rule="min_risk_reward_ratio", measured=1.32, bound=1.5, passed=False))


@pytest.mark.parametrize(
    ("price", "now", "word"),
    [
        (78_150.0, {}, "The price has moved 1.06 ATR since the decision, more than the 0.5 allowed."),
        (78_210.0, {}, "The stop 78,200.0 has already been crossed"),
        (77_680.0, {}, "The target 77,690.0 has already been reached"),
        (78_050.7, {"newer_run": "run-2"}, "Run run-2 has decided about this market since."),
        (78_050.7, {"holding": Holding(side="long", entry_price=1.0, size=1.0, opened_at=START)}, "The position is not the one at the"),
    ],
)
def test_every_lock_of_the_engine_is_said_in_both_languages(price: float, now: dict[str, Any], word: str) -> None:
    proposal, look = made_proposal(), PreviewState(preview := seen_at(price, **now))
    lines = lock_lines(proposal, look, Show())
    assert len(lines) == len(preview.locks) > 0
    assert any(line.startswith(word) for line in lines)
    chinese = lock_lines(proposal, look, Show("zh"))
    assert len(chinese) == len(lines)
    assert not set(chinese) & set(lines)
    assert chip_of(proposal, look, SAY).words.startswith("locked")


def test_a_limit_at_the_price_of_now_locks_and_says_by_how_much() -> None:
    look = PreviewState(seen_at(78_050.7, limits=RATIO_BROKEN))
    assert lock_lines(made_proposal(), look, Show()) == ["At the price of now: Reward : risk, before costs 1.32 < 1.50."]


def test_a_row_has_the_figures_of_now_and_those_of_the_decision_in_grey_before() -> None:
    at = START + timedelta(seconds=198)
    seen = Reader(proposal_row(made_proposal(), PreviewState(seen_at(78_034.2)), Show(), at))
    for part in ("BTC/USDT:USDT", "Enter short", "3×", "conf. 58", "6:42", "0.18\u2009ATR", "of 0.50", "● to sign"):
        assert part in " ".join(seen.words), part
    made = numbers.number(seen_at(78_034.2).figures.reward_risk_net, 2)
    assert made in seen.words
    assert "then" not in seen.classes
    before = Reader(proposal_row(made_proposal(), NOT_PREVIEWED, Show(), at))
    assert {"1.61", "−39.2", "—"} <= set(before.words), "never without a ratio and the money at risk"
    assert "then" in before.classes
    assert "then" not in Reader(proposal_row(made_proposal(state="filled"), NOT_PREVIEWED, Show(), at)).classes


def test_machine_yours_and_the_change_between_them() -> None:
    won = {"loss_at_stop": Decimal("37.4"), "gain_at_target": Decimal("52.7"), "reward_risk": 2.01, "reward_risk_net": 1.41}
    yours = FIGURES.model_copy(update=won)
    words = " ".join(
        Reader(
            change_table(made_proposal(), (FIGURES, LIMITS), (yours, RATIO_BROKEN), Show())
            + change_faults(made_proposal(), (yours, RATIO_BROKEN), Show(), PLAN)
        ).words
    )
    for part in (
        "−39.2 USDT",
        "−37.4 USDT",
        "+1.8",
        "+63.3 USDT",
        "+52.7 USDT",
        "−10.6",
        "after costs 1.61 1.41 −0.20",
        "before costs 2.42 2.01 −0.41",
    ):
        assert part in " ".join(words.split()), part
    assert words.index("after costs") < words.index("before costs"), "what a signer gets comes first"
    assert "✓ 3 limits apply, all pass" in words
    assert "✕ 1 of 3 limits breached" in words
    assert "Reward : risk, before costs 1.32 < 1.50" in words


def test_the_numbers_under_a_signature_are_after_costs() -> None:
    words = " ".join(Reader("".join(signed_numbers(made_proposal(), Show()))).words)
    for part in (
        "78,050.7",
        "+0.19 % · 1.6 ATR",
        "price when it was decided",
        "after costs; 2.42 before",
        "−39.2 / +63.3",
        "USDT, costs in",
        "0.192 BTC",
        "14,986 USDT",
    ):
        assert part.replace(" %", "\u2009%") in words, part
    exit_plan = PLAN.model_copy(update={"side": "buy", "reduce_only": True, "stop": None, "target": None, "leverage": None})
    words = " ".join(Reader("".join(signed_numbers(made_proposal(plan=exit_plan), Show()))).words)
    assert "Reward" not in words


def now_at(price: float, **figures: Any) -> PreviewState:
    """As it looks at another price: what was decided is `FIGURES`."""
    seen = seen_at(price)
    return PreviewState(replace(seen, figures=FIGURES.model_copy(update={"price": Decimal(str(price)), **figures})))


MOVED = {"loss_at_stop": Decimal("51.0"), "gain_at_target": Decimal("48.5"), "reward_risk": 1.32, "reward_risk_net": 0.95}


def words_of(html: str) -> str:
    return " ".join(" ".join(Reader(html).words).split())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_bar_shows_what_would_be_signed_now_and_what_was_decided_beside_it(language: Language) -> None:
    show, say = Show(language), words_in(language)
    words = words_of("".join(signed_numbers(made_proposal(), show, preview_state=now_at(78_010.0, **MOVED))))
    for part in ("78,010.0", "0.95", "1.32", "−51.0 / +48.5"):
        assert part in words
    for was in ("78,050.7", "1.61", "−39.2 / +63.3"):
        assert say("decided_was", x=was) in words
    unmoved = words_of("".join(signed_numbers(made_proposal(), show, preview_state=now_at(78_050.7))))
    assert say("decided_was", x="").split("{")[0].strip() not in unmoved, "nothing has moved"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_ratio_below_its_limit_and_one_that_only_held_at_the_decision_are_said(language: Language) -> None:
    show, say, look = Show(language), words_in(language), now_at(78_010.0, **MOVED)
    assert look.preview is not None
    look = PreviewState(replace(look.preview, as_decided=frozenset({"min_risk_reward_ratio"})))
    proposal = made_proposal()
    numbers = "".join(signed_numbers(proposal, show, preview_state=look))
    assert "tb-bad" in Reader(numbers).classes
    lines = " ".join(why_lines(proposal, look, show))
    for part in ("1.32 < 1.50", "78,050.7", "2.42"):
        assert part in lines
    assert "1.32 < 1.50" in words_of(change_faults(proposal, (look.preview.figures, LIMITS), show, PLAN, look.preview))
    assert say("some_decided", n=1) in limits_now(look, show)
    assert words_of("".join(signed_numbers(proposal, show))).count("!") == 0


def test_after_the_fill_the_bar_shows_what_was_filled() -> None:
    report = OrderReport(
        client_id="tb-00000001", state="filled", at=START, filled=Decimal("0.190"), price=Decimal("78031.0"), fee=Decimal("7.41")
    )
    why = Reason("filled_at", filled="0.19", price="78031.0", fee="7.41")
    proposal = made_proposal(state="filled", signatures=(Signature(who="op-1", at=START, hash="c" * 64),), why=why)
    filled = fill_summary(proposal, report)
    assert filled is not None
    words = words_of("".join(signed_numbers(proposal, Show(), preview_state=now_at(1.0), filled=filled)))
    for part in ("Filled at 78,031.0", "−3.74 USDT against 78,050.7, signed", "fee 7.41 USDT", "0.190 BTC", "of 0.192"):
        assert part in words, part
    at_stop = (Decimal(78_200) - Decimal("78031.0")) * Decimal("0.190")
    assert filled.figures.loss_at_stop is not None
    assert filled.figures.loss_at_stop > at_stop + report.fee, "the fee that was paid, and the way out"
    assert filled.figures.loss_at_stop < at_stop + 3 * report.fee
    assert numbers.signed(-float(filled.figures.loss_at_stop), 1) in words
    assert why_lines(proposal, PreviewState(), Show()) == []
    doubtful = proposal.model_copy(update={"why": Reason.listed([proposal.why, Reason("stop_is_not_confirmed")])})
    assert why_lines(doubtful, PreviewState(), Show()) == ["ITS STOP IS NOT CONFIRMED"]
    unprotected = fill_summary(proposal, report.model_copy(update={"protected": False}))
    assert "not known to stand" in words_of("".join(signed_numbers(proposal, Show(), filled=unprotected)))
    assert fill_summary(proposal, report.model_copy(update={"filled": Decimal(0)})) is None


def test_a_level_on_the_wrong_side_is_said_and_is_no_gain() -> None:
    plan = PLAN.model_copy(update={"stop": Decimal("77000.0")})
    proposal = made_proposal()
    made = plan_figures(plan, proposal.basis, 78_050.7)
    assert made.loss_at_stop is None
    unmeasured = tuple(
        LimitCheck(rule=rule, measured=None, bound=bound, passed=False)
        for rule, bound in (("min_risk_reward_ratio", 1.5), ("max_stop_distance_pct", 5.0))
    )
    words = words_of(change_faults(proposal, (made, unmeasured), Show(), plan))
    assert "For a short the stop must be above the price, 78,050.7" in words
    assert "— <" not in words
    assert "— >" not in words
    assert "+794" not in words
    assert wrong_sides(proposal, PLAN, FIGURES, Show()) == []
    beyond = PLAN.model_copy(update={"target": Decimal("79000.0")})
    assert len(wrong_sides(proposal, beyond, FIGURES, Show())) == 1


def test_what_was_answered_says_by_whom_why_and_what_it_would_have_come_to() -> None:
    signature = Signature(who="op-2", at=START, hash="c" * 64)
    edited = PLAN.model_copy(update={"amount": Decimal("0.160")})
    why = Reason("filled_at", filled="0.16", price="78031.0", fee="7.41")
    rows = [
        made_proposal(id="p-1", state="filled", signatures=(signature,), changed_by="broker", plan=edited, why=why),
        made_proposal(id="p-2", state="rejected", changed_by="op-1", why=Reason("rejected_weak")),
        made_proposal(id="p-3", state="expired", changed_by="clock", why=Reason("nobody_answered_in_time")),
    ]
    came = {
        "p-1": FollowUp(Outcome(result=Decimal("-4.9"), ended="target"), Outcome(result=Decimal("-10.8"), ended="liquidation")),
        "p-2": FollowUp(shadow=Outcome(result=Decimal("-31.0"), ended="stop")),
        "p-3": FollowUp(shadow=Outcome(result=Decimal("18.2"), ended=None)),
    }
    words = " ".join(Reader(answered_panel(rows, came, Show())).words)
    assert "✓ filled" in " ".join(" ".join(Reader(answered_panel(rows, {}, Show())).words).split())  # before anybody has looked
    for part in (
        "▷ approved , Size 0.192 → 0.160",
        "op-2",
        "0.16 at 78,031.0, fee 7.41 USDT",
        "−4.90 USDT Target",
        "−10.80 USDT Liquidation",
        "argument is weak",
        "−31.00 USDT Stop",
        "+18.20 USDT open",
        "12.80 USDT saved",
    ):
        assert " ".join(part.split()) in " ".join(words.split()), part
    chinese = " ".join(Reader(answered_panel(rows, came, Show("zh"))).words)
    assert "论据薄弱" in chinese
    assert "手续费 7.41 USDT" in chinese
    assert "Nothing has been answered" in answered_panel([], {}, Show())


def lines_of(view: DecisionView, language: Language = "en") -> list[Reader]:
    """The three lines, in order."""
    html = str(brief_panel(view, Show(language)))
    body = html[html.index('<div class="tb-brief">') : html.rindex("</div>")]
    return [Reader("<section" + part.rpartition("</section>")[0] + "</section>") for part in body.split("<section")[1:]]


def test_each_side_shows_its_strongest_verified_point_and_what_was_corrected_of_it() -> None:
    _, bull, bear = lines_of(DECISION.reduce(RUNS["entry"]()))
    assert "Two days of selling failed to break 77,675.4" in bull.text, "not the sentence that had to be corrected"
    assert bull.struck == ["28.4", "77,850"], "what was false of it stands there too"
    assert any("48.6" in truth for truth in bull.truths)
    assert "All three averages are overhead" in bear.text
    assert bear.struck == ["31", "78,850"]


def test_a_side_without_a_verified_word_says_so() -> None:
    view = DECISION.reduce(RUNS["entry"]())
    assert view.checked is not None
    kept = tuple(claim for claim in view.checked.claims if claim.source != "bull" or claim.verdict != "true")
    bull = lines_of(replace(view, checked=view.checked.model_copy(update={"claims": kept})))[1]
    assert "nothing it said could be verified" in bull.text
    assert bull.struck == ["28.4", "77,850"]
    silent = replace(view, turns=tuple(turn for turn in view.turns if turn.name != "bull"))
    assert "gave no answer" in lines_of(silent)[1].text


def test_nothing_written_elsewhere_is_html() -> None:
    hostile = "<img src=x onerror=alert(1)> \u202e"
    proposal = made_proposal(state="rejected", why=hostile, changed_by=hostile, basis_symbol=f"BTC/{hostile}"[:40])
    for html in (
        proposal_row(proposal, PreviewState(trouble=hostile), Show(), START),
        answered_panel([proposal], {}, Show()),
        approvals_head([proposal], proposal, {}, hostile, Show()),
        position_card(made_position(why=hostile), Show()),
    ):
        assert "img" not in Reader(html).tags
        assert "\u202e" not in html


@pytest.mark.parametrize(("language", "words"), [("en", "leverage 12 is above the allowed 10"), ("zh", "杠杆 12 超过允许的 10")])
def test_a_blocked_order_names_its_limit_and_where_the_bound_is_set(language: Language, words: str) -> None:
    check = LimitCheck(rule="max_leverage", measured=12.0, bound=10.0, passed=False)
    drawdown = LimitCheck(rule="drawdown_share_pct", measured=40.0, bound=25.0, passed=False)
    why = Reason.listed(map(breach_reason, (check, drawdown)))
    assert words in Show(language).translated(why)
    blocked = made_proposal(state="blocked", why=why, limits=(check, drawdown))
    (line,) = why_lines(blocked, PreviewState(), Show(language))
    page = Reader(line)
    assert {"max_leverage", "max_drawdown_pct"} <= set(page.words), "the limit of the order is a share of the drawdown that is left"
    assert f'href="./settings?lang={language}"' in line
    for shown in ("12", "10"):
        assert shown in page.text
    unset = made_proposal(state="blocked", why=breach_reason(check.model_copy(update={"rule": "min_cash_left"})))
    assert "settings" not in why_lines(unset, PreviewState(), Show(language))[0]
    evil = made_proposal(state="blocked", why="<img src=x>")
    assert "<img" not in why_lines(evil, PreviewState(), Show(language))[0]
