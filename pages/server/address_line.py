"""What the terminal is told: one line with the address of the pages, which is opened in a browser where there is one."""

import socket
import sys
import threading
import webbrowser
from time import sleep

from streamlit import config

from pages.server.static_files import base_path

_EVERYWHERE = {"", "0.0.0.0", "::"}  # noqa: S104 - what is compared with, nothing is bound here
_TRIES, _PAUSE_S = 240, 0.25


def say_address() -> None:
    """Print the address, and open it once it answers: not without a display, and not where the option `server.headless` says so."""
    host = str(config.get_option("server.address") or "")
    name = "127.0.0.1" if host in _EVERYWHERE else host
    port = int(config.get_option("server.port"))
    scheme = "https" if config.get_option("server.sslCertFile") else "http"
    address = f"{scheme}://{f'[{name}]' if ':' in name else name}:{port}{base_path()}/"
    sys.stdout.write(f"Tribunal: {address}\n")
    sys.stdout.flush()
    if not config.get_option("server.headless"):
        threading.Thread(target=_open, args=(name, port, address), name="tribunal-opening", daemon=True).start()


def _open(name: str, port: int, address: str) -> None:
    """Open the address when something listens there: a browser that comes earlier shows an error."""
    for _ in range(_TRIES):
        with socket.socket(socket.AF_INET6 if ":" in name else socket.AF_INET) as probe:
            if probe.connect_ex((name, port)) == 0:
                webbrowser.open(address)
                return
        sleep(_PAUSE_S)
