"""The app, started under settings of a test's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.settings import Settings
from pages.frame import shared_engine
from tests.conftest import ROOT
from tests.pages.started import Start


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts the app under settings of its own; its engine ends with the test."""
    monkeypatch.setitem(Settings.model_config, "env_file", None)
    st.cache_resource.clear()
    st.cache_data.clear()

    def started(page: str = "", **settings: str) -> AppTest:
        given = {"TRIBUNAL_HOME": str(tmp_path / "home"), "TRIBUNAL_PACE": "0", "TRIBUNAL_OPERATOR": "op-1", **settings}
        for name, value in given.items():
            monkeypatch.setenv(name, value)
        app = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=30).run()
        return app.switch_page(f"views/{page}.py").run() if page else app

    yield started
    shared_engine.get_engine().close()
    st.cache_resource.clear()
    st.cache_data.clear()
