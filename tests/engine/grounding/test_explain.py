"""`explain_text` shows what the reader does, and does nothing else."""

import pytest

from engine.grounding.explain import explain_text
from engine.grounding.passes import PASSES
from engine.grounding.reading import read_claims
from engine.grounding.tables.markets import CRYPTO
from tests.engine.grounding.sheets import POSITION
from tests.engine.grounding.test_phrases import CLAIMS, NOT_CLAIMS, POSITION_CLAIMS

TEXT = "Volume, however, is 2.4x average; RSI/ADX: 72/31. If RSI drops below 30, buy."


def test_every_pass_is_a_step_and_says_what_it_does() -> None:
    steps = explain_text(TEXT, POSITION, "bull", table=CRYPTO)
    assert [step.name for step in steps] == ["lexer", *(one.__name__ for one in PASSES), "scopes", "grammar", "verdicts"]
    assert all(step.about for step in steps)


def test_a_step_has_the_items_after_it_where_it_changed_something() -> None:
    steps = {step.name: step.lines for step in explain_text(TEXT, POSITION, "bull", table=CRYPTO)}
    assert [line.split() for line in steps["lexer"]][:3] == [["IND", "volume_ratio_20", "'volume'"], ["WEAK", "','"], ["FILL", "'however'"]]
    assert any(line.startswith("IND        rsi_14 ") for line in steps["name_indicators"])
    names = [line.split()[1] for line in steps["split_lists"] if line.split()[0] in {"IND", "NUM"}]
    assert names == ["volume_ratio_20", "2.4x", "rsi_14", "72", "adx_14", "31", "rsi_14", "30"]
    assert steps["join_ranges"] == ()
    assert steps["scopes"][0] == f"{'IF':10} {'':24} 'if'  (hyp)"
    assert steps["grammar"] == (
        "volume_ratio_20 = 2.4  'volume, however, is 2.4x average'",
        "rsi_14 = 72  'rsi/adx: 72'",
        "adx_14 = 31  'adx: 72/31'",
    )
    assert [line.split(":")[0] for line in steps["verdicts"]] == ["false", "false", "true"]


@pytest.mark.full
def test_any_text_can_be_explained_and_is_read_as_always() -> None:
    texts = ["", " ", "\n", "囧", *[text for text, _ in (*CLAIMS, *POSITION_CLAIMS)][::5], *NOT_CLAIMS[::5]]
    lines = {text: len(explain_text(text, POSITION, "bull", table=CRYPTO)[-1].lines) for text in texts}
    assert [text for text in texts if lines[text] != len(read_claims(text, POSITION, "bull", table=CRYPTO))] == []
