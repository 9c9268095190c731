"""What the key of an exchange account may do. Reads only: the balance, and the venue's own list of what the key is for."""

from typing import Any

from engine.domain.diagnostics.venue import KeyPermissions
from engine.domain.errors import BrokerError, BrokerUnreachable
from engine.trading.exchange_account import ExchangeAccount
from engine.trading.exchange_orders import is_binance
from engine.venue.signed import SignedWire


async def key_permissions(wire: SignedWire, settle: str = "USDT") -> KeyPermissions:
    """Return what the key may do, None where the venue does not say. Raises BrokerError when the account cannot be read with it."""
    client = wire.client
    await ExchangeAccount(wire, settle).ready()  # it sets the clock by the venue's
    await wire.read("its balance", client.fetch_balance)
    listed = wire.last()
    trades = listed.get("canTrade") if isinstance(listed, dict) else None
    if not is_binance(client):
        return KeyPermissions(may_trade=trades if isinstance(trades, bool) else None, may_withdraw=None)
    try:
        reply: Any = await wire.read("what the key may do", client.sapiGetAccountApiRestrictions)
    except BrokerUnreachable:
        raise
    except BrokerError:  # a gateway or a sandbox may not know the question
        reply = {}
    said = {name: str(value).lower() == "true" for name, value in reply.items()} if isinstance(reply, dict) else {}
    may_trade = said.get("enableFutures")
    if may_trade is None and isinstance(trades, bool):
        may_trade = trades
    return KeyPermissions(may_trade=may_trade, may_withdraw=said.get("enableWithdrawals"))
