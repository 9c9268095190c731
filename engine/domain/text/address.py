"""Addresses as settings and browsers give them: what of one is compared, and what of one is never repeated."""

import ipaddress
import re
from typing import Final
from urllib.parse import urlsplit

_PORTS: Final = {"http": 80, "https": 443}
_SECRET: Final = re.compile(r"\b([a-zA-Z][a-zA-Z0-9+.-]{0,30}://)\S{1,500}@")
_HOST: Final = re.compile(r"([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?")


def host_of(host: str, scheme: str) -> tuple[str, int] | None:
    """Return name and port of what a `Host` header says, None where that is no host. scheme: gives the port that is left out."""
    found = _HOST.fullmatch(host.lower())
    if found is None or scheme not in _PORTS:
        return None
    port = int(found[2] or _PORTS[scheme])
    return (found[1], port) if 0 < port < 65536 else None


def origin_of(scheme: str, name: str, port: int) -> str:
    """Return what a browser calls the origin of pages from there: the port is in it only where it is not the usual one."""
    return f"{scheme}://{name}" + ("" if _PORTS.get(scheme) == port else f":{port}")


def public_origin(address: str) -> str:
    """Return the origin of a page's address. Raises ValueError, which does not repeat the address, for one that is none."""
    parts = urlsplit(address.strip())
    found = host_of(parts.netloc, parts.scheme)
    if found is None or parts.query or parts.fragment:
        raise ValueError("write the address that browsers show, such as https://desk.example or https://desk.example:8443")
    return origin_of(parts.scheme, *found)


def service_address(address: str) -> str:
    """Return scheme, host and prefix of a service that is asked, without a slash at the end; `{language}` may be in the host. Raises
    ValueError, which does not repeat the address, for anything else."""
    text = address.strip().rstrip("/")
    parts = urlsplit(text)
    found = host_of(parts.netloc.replace("{language}", "xx"), parts.scheme)
    if found is None or parts.query or parts.fragment:
        raise ValueError("write scheme and host, and a prefix where there is one, such as https://mirror.example/api")
    return text


def is_of_this_machine(address: str) -> bool:
    """Return whether an address is one of loopback, which nothing that is sent to it leaves."""
    try:
        host = urlsplit(address).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def without_passwords(text: str) -> str:
    """Return the text in which no address has a user or a password any more."""
    return _SECRET.sub(r"\1***@", text) if "://" in text else text
