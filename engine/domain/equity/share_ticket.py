"""What a flow wants ordered of a listed company."""

from pydantic import Field

from engine.domain.account_ref import AccountRef
from engine.domain.equity.listing import Listing
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.frozen_model import FrozenModel
from engine.domain.orders import OrderSide
from engine.domain.risk import RiskConfig
from engine.domain.text.language import Language


class ShareTicket(FrozenModel):
    """An order for shares as a flow decided it.

    snapshot_hash: of the run's inputs: sha256 of their JSON with sorted keys and no spaces. place: whose account, and whose prices. moment:
    the clock it was decided at. price: last price then, currency a share, in shares of the trade date. atr: average true range of a
    session, None where it is not known. held: shares that were held when it was decided. quantity: shares. limit_price: good for one
    session, None = at market. stop, target: None = none. confidence: 0-100. thesis: why, in words. refused: why the flow's own limits let
    nothing be ordered, "" when they do. calibrated_confidence, reversal_facts: as in `Basis`.
    """

    run_id: str
    snapshot_hash: str
    place: AccountRef
    listing: Listing
    moment: TradingMoment
    price: float = Field(gt=0)
    atr: float | None = Field(default=None, gt=0)
    held: float = Field(default=0.0, ge=0)
    side: OrderSide
    quantity: int = Field(gt=0)
    limit_price: float | None = Field(default=None, gt=0)
    stop: float | None = Field(default=None, gt=0)
    target: float | None = Field(default=None, gt=0)
    confidence: float = Field(ge=0, le=100)
    calibrated_confidence: float | None = Field(default=None, ge=0, le=100)
    risk: RiskConfig
    language: Language = "en"
    thesis: str = ""
    refused: str = ""
    reversal_facts: int | None = None
