"""The only way in for pages and shell: `Engine` with what every run has, `Engine.decisions`, and `Engine.trading` for what a decision
becomes."""

from engine.api.disputes import DisputedText
from engine.api.engine import (
    MOST_CHECKED,
    Engine,
    copy_journal,
    explain_text,
    ground_text,
    public_origin,
    verify_bundle,
)
from engine.api.seats import all_seats, role_of, seats_of
from engine.approvals.approval_service import Change, Preview
from engine.approvals.filing import FillSummary
from engine.approvals.held_position import AccountStatus, ClosedPosition, HeldPosition
from engine.approvals.order_dispatch import InFlightOrder
from engine.approvals.practice import PracticeAccount
from engine.approvals.protection_service import LevelsDraft, WantedLevels
from engine.flows.protocol import Seat
from engine.instruments.instrument import Amount
from engine.runs.shared_polling import LastSeen
from engine.trading.signed_book import BookTotals, SignedBook

__all__ = [
    "MOST_CHECKED",
    "AccountStatus",
    "Amount",
    "BookTotals",
    "Change",
    "ClosedPosition",
    "DisputedText",
    "Engine",
    "FillSummary",
    "HeldPosition",
    "InFlightOrder",
    "LastSeen",
    "LevelsDraft",
    "PracticeAccount",
    "Preview",
    "Seat",
    "SignedBook",
    "WantedLevels",
    "all_seats",
    "copy_journal",
    "explain_text",
    "ground_text",
    "public_origin",
    "role_of",
    "seats_of",
    "verify_bundle",
]
