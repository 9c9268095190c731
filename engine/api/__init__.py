"""The only door for pages and shell: `Engine` with what every run has, `Engine.decisions`, and `Engine.trading` for what a decision
becomes."""

from engine.api.decisions import AnalystCard, ChartMaterial, field_of_path
from engine.api.disputes import DisputedText
from engine.api.engine import (
    Engine,
    explain_text,
    ground_text,
    parse_instant,
    public_origin,
    usual_higher,
    verify_bundle,
)
from engine.api.equities import DepthMeaning, DeskAnalyst
from engine.api.equity_chart import CompanyChart, EquityChartMaterial
from engine.api.market_previews import MarketPreview
from engine.api.research import EvidencePreview
from engine.api.seats import role_of, seats_of
from engine.api.shared_polling import LastSeen
from engine.approvals.approval_service import Change, Preview
from engine.approvals.closing import Amount
from engine.approvals.filing import FillSummary
from engine.approvals.held_position import AccountStatus, ClosedPosition, HeldPosition
from engine.approvals.order_dispatch import InFlightOrder
from engine.approvals.protection_service import LevelsDraft, WantedLevels
from engine.approvals.shadow_book import ShadowResult
from engine.flows.protocol import Seat

__all__ = [
    "AccountStatus",
    "Amount",
    "AnalystCard",
    "Change",
    "ChartMaterial",
    "ClosedPosition",
    "CompanyChart",
    "DepthMeaning",
    "DeskAnalyst",
    "DisputedText",
    "Engine",
    "EquityChartMaterial",
    "EvidencePreview",
    "FillSummary",
    "HeldPosition",
    "InFlightOrder",
    "LastSeen",
    "LevelsDraft",
    "MarketPreview",
    "Preview",
    "Seat",
    "ShadowResult",
    "WantedLevels",
    "explain_text",
    "field_of_path",
    "ground_text",
    "parse_instant",
    "public_origin",
    "role_of",
    "seats_of",
    "usual_higher",
    "verify_bundle",
]
