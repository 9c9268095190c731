from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.flows.equities.played import engine_at

if TYPE_CHECKING:
    from engine.api import Engine


@pytest.fixture
def engine(tmp_path: Path) -> "Iterator[Engine]":
    with closing(engine_at(tmp_path / "home")) as made:
        yield made
