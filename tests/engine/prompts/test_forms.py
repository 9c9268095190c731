"""Prompts and reader are one contract: what a prompt gives as a form, with true values in it, is never convicted."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from engine.desks.decision.analysts import ANALYSTS
from engine.desks.decision.debate import debater_system, debater_task
from engine.desks.decision.paths import PATHS
from engine.desks.equities.prompts import ROLES, room_task, shared_system
from engine.desks.equities.stages import ANALYSTS as EQUITY_ANALYSTS
from engine.domain.facts import Fact, FactSheet, Unit
from engine.domain.text.language import LANGUAGES, Language
from engine.grounding.reading import read_claims
from engine.grounding.tables.markets import CRYPTO, EQUITY
from tests.engine.facts.markets import random_candles, snapshot

_FORM = re.compile(r"`([^`\n]*<[^`\n]*)`")
_FACTS: dict[str, tuple[float, Unit]] = {
    "close": (79197.2, "price"), "rsi_14": (43.9, "index"), "adx_14": (25.1, "index"), "1h.adx_14": (40.2, "index"),
    "1h.rsi_14": (38.0, "index"), "support": (78100.0, "price"), "resistance": (79866.3, "price"), "atr_14": (290.0, "price"),
    "atr_pct": (0.37, "percent"), "ema_50": (79500.0, "price"),
}  # fmt: skip
_PRICES = (77_000.0, 78_100.0, 79_000.0, 80_400.0)


def sheet(timeframe_htf: str | None) -> FactSheet:
    known = {key: fact for key, fact in _FACTS.items() if timeframe_htf or "." not in key}
    facts = {key: Fact(key=key, value=value, unit=unit) for key, (value, unit) in known.items()}
    return FactSheet("BTC/USDT:USDT", "15m" if timeframe_htf else "1d", timeframe_htf, facts, price_step=0.1)


def decision_prompts(language: Language) -> Iterator[str]:
    for analyst in ANALYSTS:
        question = analyst.question(snapshot(random_candles(1, 400)), sheet("1h"), "2026-05-16 12:00 UTC", language, None)
        yield f"{question.system}\n{question.user}"
    for path in PATHS:
        yield debater_system(path, language)
        yield from (debater_task(path, side, language, held="", round_number=n) for side in ("bull", "bear", "judge") for n in (1, 2))


def equity_prompts(language: Language) -> Iterator[str]:
    yield shared_system(language)
    yield from (analyst.task[language] for analyst in EQUITY_ANALYSTS)
    yield from (room_task(node, language) for node in ROLES)


def forms(prompts: Iterator[str]) -> list[str]:
    """Every form of the prompts, once: what stands in backticks and has a hole."""
    return list(dict.fromkeys(form for prompt in prompts for form in _FORM.findall(prompt) if "value`" not in form and "key =" not in form))


def filled(form: str) -> Iterator[str]:
    """The form with true values: of its fact, of the way to the level, of any level."""
    value = _FACTS["1h.adx_14" if "ADX" in form else "rsi_14"][0]
    room = (_FACTS["resistance"][0] - _FACTS["close"][0]) / _FACTS["atr_14"][0]
    text = re.sub(r"<(?:value|数值)>", f"{value:g}", form)
    text = text.replace("<n>", f"{room:.1f}")
    for level in _PRICES:
        yield re.sub(r"<(?:level|价位)>", f"{level:g}", text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("prompts", "table", "htf"), [(decision_prompts, CRYPTO, "1h"), (equity_prompts, EQUITY, None)], ids=["decision", "equities"]
)
def test_no_form_that_a_prompt_asks_for_is_convicted(language: Language, prompts: Any, table: Any, htf: str | None) -> None:
    found = forms(prompts(language))
    assert len(found) >= (4 if htf else 2), found
    for form in found:
        if "ADX" in form and htf is None:
            continue
        for sentence in filled(form):
            for text in (sentence, f"{sentence}. The rest follows.", f"- {sentence}"):
                claims = read_claims(text, sheet(htf), "bull", table=table)
                assert [claim.verdict for claim in claims if claim.verdict == "false"] == [], text
        if re.search("<(?:value|数值)>", form):
            stated = [claim for claim in read_claims(next(filled(form)), sheet(htf), "bull", table=table) if claim.verdict == "true"]
            assert stated, f"a value in the form {form!r} is read"
