"""Making a ccxt client: its addresses, and with keys what an account needs besides. Raises BadInput for what cannot work.

Keys are sent to https addresses and to this machine only. A client with keys logs nothing: ccxt's own log lines hold headers and
signatures.
"""

import base64
import difflib
import logging
import re
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit

import ccxt.async_support as ccxt

from engine.domain.errors import BadInput
from engine.domain.text.address import is_of_this_machine
from engine.domain.text.reason import Reason
from engine.venue.answers import AllRows, CheckedAnswers
from engine.venue.keys import Keys

_HOST = re.compile(r"^https?://[^/]+")
_NEEDED = ("createOrder", "fetchOrder", "fetchOpenOrders", "cancelOrder", "fetchBalance", "fetchPositions")
_SETTINGS = {"apiKey": "TRIBUNAL_API_KEY", "secret": "TRIBUNAL_API_SECRET", "password": "TRIBUNAL_API_PASSWORD"}


def open_client(exchange_id: str, url: str | None, timeout_s: float, keys: Keys | None = None, *, sandbox: bool = False) -> Any:
    """Return a client whose REST addresses are the sandbox's if asked for, and whose scheme and host are `url`'s in the end."""
    if exchange_id not in ccxt.exchanges:
        near = ", ".join(difflib.get_close_matches(exchange_id, ccxt.exchanges, n=3))
        if near:
            raise BadInput(Reason("exchange_is_not_known_to_ccxt_near", exchange_id=f"{exchange_id!r}", near=near))
        raise BadInput(Reason("exchange_is_not_known_to_ccxt", exchange_id=f"{exchange_id!r}"))
    limits = {"enableRateLimit": True, "rateLimiterAlgorithm": "rollingWindow", "rollingWindowSize": 60_000.0}  # as venues count: a minute
    silent = {"logger": _silent_logger()} if keys is not None else {}
    client = _class_of(exchange_id)({"timeout": int(timeout_s * 1000), **limits, **silent})
    if keys is None and client.has.get("fetchOHLCV") is not True:
        raise BadInput(Reason("exchange_gives_no_candles", exchange_id=exchange_id))
    if sandbox:
        _enter_sandbox(client)
    if url is not None:
        address, client.headers = _gateway(url)
        client.urls["api"] = _redirected(client.urls["api"], address)
    if url is not None and url.startswith("http://"):
        client.timeout_on_exit = 0  # only encrypted connections need a moment to say goodbye
    if keys is not None:
        _sign_in(client, keys)
    return client


@cache
def _class_of(exchange_id: str) -> Any:
    """Return ccxt's class of a venue with our reading of its answers before its own."""
    venue = getattr(ccxt, exchange_id)
    rows = (AllRows,) if venue.parse_ohlcvs is ccxt.Exchange.parse_ohlcvs else ()
    return type(exchange_id, (CheckedAnswers, *rows, venue), {})


def _sign_in(client: Any, keys: Keys) -> None:
    lacking = [name for name in _NEEDED if not client.has.get(name)]
    if lacking:
        raise BadInput(Reason("exchange_cannot_be_traded_on_here", client_id=client.id, lacking=", ".join(lacking)))
    for address in _addresses(client.urls["api"]):
        if address.startswith("http://") and not is_of_this_machine(address):
            host = urlsplit(address).netloc
            raise BadInput(Reason("keys_are_never_sent_over_plain_http", host=host))
    given = {"apiKey": keys.api_key, "secret": keys.secret, "password": keys.password}
    required = [name for name, is_required in client.requiredCredentials.items() if is_required]
    missing = [_SETTINGS[name] for name in required if name in given and not given[name].get_secret_value()]
    if missing:
        raise BadInput(Reason("exchange_needs_keys_to_trade", client_id=client.id, missing=" and ".join(missing)))
    unknown = [name for name in required if name not in given]
    if unknown:
        raise BadInput(Reason("exchange_wants_for_which_there_is_no", client_id=client.id, unknown=", ".join(unknown)))
    for name, value in given.items():
        setattr(client, name, value.get_secret_value())
    client.has["fetchCurrencies"] = False  # it would ask for the wallet, which a key that may only trade need not see
    client.options |= {"adjustForTimeDifference": True, "defaultType": "swap", "warnOnFetchOpenOrdersWithoutSymbol": False}


def _enter_sandbox(client: Any) -> None:
    """Switch to the sandbox. Where a venue has demo trading in place of its test net, as Binance has, that is its sandbox."""
    if "demo" in client.urls:
        client.enable_demo_trading(True)
        return
    if not client.urls.get("test"):
        raise BadInput(Reason("exchange_has_no_sandbox", client_id=client.id))
    client.set_sandbox_mode(True)


def _silent_logger() -> logging.Logger:
    logger = logging.getLogger("engine.venue.silent")
    logger.disabled = True
    return logger


def _gateway(url: str) -> tuple[str, dict[str, str]]:
    """Return address and headers of a replacement. A user and a password in it become a header: what reports an address shows neither."""
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError:
        host = None
    if not host or parts.scheme not in {"http", "https"} or parts.query or parts.fragment:
        raise BadInput(Reason("tribunal_exchange_url_is_not_address_of_exchange"))
    shown = f"[{host}]" if ":" in host else host
    without_login = f"{parts.scheme}://{shown}{f':{port}' if port else ''}{parts.path.rstrip('/')}"
    if parts.username is None:
        return without_login, {}
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return without_login, {"Authorization": f"Basic {base64.b64encode(login.encode()).decode()}"}


def _addresses(entry: Any) -> list[str]:
    if isinstance(entry, dict):
        return [address for value in entry.values() for address in _addresses(value)]
    return [entry] if isinstance(entry, str) else []


def _redirected(entry: Any, url: str) -> Any:
    """Return every REST address in a (nested) table of addresses, with scheme and host replaced and the path kept."""
    if isinstance(entry, dict):
        return {name: _redirected(value, url) for name, value in entry.items()}
    return _HOST.sub(lambda _: url, entry) if isinstance(entry, str) else entry
