"""What was argued for a position against what came of it, and its money in the colours of up and down."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from engine.api import ClosedPosition
from engine.domain.decision import Signal
from engine.domain.position_record import PositionRecord
from engine.domain.text.language import LANGUAGES, Language
from pages.chart.figure import chart_data
from pages.frame.show import Show
from pages.positions.closed_positions import closed_panel
from pages.positions.position_card import position_card
from pages.positions.position_chart import position_marks
from pages.trading.proposal_state import PreviewState, action_of, approve_word, chip_of
from pages.words.texts import words_in
from tests.browser.chart_page import made_candles
from tests.pages.proposals import START, made_position, made_proposal
from tests.pages.reader import Reader

D = Decimal


def record(**changed: Any) -> PositionRecord:
    given: dict[str, Any] = {
        "account": "paper:x", "symbol": "BTC/USDT:USDT", "side": "short", "opened_at": START, "size": D(2), "entry_price": D(100),
        "first_size": D(2), "first_price": D(100), "first_stop": D(105), "closed_size": D(2), "exit_price": D(96), "fees": D("0.5"),
        "funding": D("0.25"), "cash": D("7.75"), "closed_at": START + timedelta(hours=5), "ended": "target", "opened_by": "tb-1",
    }  # fmt: skip
    return PositionRecord.model_validate({**given, **changed})


def shown(closed: ClosedPosition, language: Language = "en") -> str:
    return Reader(closed_panel([closed], Show(language))).text


def test_a_winner_with_its_argument_its_costs_and_its_run() -> None:
    thesis = "RSI reads ~~28.4~~ 48.6 [corrected], <script>alert(1)</script>."
    closed = ClosedPosition(record(), "run-1", thesis, price_step=0.1, currency="USDT")
    html = closed_panel([closed], Show("en"))
    text = Reader(html).text
    for part in ("+7.75 USDT", "+0.78 R", "100.0 → 96.0", "target", "5 h", "+0.25"):
        assert part in text.replace("\u2009", " "), part
    assert "<del>28.4</del>" in html
    assert "<script>" not in html
    assert "[corrected]" not in text
    assert "?run=run-1" in html
    assert 'class="tb-up"' in html


@pytest.mark.parametrize(
    ("changed", "who", "by_hand", "words"),
    [
        ({"ended": "order", "closed_by": "tb-x"}, "op-1", True, "closed by hand: op-1"),
        ({"ended": "stop"}, "", False, "stop"),
        ({"ended": "venue", "cash": None, "exit_price": None, "funding": None}, "", False, "closed at the venue"),
    ],
)
def test_why_it_ended(changed: dict[str, Any], who: str, by_hand: bool, words: str) -> None:
    text = shown(ClosedPosition(record(**changed), closed_by=who, by_hand=by_hand))
    assert words in text
    assert "The argument for it is not on record here" in text
    assert ("not known" in text.partition("Funding")[2]) == ("cash" in changed) or "cash" not in changed


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_position_shows_what_it_has_cost_and_where_it_comes_out_even(language: Language) -> None:
    own = record(side="long", closed_at=None, ended=None, entry_price=D(77_000), first_price=D(77_000), first_stop=D(76_000), cash=D("-20"))
    held = replace(made_position(), record=own, break_even=D("77123.4"))
    html = position_card(held, Show(language, step=0.1))
    text, say = Reader(html).text, words_in(language)
    assert (held.unrealised, held.booked, held.in_r) == (D(500), D("-20"), 480 / 2000)
    for part in ("+500.00 USDT", "−20.00 USDT", "77,123.4", "+0.24", say("break_even"), say("booked")):
        assert part in text, part
    assert 'class="v tb-up">+500.00' in html
    assert 'class="v tb-down">−20.00' in html
    shares = replace(
        held, position=held.position.model_copy(update={"instrument": "shares"}), record=own.model_copy(update={"instrument": "shares"})
    )
    assert words_in(language)("dividends").lower()[:2] in Reader(position_card(shares, Show(language), currency="USD")).text.lower()


def test_the_chart_has_everything_that_ends_a_position_or_makes_it_even() -> None:
    held = replace(made_position(), break_even=D("77123.4"))
    marks = position_marks(held, (D(76_800), None))
    assert {str(mark["type"]): mark["price"] for mark in marks} == {
        "entry": 77_000.0, "stop": 76_800.0, "break_even": 77_123.4, "liquidation": 52_000.0,
    }  # fmt: skip
    data = chart_data(made_candles(), marks, Show("en", step=0.1), symbol="X", revision="r", series={})
    assert {row["kind"] for row in data.marks["plan"]} == {"entry", "stop"}  # type: ignore[index,union-attr]
    assert {row["kind"] for row in data.marks["levels"]} == {"break_even", "liquidation"}  # type: ignore[index,union-attr]
    assert "Break-even 77,123.4" in data.sentence


def test_a_change_of_levels_is_called_one() -> None:
    say = words_in("en")
    plan = made_proposal().plan.model_copy(update={"protects": True, "leverage": None})
    proposal = made_proposal(basis_action=Signal.ADJUST, plan=plan, machine=plan, state="filled")
    assert action_of(proposal, say) == ("↕", "Move stop or target")
    assert approve_word(proposal, say) == "Approve these levels"
    assert chip_of(proposal, PreviewState(), say).words == "levels in place"
