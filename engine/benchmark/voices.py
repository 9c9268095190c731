"""What the scripted model says of a sheet: the reports of the desks' own scripts, which state false values at a set rate."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from engine.benchmark.prompts import ROLE
from engine.benchmark.sheets import Kind
from engine.desks.decision.script.voices import decision_voices
from engine.desks.equities.script import equities_voices
from engine.llm.protocol import Model, ModelCall, Script
from engine.script.model import ScriptedModel

_COMPANY: Final = "fundamentals"
"""The analyst of a company that reads prices and reports alike."""


def scripted_models(lies: float, seed: int) -> Mapping[Kind, Model]:
    """Return the script by kind of sheet. lies: share (0-1) of the stated values that are false. seed: changes which those are."""
    about_company = equities_voices(lies=lies, seed=seed)[_COMPANY]

    def of_company(call: ModelCall) -> Script:
        return about_company(replace(call, role=_COMPANY))

    market = ScriptedModel(decision_voices([ROLE], lies=lies, seed=seed), seed=seed, pace=0)
    return {"entry": market, "position": market, "company": ScriptedModel({ROLE: of_company}, seed=seed, pace=0)}
