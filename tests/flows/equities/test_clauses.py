"""What the scripted roles say is read back as what it is: a true value is true, one that was planted is caught."""

from typing import TYPE_CHECKING

import pytest

from engine.desks.equities.script import ACCOUNT, PRICES, REPORTED, WORDS
from engine.desks.equities.sheet import TABLE
from engine.domain.text.language import Language
from engine.grounding.plain_sheet import plain_sheet
from engine.grounding.reading import read_claims
from engine.script.dice import Dice
from engine.script.speech import Speech

if TYPE_CHECKING:
    pass

CLAUSES = sorted({*PRICES, *REPORTED, *ACCOUNT})
VALUES = {key: "57310.40" if key in ACCOUNT and key.startswith(("account", "largest")) else "57.31" for key in CLAUSES}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("key", CLAUSES)
def test_every_clause_is_read_back_true_and_planted(key: str, language: Language) -> None:
    sheet = plain_sheet({"symbol": "X", "timeframe": "1d", **{name: float(value) for name, value in VALUES.items()}}, TABLE)
    for seed in range(20):
        for lies, verdict in ((0.0, "true"), (1.0, "false")):
            dice = Dice(f"clauses {seed}")
            speech = Speech("market", WORDS[language], VALUES, TABLE, dice, dice, lies)
            speech.facts([key], 1)
            claims = read_claims(speech.finish().text, sheet, "market", table=TABLE)
            assert [(claim.key, claim.verdict) for claim in claims] == [(key, verdict)], speech.text
