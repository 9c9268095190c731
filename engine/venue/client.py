"""Making a ccxt client: its addresses, and with keys what an account needs besides. Raises BadInput for what cannot work.

Keys are sent to https addresses and to this machine only. A client with keys logs nothing: ccxt's own log lines hold headers and
signatures.
"""

import base64
import difflib
import ipaddress
import logging
import re
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit

import ccxt.async_support as ccxt

from engine.domain.errors import BadInput
from engine.venue.answers import AllRows, CheckedAnswers
from engine.venue.keys import Keys

_HOST = re.compile(r"^https?://[^/]+")
_NEEDED = ("createOrder", "fetchOrder", "fetchOpenOrders", "cancelOrder", "fetchBalance", "fetchPositions")
_SETTINGS = {"apiKey": "TRIBUNAL_API_KEY", "secret": "TRIBUNAL_API_SECRET", "password": "TRIBUNAL_API_PASSWORD"}


def open_client(exchange_id: str, url: str | None, timeout_s: float, keys: Keys | None = None, *, sandbox: bool = False) -> Any:
    """Return a client whose REST addresses are the sandbox's if asked for, and whose scheme and host are `url`'s in the end."""
    if exchange_id not in ccxt.exchanges:
        near = ", ".join(difflib.get_close_matches(exchange_id, ccxt.exchanges, n=3))
        raise BadInput(
            f"exchange {exchange_id!r} is not known to ccxt" + (f": did you mean {near}?" if near else ": write a ccxt id, such as kraken")
        )
    limits = {"enableRateLimit": True, "rateLimiterAlgorithm": "rollingWindow", "rollingWindowSize": 60_000.0}  # as venues count: a minute
    silent = {"logger": _silent_logger()} if keys is not None else {}
    client = _class_of(exchange_id)({"timeout": int(timeout_s * 1000), **limits, **silent})
    if keys is None and client.has.get("fetchOHLCV") is not True:
        raise BadInput(f"exchange {exchange_id} gives no candles: choose one that has them, for example binanceusdm or kraken")
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
        raise BadInput(f"exchange {client.id} cannot be traded on here, it lacks {', '.join(lacking)}: choose another, such as binanceusdm")
    for address in _addresses(client.urls["api"]):
        if address.startswith("http://") and not _is_local(address):
            host = urlsplit(address).netloc
            raise BadInput(f"keys are never sent over plain http to another host ({host}): write https:// in TRIBUNAL_EXCHANGE_URL")
    given = {"apiKey": keys.api_key, "secret": keys.secret, "password": keys.password}
    required = [name for name, is_required in client.requiredCredentials.items() if is_required]
    missing = [_SETTINGS[name] for name in required if name in given and not given[name].get_secret_value()]
    if missing:
        raise BadInput(f"exchange {client.id} needs keys to trade: set {' and '.join(missing)}")
    unknown = [name for name in required if name not in given]
    if unknown:
        raise BadInput(f"exchange {client.id} wants {', '.join(unknown)}, for which there is no setting: choose another exchange")
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
        raise BadInput(f"exchange {client.id} has no sandbox: choose another exchange")
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
        raise BadInput("TRIBUNAL_EXCHANGE_URL is not the address of an exchange: write http://host:port or https://host")
    shown = f"[{host}]" if ":" in host else host
    without_login = f"{parts.scheme}://{shown}{f':{port}' if port else ''}{parts.path.rstrip('/')}"
    if parts.username is None:
        return without_login, {}
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return without_login, {"Authorization": f"Basic {base64.b64encode(login.encode()).decode()}"}


def _is_local(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _addresses(entry: Any) -> list[str]:
    if isinstance(entry, dict):
        return [address for value in entry.values() for address in _addresses(value)]
    return [entry] if isinstance(entry, str) else []


def _redirected(entry: Any, url: str) -> Any:
    """Return every REST address in a (nested) table of addresses, with scheme and host replaced and the path kept."""
    if isinstance(entry, dict):
        return {name: _redirected(value, url) for name, value in entry.items()}
    return _HOST.sub(lambda _: url, entry) if isinstance(entry, str) else entry
