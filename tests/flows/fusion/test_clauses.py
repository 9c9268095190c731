"""What the scripted roles say is read back as what it is: a true value is true, one that was planted is caught."""

import pytest

from engine.domain.text.language import Language
from engine.flows.fusion.script.clauses import ACCOUNT, CLAUSES
from engine.flows.fusion.script.speech import WORDINGS, EquitySpeech
from engine.flows.fusion.sheet import TABLE
from engine.grounding.plain_sheet import plain_sheet
from engine.grounding.reading import read_claims
from engine.llm.dice import Dice

VALUES = {key: "57310.40" if key in ACCOUNT and key.startswith(("account", "largest")) else "57.31" for key in CLAUSES}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("key", CLAUSES)
def test_every_wording_is_one_of_its_own_and_read_back_true_and_planted(key: str, language: Language) -> None:
    sheet = plain_sheet({"symbol": "X", "timeframe": "1d", **{name: float(value) for name, value in VALUES.items()}}, TABLE)
    said = set()
    for place in range(WORDINGS):
        for lies, verdict in ((0.0, "true"), (1.0, "false")):
            speech = EquitySpeech("market", language, VALUES, Dice("clauses"), lies, Dice("run"), place)
            speech.facts([key], 1)
            claims = read_claims(speech.finish().text, sheet, "market", table=TABLE)
            assert [(claim.key, claim.verdict) for claim in claims] == [(key, verdict)], speech.text
        said.add(speech.text)
    assert len(said) == WORDINGS
