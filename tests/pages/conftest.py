"""The app, started under settings of a test's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.domain.clock import utc_now
from engine.runs import shared_polling
from engine.settings import Settings
from pages.desks import DESKS
from pages.frame import shared_engine
from pages.trading import answering
from tests.clocks import begun_at
from tests.conftest import ROOT
from tests.pages.started import Start, script_of


@pytest.fixture
def _midday() -> Iterator[None]:
    """It is noon as a test begins: what it does in a day is of one day."""
    with begun_at(utc_now().replace(hour=12, minute=0, second=0, microsecond=0)):
        yield


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts the app under settings of its own; its engine ends with the test."""
    monkeypatch.setitem(Settings.model_config, "env_file", None)
    monkeypatch.setattr(answering, "PAUSE_S", 0.0)  # nothing ticks here
    monkeypatch.setattr(shared_polling, "PATIENCE_S", 30.0)  # nor is the market looked at again for an answer that came late
    st.cache_resource.clear()
    st.cache_data.clear()

    def started(page: str = "", **settings: str) -> AppTest:
        given = {"TRIBUNAL_HOME": str(tmp_path / "home"), "TRIBUNAL_PACE": "0", "TRIBUNAL_OPERATOR": "op-1", **settings}
        for name, value in given.items():
            monkeypatch.setenv(name, value)
        app = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=30)
        if not page or page in DESKS:
            app.run()
        return app.switch_page(script_of(page)).run() if page else app  # one that is no desk at once, without the first page before it

    yield started
    shared_engine.get_engine().close()
    st.cache_resource.clear()
    st.cache_data.clear()
