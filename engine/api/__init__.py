"""The only door for pages and shell: `Engine` with what every run has, `Engine.decisions`, and `Engine.trading` for what a decision
becomes."""

from engine.api.decisions import AnalystCard, ChartMaterial
from engine.api.engine import (
    Engine,
    explain_text,
    ground_text,
    parse_instant,
    public_origin,
    usual_higher,
    verify_bundle,
)
from engine.settle.answers import Change, Preview
from engine.settle.delivery import UnderWay
from engine.settle.filing import Filled
from engine.settle.holdings import AccountLook, HeldPosition
from engine.settle.shadow import Shadow

__all__ = [
    "AccountLook",
    "AnalystCard",
    "Change",
    "ChartMaterial",
    "Engine",
    "Filled",
    "HeldPosition",
    "Preview",
    "Shadow",
    "UnderWay",
    "explain_text",
    "ground_text",
    "parse_instant",
    "public_origin",
    "usual_higher",
    "verify_bundle",
]
