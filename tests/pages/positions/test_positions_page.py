"""The page of positions without a browser: another stop is typed, proposed, signed and stands; what is over is listed."""

from typing import Any

import streamlit as st

from pages.frame import shared_engine
from tests.pages.started import Start, filed, keyed, page_of


def again(app: Any) -> Any:
    """Look once more, past what is kept for a second."""
    st.cache_data.clear()
    return app.run()


def test_from_a_typed_stop_to_the_stop_that_stands(start: Start) -> None:
    app = start("positions")
    assert "No open position." in page_of(app)
    assert "No position has been closed yet." in page_of(app)
    trading, engine = shared_engine.get_engine().trading, shared_engine.get_engine()
    proposal = filed(engine)
    trading.approve(proposal.id, "op-1", proposal.hash)
    (held,) = trading.positions()
    stop, price = float(held.position.stop or 0), float(held.price or 0)
    again(app)
    assert not app.exception
    for part in ("Break-even", "Realised", "Unrealised", "Why it was entered"):
        assert part in page_of(app), part
    keyed(app, "levels-open-").click().run()
    assert keyed(app, "levels-propose-").disabled, "nothing is changed yet"
    crossed = next(each for each in app.number_input if str(each.key).startswith("level-stop-"))
    crossed.set_value(price * (1.01 if held.position.sign > 0 else 0.99)).run()
    assert keyed(app, "levels-propose-").disabled
    assert "the stop must be" in page_of(app)
    nearer = round((stop + price) / 2, 1)
    next(each for each in app.number_input if str(each.key).startswith("level-stop-")).set_value(nearer).run()
    assert "Loss at stop" in page_of(app)
    assert "takes risk away: no limits" in page_of(app)
    keyed(app, "levels-propose-").click().run()
    assert not app.exception
    (change,) = trading.waiting()
    assert (change.plan.protects, float(change.plan.stop or 0), change.changed_by) == (True, nearer, "op-1")
    assert float(trading.positions()[0].position.stop or 0) == stop, "nothing moves before it is signed"
    again(app)
    assert "proposed by op-1" in page_of(app)
    assert "cannot be shown" not in page_of(app), "the form and the chart it is about"
    button = keyed(app, "approve-")
    assert button.label == "✓ Approve these levels"
    button.click().run()
    assert not app.exception
    assert "Approved: the new levels stand." in page_of(app)
    assert float(trading.positions()[0].position.stop or 0) == nearer
    trading.close_position(held.position.symbol, "op-2")
    again(app)
    assert "closed by hand: op-2" in page_of(app)
    assert "No open position." in page_of(app)
    assert trading.faults() == []
