"""Which addresses a download may connect to: public ones, and whatever a configured source resolves to.

The check is where the socket is made (`AddressGuard.open_socket`), so the address that is checked is the one that is connected to,
whatever a name server answers before or after.
"""

import ipaddress
import socket
from collections.abc import Mapping
from typing import Any, Final

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_WRAPS_IPV4: Final = tuple(
    ipaddress.ip_network(each) for each in ("::ffff:0:0/96", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")
)
"""Mapped, compatible, NAT64 (both), 6to4 and Teredo: behind each stands an IPv4 address that may be any."""

ConnectAddress = tuple[Any, ...]


class AddressGuard:
    """Makes the sockets of one request. allowed: the request's host and port are a configured source's, any address will do.
    refused: addresses that were not connected to, with the reason."""

    def __init__(self, *, allowed: bool) -> None:
        self._allowed = allowed
        self.refused: list[str] = []

    def open_socket(self, info: ConnectAddress) -> socket.socket:
        """Return a socket for an answer of `getaddrinfo`. Raises PermissionError for an address that may not be connected to."""
        family, kind, protocol, _, address = info
        if not self._allowed and (why := refusal(str(address[0]))):
            self.refused.append(why)
            raise PermissionError(why)
        return socket.socket(family=family, type=kind, proto=protocol)


def refusal(address: str) -> str | None:
    """Return why an address may not be connected to, None when it is a public one."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return f"{address} is no address"
    for name, applies in _special(parsed).items():
        if applies:
            return f"{address} is {name}"
    return None


def _special(address: IPAddress) -> Mapping[str, bool]:
    return {
        "a loopback address": address.is_loopback,
        "a link-local address": address.is_link_local,
        "a multicast address": address.is_multicast,
        "a private address": address.is_private or (address.version == 6 and address.is_site_local),
        "a reserved address": address.is_reserved or address.is_unspecified,
        "an address behind which another one stands": address.version == 6 and _wraps(address),
        "not a public address": not address.is_global,
    }


def _wraps(address: ipaddress.IPv6Address) -> bool:
    return bool(address.scope_id) or any(address in network for network in _WRAPS_IPV4)
