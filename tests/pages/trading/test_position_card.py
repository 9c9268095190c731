"""A position as its card shows it: contracts with what they have, shares with what they have."""

from dataclasses import replace
from decimal import Decimal

import pytest

from engine.domain.text.language import LANGUAGES, Language
from pages.frame.show import Show
from pages.positions.position_card import position_card
from pages.words.texts import words_in
from tests.pages.proposals import made_position
from tests.pages.reader import Reader


@pytest.mark.parametrize(("language", "size", "foreign"), [("en", "4 shares", "bars"), ("zh", "4 股", "根")])
def test_of_shares_only_what_shares_have_is_shown(language: Language, size: str, foreign: str) -> None:
    position = made_position().position.model_copy(
        update={"symbol": "AAPL", "instrument": "shares", "size": Decimal(4), "leverage": 1.0, "liquidation_price": None}
    )
    held = replace(made_position(), position=position, price=Decimal(78_000), thesis=None, checked=())
    bare = replace(held, facts={"profit_pct": 1.3, "mfe_pct": None, "mae_pct": None})
    known, unknown = (Reader(position_card(each, Show(language, step=0.01), currency="USD")).text for each in (held, bare))
    say = words_in(language)
    for text in (known, unknown):
        assert size in text
        assert "+4,000.00 USD" in text
        assert "×" not in text
        assert say("liquidation") not in text
    assert foreign in known
    assert "MFE / MAE" in known
    assert foreign not in unknown
    assert "MFE" not in unknown, "what nobody measured is not shown"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_position_says_how_it_goes_and_whether_its_thesis_holds(language: Language) -> None:
    html = position_card(made_position(), Show(language, step=0.1))
    page = Reader(html)
    words, say = " ".join(page.words), words_in(language)
    for part in (
        "BTC/USDT:USDT",
        say("simulated_market"),
        "+500.00 USDT",
        "78,000.0",
        "1.90",
        "34",
        say("holds"),
        say("broken"),
        say("cannot_check"),
    ):
        assert part in words, part
    assert "script" not in page.tags
    assert "<script>" not in html
