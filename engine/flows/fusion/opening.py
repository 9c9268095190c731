"""What `run.started` says of a run of the desk: the request, the company in figures, who takes part."""

from engine.domain.events import RunStarted
from engine.flows.fusion.context import FusionContext
from engine.flows.fusion.orders.largest_order import assumed_stop_pct, order_bounds
from engine.flows.fusion.request import FusionRequest
from engine.flows.fusion.state import Json

_TICKER = ("change_1d_pct", "atr_14", "rsi_14", "pe_ratio")
"""Facts of the market line."""


def opening(context: FusionContext, request: FusionRequest) -> RunStarted:
    """Return the data of `run.started`."""
    snapshot, account, moment = context.snapshot, context.account, context.snapshot.moment
    bounds = order_bounds(account, snapshot.listing.symbol, request.risk, assumed_stop_pct(request.risk))
    opening_data: Json = {
        "request": request.model_dump(mode="json"),
        "inputs_hash": context.inputs.hash,
        "symbol": snapshot.listing.symbol,
        "name": snapshot.listing.name,
        "currency": snapshot.listing.currency,
        "at": moment.known_at.isoformat(),
        "trade_date": str(moment.trade_date),
        "trading_session": moment.trading_session,
        "price": snapshot.current_price,
        "previous_close": snapshot.previous_close,
        "feed": snapshot.feed,
        "preset": context.preset.name,
        "depth": request.depth,
        "tool_limit": context.tool_limit,
        "model": request.model,
        "language": request.language,
        "analysts": [analyst.key for analyst in context.preset.everybody],
        "facts": {key: context.sheet.number(key) for key in _TICKER},
        "listing": snapshot.listing.model_dump(mode="json"),
        "account": account.model_dump(mode="json"),
        "largest_order": {"value": bounds.value, "bounds": bounds.to_json(), "binding": bounds.binding},
        "missing": dict(snapshot.missing),
        "notes": [*snapshot.notes, *account.notes],
    }
    return RunStarted(**opening_data)
