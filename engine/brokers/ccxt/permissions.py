"""What the key of an exchange account may do. Reads only: the balance, and the venue's own list of what the key is for."""

import math
from typing import Any, Final

from engine.brokers.ccxt.account import ExchangeAccount
from engine.brokers.ccxt.orders import is_binance
from engine.domain.diagnostics.venue import KeyPermissions
from engine.domain.errors import BrokerError, BrokerUnreachable
from engine.venue.signed import SignedWire

_MOST_HELD: Final = 12


async def key_permissions(wire: SignedWire, settle: str = "USDT") -> KeyPermissions:
    """Return what the key may do, None where the venue does not say. Raises BrokerError when the account cannot be read with it."""
    client = wire.client
    await ExchangeAccount(wire, settle).ready()  # it sets the clock by the venue's
    balances = _held(await wire.read("its balance", client.fetch_balance))
    listed = wire.last()
    trades = listed.get("canTrade") if isinstance(listed, dict) else None
    if not is_binance(client):
        return KeyPermissions(may_trade=trades if isinstance(trades, bool) else None, may_withdraw=None, balances=balances)
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
    return KeyPermissions(may_trade=may_trade, may_withdraw=said.get("enableWithdrawals"), balances=balances)


def _held(balance: Any) -> tuple[tuple[str, float, float], ...]:
    """Return what an account holds of each currency, most first; what is not a number is left out."""
    totals, free = (balance.get(name) if isinstance(balance, dict) else None for name in ("total", "free"))
    rows = [
        (str(currency)[:20], float((free or {}).get(currency) or 0.0), float(total))
        for currency, total in (totals or {}).items()
        if isinstance(total, int | float) and math.isfinite(total) and total
    ]
    return tuple(sorted(rows, key=lambda row: -row[2])[:_MOST_HELD])
