"""The one sentence of a speaker that is shown to whoever signs: it argues for the speaker's own side."""

import pytest

from engine.desks.decision.script.market_speech import WORDS
from engine.domain.claims import Claim
from engine.script.speech import Words
from pages.claims.telling import passage, telling
from pages.desks.decision.decision_view import DECISION
from pages.desks.decision.page import brief_panel
from pages.frame.show import Show


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
@pytest.mark.parametrize("side", ["bull", "bear"])
def test_the_line_of_a_side_argues_for_that_side(words: Words, side: str) -> None:
    """A point that was given to the other side is not shown, though more of it was verified; nor what tells in the other side's words."""
    own, other = ("Buyers hold RSI 48.6", "sellers") if side == "bull" else ("Sellers hold RSI 48.6", "buyers")
    for concession in (*words["case_concession"], *words["judge_against"], "Granted, ", "The bears have a fair point: ", "我承认，"):
        given = f"{concession}ADX 25 and EMA 80,179 favour {other} here."
        text = f"{given} {own} above the mean."
        at = [text.index(part) for part in ("25", "80,179", "48.6")]
        claims = [claim_at(text, start, end) for start, end in zip(at, (at[0] + 2, at[1] + 6, at[2] + 4), strict=True)]
        for choose in (telling, passage):
            assert (span := choose(text, claims, side)) is not None
            assert text[slice(*span)].strip() == f"{own} above the mean.", concession
            assert choose(given, claims[:2], side) is None, "nothing else was said, and a concession is no argument"
    text = f"The average of 80,179 helps {other} and ADX 25 too. {own} above the mean."
    claims = [claim_at(text, text.index(part), text.index(part) + len(part)) for part in ("80,179", "25", "48.6")]
    span = telling(text, claims, side)
    assert span is not None
    assert text[slice(*span)].startswith(own)


def claim_at(text: str, start: int, end: int) -> Claim:
    """A verified number at a place of a text."""
    span = {"start": start, "end": end, "value_start": start, "value_end": end, "text": text[start:end]}
    known = {"source": "bull", "key": "rsi_14", "kind": "quantitative", "relation": "=", "claimed": 1.0, "actual": 1.0, "unit": "index"}
    return Claim.model_validate({**span, **known, "verdict": "true"})


def test_the_sentence_with_most_that_was_verified_is_chosen() -> None:
    assert telling("", ()) is None
    assert telling("First. Second.", ()) in ((0, 6), (0, 7))
    assert brief_panel(DECISION.reduce([]), Show()) == ""
