"""The app as a test starts it, and how it reads what is on the page."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine.api import Engine
from engine.domain.proposal import Proposal
from pages.desks import DESKS

AT = "2026-11-01T08:00:00Z"
PAGES = ("decision", "equities", "approvals", "positions", "journal", "replay", "runs", "connect", "settings")
Start = Callable[..., AppTest]


def script_of(page: str) -> str:
    """The script of a page, as `switch_page` wants it: of a desk, or of another page."""
    return f"desks/{page}/view.py" if page in DESKS else f"views/{page}.py"


def page_of(app: AppTest) -> str:
    """All the HTML on the page."""
    return "\n".join(str(element.proto.body) for element in app.get("html"))


def keyed(app: AppTest, start: str) -> Any:
    """The button whose key begins so."""
    return next(button for button in app.button if str(button.key).startswith(start))


def filed(engine: Engine, **asked: Any) -> Proposal:
    """A proposal that waits, of a market in which there was something to decide. asked: what else is asked for."""
    for seed in range(301, 400):  # in 300 there is nothing to decide
        request = engine.decisions.request("BTC/USDT:USDT", seed=seed, propose=True, at=AT, **asked)
        proposal = engine.trading.proposal_of(engine.wait(engine.start(request), 60).run_id)
        if proposal is not None and proposal.is_waiting:
            return proposal
    pytest.fail("no market with something to decide")
