"""A press that is interrupted before the address carries the run: nothing is begun twice, and the run is shown."""

import pytest
from streamlit.runtime.scriptrunner import RerunData, RerunException
from streamlit.testing.v1 import AppTest

from pages.run import starting

BEGUN: list[str] = []
ADDRESS: list[str] = []


def _begin() -> str:
    BEGUN.append(f"run-{len(BEGUN)}")
    return BEGUN[-1]


def page() -> None:
    """The page of no run, as a fragment with old arguments draws it."""
    import streamlit as st

    from pages.run.starting import start_run, unopened_run
    from tests.pages.run.test_starting import _begin

    st.text(f"unopened {unopened_run(None)}")
    if st.button("go"):
        start_run(_begin, None)


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page, where the first change of the address is cut off as a newer request cuts it off."""
    BEGUN.clear()
    ADDRESS.clear()

    def cut_off(run_id: str) -> None:
        ADDRESS.append(run_id)
        if len(ADDRESS) == 1:
            raise RerunException(RerunData())

    monkeypatch.setattr(starting, "open_run", cut_off)
    return AppTest.from_function(page, default_timeout=30).run()


@pytest.mark.full
def test_a_second_press_opens_what_the_first_began(app: AppTest) -> None:
    app.button[0].click().run()
    assert app.text[0].value == "unopened run-0"
    app.button[0].click().run()
    assert BEGUN == ["run-0"]
    assert ADDRESS == ["run-0", "run-0"]
