"""PostgreSQL for tests: a cluster on loopback that ends with them, and an empty database for each that asks."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest


class Cluster:
    """A running server. port: on loopback."""

    def __init__(self, port: int) -> None:
        self._port, self._numbers = port, count(1)

    def create(self) -> str:
        """Return the address of a new, empty database."""
        name = f"journal_{next(self._numbers)}"
        self._tell(f"CREATE DATABASE {name}")
        return f"postgresql://desk@127.0.0.1:{self._port}/{name}"

    @contextmanager
    def out_of_reach(self, address: str) -> Iterator[None]:
        """Cut everybody's connections to a database, and let nobody connect within the block."""
        name = address.rpartition("/")[2]
        self._tell(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        self._tell(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
        try:
            yield
        finally:
            self._tell(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")

    def _tell(self, statement: str) -> None:
        with psycopg.connect(host="127.0.0.1", port=self._port, user="desk", dbname="postgres", autocommit=True) as connection:
            connection.execute(statement)  # type: ignore[call-overload]


@contextmanager
def running() -> Iterator[Cluster]:
    """Start a cluster of its own; skips the test where PostgreSQL is not installed. Its folder is not pytest's: another account has to
    reach it."""
    places = [str(each) for each in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]  # Debian's are not on the PATH
    search = os.pathsep.join([os.environ.get("PATH", ""), *places])
    initdb, control = (shutil.which(name, path=search) for name in ("initdb", "pg_ctl"))
    if initdb is None or control is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    account: dict[str, Any] = {}
    if os.geteuid() == 0:  # the server refuses to run as root
        user = next((each for each in pwd.getpwall() if each.pw_name in {"postgres", "nobody"}), None)
        if user is None:
            pytest.skip("PostgreSQL does not run as root, and there is no other user")
        account = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    with socket.socket() as reserved, tempfile.TemporaryDirectory(prefix="postgresql-") as folder:

        def run(*command: str) -> None:
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, **account)

        if account:
            os.chown(folder, account["user"], account["group"])
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # the server, which sets it too, can bind the port beside us
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        run(initdb, "-D", "data", "-U", "desk", "--auth=trust", "--no-sync", "--locale=C", "--encoding=UTF8")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -F"
        run(control, "-D", "data", "-w", "-l", "log", "-o", options, "start")
        try:
            yield Cluster(port)
        finally:
            run(control, "-D", "data", "-m", "immediate", "stop")
