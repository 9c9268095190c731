"""Another stop of shares that are held: proposed, signed, kept by the sessions that follow; T+1 keeps its word; the chart and the costs."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.api import WantedLevels
from engine.domain.errors import NotAllowed
from tests.flows.approvals.share_desk import ShareDesk

if TYPE_CHECKING:
    from engine.api import Engine

AMERICAN, CHINESE = "NVDA", "600028.SH"
MONDAY, TUESDAY = date(2024, 3, 4), date(2024, 3, 5)


@pytest.fixture
def desk(make_engine: "Callable[..., Engine]", tmp_path: Path) -> ShareDesk:
    return ShareDesk(make_engine, tmp_path / "home")


@pytest.mark.full
def test_a_buy_without_a_stop_is_never_ordered_and_shares_of_an_earlier_version_get_one(
    desk: ShareDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = desk.known(AMERICAN, MONDAY)
    price = known.current_price
    refused = desk.propose(known, quantity=20, stop=None)
    assert (refused.state, refused.why) == ("blocked", f"a buy of {AMERICAN} needs a stop")
    with monkeypatch.context() as earlier:
        earlier.setattr("engine.instruments.shares.Shares.unfit", lambda *_: "")
        old = desk.propose(known, quantity=20, stop=None)
    with pytest.raises(NotAllowed, match="needs a stop"):
        desk.trading.approve(old.id, "somebody")
    with monkeypatch.context() as earlier:
        earlier.setattr("engine.instruments.shares.Shares.unfit", lambda *_: "")
        desk.trading.approve(old.id, "somebody")
    (held,) = desk.trading.positions()
    assert (held.position.stop, held.to_json()["protected"]) == (None, False)
    for share in (0.9, 0.95):
        change = desk.trading.propose_levels(WantedLevels(AMERICAN, round(price * share, 2)), "somebody")
        assert (change.limits, change.plan.protects) == ((), True)
        assert desk.trading.approve(change.id, "somebody").state == "filled"
    (held,) = desk.trading.positions()
    assert float(held.position.stop) == round(price * 0.95, 2)
    assert held.candles is not None
    assert int(held.candles.opened_at[0]) / 1000 < held.position.opened_at.timestamp() - 30 * 86_400, "from before it was bought"
    record = held.record
    assert (record.fees > 0, record.dividends, record.size) == (True, 0, 20)
    even, fees = float(held.break_even), float(record.fees)
    assert fees * 2 <= 20 * (even - float(held.position.entry_price)) <= fees * 2 + 0.5, "it pays for both ways, to the next cents"
    with pytest.raises(NotAllowed, match="stop distance"):
        desk.trading.propose_levels(WantedLevels(AMERICAN, round(price * 0.8, 2)), "somebody")
    assert desk.trading.faults() == []


def test_shares_that_may_not_be_sold_yet_keep_their_new_stop(desk: ShareDesk) -> None:
    known = desk.known(CHINESE, MONDAY)
    desk.trading.approve(desk.propose(known, quantity=300).id, "somebody")
    stop = round(known.current_price * 0.999, 2)
    change = desk.trading.propose_levels(WantedLevels(CHINESE, stop), "somebody")
    assert desk.trading.approve(change.id, "somebody").state == "filled"
    assert desk.account(known).positions[CHINESE].quantity == 300, "nothing is sold in the session it was bought in"
    (held,) = desk.trading.positions()
    assert float(held.position.stop) == stop
    assert desk.account(desk.known(CHINESE, TUESDAY)).positions == {}, "the next one reaches it"
