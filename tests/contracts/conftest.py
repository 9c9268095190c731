"""An endpoint for every test that wants one."""

from collections.abc import Iterator

import pytest

from tests.contracts.loopback import ANSWER
from tests.servers.llm import LLMServer


@pytest.fixture
def server() -> Iterator[LLMServer]:
    with LLMServer(answer=ANSWER) as running:
        yield running
