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
from engine.approvals.answers import Change, Preview
from engine.approvals.delivery import UnderWay
from engine.approvals.filing import Filled
from engine.approvals.holdings import AccountLook, HeldPosition
from engine.approvals.shadow import Shadow

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
