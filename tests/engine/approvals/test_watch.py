"""Watching goes on whatever breaks in it: a fault in one part keeps no other part from its turn."""

from collections.abc import Callable
from typing import Any

import pytest

from engine.api import Engine
from engine.domain.errors import BrokerUnreachable, TribunalError
from engine.journal.proposal_store import ProposalStore


@pytest.mark.parametrize("fault", [KeyError("side"), BrokerUnreachable("nothing listens")])
def test_positions_are_looked_after_when_orders_cannot_be(
    make_engine: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch, fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    engine, looked = make_engine(), []

    def broken(_: ProposalStore) -> Any:
        raise fault

    async def reconciled(*_: object) -> list[str]:
        looked.append(True)
        return []

    monkeypatch.setattr(ProposalStore, "in_flight", broken)
    monkeypatch.setattr("engine.approvals.holdings.Holdings.reconcile", reconciled)
    with pytest.raises(TribunalError, match="fault of the program: KeyError" if isinstance(fault, KeyError) else "nothing listens"):
        engine.trading.recover()
    assert looked
    assert ("Traceback" in caplog.text) == isinstance(fault, KeyError)
